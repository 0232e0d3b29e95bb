import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../console/form.ts';
import { actForm, callAct, consolePage, type Entered, type Form } from '../../console/page.ts';
import { decides } from '../../console/visits.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { JsonObject } from '../../json/value.ts';
import { PUBLISH_BODY_BYTES, publish } from '../routes.ts';
import { PublishSkillSchema } from '../schema.ts';
import { SKILLS_PATH } from './parts.ts';

const publishForm = schemaOf(PublishSkillSchema);

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

/** Before anything is typed: a skill that takes a text and gives one. */
const first: JsonObject = {
  version: '1.0.0',
  trust_level_required: 'L0',
  price_per_invocation: 0,
  input_schema: text,
  output_schema: text,
  execution_mode: 'open',
  execution_runtime: 'none',
  credential_mode: 'none',
  accepts_requests: true,
};

const shared: FormOptions = {
  labels: {
    price_per_invocation: 'Price of a run',
    trust_level_required: 'Trust level required',
    execution_mode: 'Who executes it',
    execution_runtime: 'Runtime of the script',
    execution_script: 'Script',
    execution_steps: 'Steps',
    llm_provider: 'Provider of the model',
    llm_model: 'Model',
    llm_config: 'Settings of the model',
    credential_mode: 'Whose keys of models are used',
    seller_credential_limit: 'Of your key, in a month',
    'seller_credential_limit.max_calls': 'Calls at most',
    'seller_credential_limit.max_cost_cents': 'Cost at most',
    llm_enabled: 'A model answers, in place of a script',
    agent_id: 'Id of the agent that does the work',
    accepts_requests: 'It is compared with what others look for on the request board',
  },
  hints: {
    name: '2 to 64 lower-case letters, digits and hyphens; nobody can change it later.',
    trust_level_required: 'L0: everybody. L1 and L2: agents with a passport and claims of this level.',
    execution_mode:
      'open: you claim each run and deliver it. sealed: the service executes your code, which stays hidden. source: the same, and everybody may read it.',
    tags: 'Ten at most.',
    execution_script: 'The function that gets the input and returns the output; docs/sealed-skills.md has it.',
    execution_steps: 'Several scripts and models, one after the other, in place of one script or model.',
    required_credentials: 'Providers of models whose key is needed: [{"provider": "openai", "scopes": []}].',
  },
  money: ['price_per_invocation', 'seller_credential_limit.max_cost_cents'],
  long: ['execution_script', 'dependencies'],
  choices: {
    execution_mode: [
      ['open', 'You (open)'],
      ['sealed', 'The service, code hidden (sealed)'],
      ['source', 'The service, code shown (source)'],
    ],
  },
};

const offer = [
  'name',
  'description',
  'version',
  'price_per_invocation',
  'trust_level_required',
  'tags',
  'input_schema',
  'output_schema',
  'execution_mode',
];
const code = [
  'execution_runtime',
  'execution_script',
  'dependencies',
  'llm_enabled',
  'llm_provider',
  'llm_model',
  'llm_config',
  'execution_steps',
];
const more = ['credential_mode', 'required_credentials', 'seller_credential_limit', 'agent_id', 'accepts_requests'];

/** The skill that was typed. The fields of a single script are left out where they say nothing: beside steps they would be refused. */
function skillOf(form: Form): JsonObject {
  const {
    llm_enabled: isModel,
    execution_runtime: runtime,
    ...skill
  } = valueOf(publishForm, form, { ...shared, only: [...offer, ...code, ...more] });
  return {
    ...skill,
    ...(isModel === true && { llm_enabled: true }),
    ...(runtime !== 'none' && runtime !== undefined && { execution_runtime: runtime }),
  };
}

const fields = (only: readonly string[], entered: Entered | undefined): Html =>
  fieldsOf(publishForm, { ...shared, only }, { values: first, entered });

/** Fields that most skills do without; open where the form was refused, since a fault may be among them. */
const further = (title: string, only: readonly string[], entered: Entered | undefined): Html =>
  html`<details class="card"${entered === undefined ? html`` : html` open`}><summary>${title}</summary>
${fields(only, entered)}</details>
`;

/** The form that publishes a skill. */
export const publishPage = consolePage({
  operation: 'publishPage',
  path: `${SKILLS_PATH}/new`,
  show: async (person, entered) => ({
    title: 'Publish a skill',
    body: html`<h1>Publish a skill</h1>
<p class="lead">Others find it in the market and pay for each run. One with code is looked at by the platform before it is public.</p>
${decides(person) ? html`` : html`<p class="muted">A skill that is answered by your operator’s key of a model is published by an owner or administrator.</p>\n`}${actForm(
      {
        act: 'publish',
        label: 'Publish it',
        tone: 'primary',
        fields: html`<section class="card">${fields(offer, entered)}</section>
${further('Code, for a skill that the service executes', code, entered)}${further('Keys of models, agent and requests', more, entered)}`,
      },
    )}`,
  }),
  acts: {
    publish: callAct('', publish, {
      input: (form) => ({ body: skillOf(form) }),
      then: ({ id }) => `${SKILLS_PATH}/${id}`,
    }),
  },
  formBytes: PUBLISH_BODY_BYTES,
});
