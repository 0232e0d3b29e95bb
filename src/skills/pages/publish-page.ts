import { agentChoices } from '../../accounts/agents/pages/agent-choices.ts';
import { withChoices } from '../../console/choices.ts';
import { folded } from '../../console/folded.ts';
import { fieldsOf, schemaOf, valueOf, type FormOptions, type Typed } from '../../console/form.ts';
import { actForm, callAct, consolePage, type Act, type Form, type Shown } from '../../console/page.ts';
import { schemaForm, schemaValue } from '../../console/schema-form.ts';
import { decides, isRefusal, oneOf, type PersonsVisit } from '../../console/visits.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { check, PUBLISH_BODY_BYTES, publish } from '../routes.ts';
import { PublishSkillSchema } from '../schema.ts';
import { SKILLS_PATH } from './parts.ts';

const PUBLISH_PATH = `${SKILLS_PATH}/new`;
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
    agent_id: 'The agent that does the work',
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

/** The form as somebody sees it: as it was typed, with what the operator has to choose from. */
interface Seen {
  options: FormOptions;
  entered: Typed | undefined;
}

const fields = (only: readonly string[], { options, entered }: Seen): Html =>
  fieldsOf(publishForm, { ...options, only }, { values: first, entered });

const further = (title: string, only: readonly string[], seen: Seen): Html =>
  folded(title, publishForm, { only, values: first, ...seen });

const checkButton = (words: string): Html => html`<button name="checks" value="true">${words}</button>`;

/** The input schema that was typed; null: it is none. */
function typedSchema(form: Form): JsonObject | null {
  try {
    return valueOf(publishForm, form, { only: ['input_schema'] })['input_schema'] as JsonObject;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** The input that was tried; undefined: its form was not there yet. */
const triedInput = (form: Form): JsonValue | undefined => {
  const schema = typedSchema(form);
  const isTried = Object.keys(form).some((name) => name === 'input' || name.startsWith('input.'));
  return schema === null || !isTried ? undefined : schemaValue(form, { root: 'input', schema });
};

/** The form that buyers will see, once the schema is sound. */
function tried(person: PersonsVisit, { form, refusal }: Typed): Html {
  const schema = typedSchema(form);
  const isUnsound = refusal !== undefined && refusal.code !== 'INPUT_SCHEMA_MISMATCH';
  if (schema === null || isUnsound) return html``;
  const isTried = triedInput(form) !== undefined;
  const entered = isTried ? { form, ...(refusal !== undefined && { refusal }) } : undefined;
  const { fields: shown } = schemaForm(person, { root: 'input', schema, path: PUBLISH_PATH, entered, optional: true });
  return html`<section class="card" id="try"><h2>Try its input</h2>
<p class="muted">Buyers fill in this form. The check says whether the skill takes what is typed here; nothing is executed.</p>
${shown}<div class="actions">${checkButton('Check this input')}</div></section>
`;
}

/** @param typed absent: nothing is typed yet */
async function shownForm(person: PersonsVisit, typed?: Typed): Promise<Shown> {
  const options = withChoices(shared, { agent_id: await agentChoices(person, { acting: true }) });
  const seen = { options, entered: typed };
  const isSound = typed !== undefined && typed.refusal === undefined;
  return {
    title: 'Publish a skill',
    body: html`<h1>Publish a skill</h1>
${isSound ? html`<p class="notice good" role="status">${triedInput(typed.form) === undefined ? 'It can be published: its fields and schemas are sound.' : 'The skill takes this input, and can be published.'} Nothing is published yet. <a href="#try">Try its form</a></p>\n` : html``}<p class="lead">Others find it in the market and pay for each run. One with code is looked at by the platform before it is public.</p>
${decides(person) ? html`` : html`<p class="muted">A skill that is answered by your operator’s key of a model is published by an owner or administrator.</p>\n`}${actForm(
      {
        act: 'publish',
        label: 'Publish it',
        tone: 'primary',
        fields: html`<section class="card">${fields(offer, seen)}</section>
${further('Code, for a skill that the service executes', code, seen)}${further('Keys of models, agent and requests', more, seen)}${typed === undefined ? html`` : tried(person, typed)}`,
        beside: checkButton('Check it, and try its form'),
      },
    )}`,
  };
}

/** The second button of the form only checks. */
const publishOrCheck: Act = {
  done: '',
  async run(person, form) {
    if (oneOf(form, 'checks') === '') return await publishing.run(person, form);
    const input = triedInput(form);
    await person.visit.call(check, { body: { ...skillOf(form), ...(input !== undefined && { input }) } });
    return await shownForm(person, { form });
  },
};

const publishing = callAct('', publish, {
  input: (form) => ({ body: skillOf(form) }),
  then: ({ id }) => `${SKILLS_PATH}/${id}`,
});

/** The form that publishes a skill, and checks it before. */
export const publishPage = consolePage({
  operation: 'publishPage',
  path: PUBLISH_PATH,
  show: shownForm,
  acts: { publish: publishOrCheck },
  formBytes: PUBLISH_BODY_BYTES,
});
