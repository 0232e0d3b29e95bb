import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../console/form.ts';
import { schemaTable } from '../../console/json-schema.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, live, ofPage, type Entered, type Form } from '../../console/page.ts';
import { facts, folded, momentOr, sure } from '../../console/parts.ts';
import { HOME } from '../../console/places.ts';
import { readable } from '../../console/readable.ts';
import { decides, oneOf, redirect, type PersonsVisit } from '../../console/visits.ts';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { JsonObject } from '../../json/value.ts';
import { activate, PUBLISH_BODY_BYTES, read, suspend, unlist, update } from '../routes.ts';
import { UpdateSkillSchema, type Skill } from '../schema.ts';
import { isAnsweredBySeller } from '../skill-code.ts';
import { offerFacts, offerPath, runOf, SKILLS_PATH, stateOf, tagsOf, versionsOf } from './parts.ts';
import { runForm } from './run-form.ts';

const nothing = html``;

const updateForm = schemaOf(UpdateSkillSchema);
const updateOptions: FormOptions = {
  only: [
    'description',
    'version',
    'price_per_invocation',
    'trust_level_required',
    'tags',
    'input_schema',
    'output_schema',
  ],
  labels: { price_per_invocation: 'Price of a run', trust_level_required: 'Trust level required' },
  money: ['price_per_invocation'],
  hints: { version: 'Other schemas need a new version; what was invoked keeps its own.', tags: 'Ten at most.' },
};

/** A list that nothing is typed into is meant empty: the form shows what there is. */
const changesOf = (form: Form): JsonObject => ({ tags: [], ...valueOf(updateForm, form, updateOptions) });

function reviewOf({ review, status, pending_change: change }: Skill): Html {
  const reviewed = facts([
    ['Review', review.status === 'exempt' ? 'none is needed' : review.status.replaceAll('_', ' ')],
    ['Reviewed', review.reviewed_at === null ? null : momentOr(review.reviewed_at)],
  ]);
  return html`${reviewed}${review.rejection_reason === null ? nothing : html`<p class="notice error">${review.rejection_reason}</p>\n`}${status === 'pending_review' ? html`<p class="muted">It is public once the platform has approved it. Try it meanwhile.</p>\n` : nothing}${
    change === null || change === undefined
      ? nothing
      : html`<div class="notice warning"><p>A change waits for the platform since ${moment(change.proposed_at)}. What was approved can be invoked meanwhile.</p>
<pre class="wrapped" tabindex="0"><code>${readable(change.fields)}</code></pre></div>
`
  }`;
}

const codeOf = ({
  execution_steps: steps,
  execution_script: script,
  execution_runtime: runtime,
  dependencies,
  llm_enabled: llm,
  llm_provider: provider,
  llm_model: model,
  llm_config: config,
}: Skill): Html => {
  const set = Object.entries({ steps, script, runtime, dependencies, llm, provider, model, config }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  if (set.length === 0) return nothing;
  return html`<details><summary>Its code, which never changes</summary>
${set.map(([title, value]) => html`<h3>${title}</h3>\n<pre class="wrapped" tabindex="0"><code>${typeof value === 'string' ? value : readable(value)}</code></pre>\n`)}</details>
`;
};

/** The forms that its owner has for it as it stands. */
function statusForms(person: PersonsVisit, skill: Skill): Html {
  const { status } = skill;
  const isLocked = isAnsweredBySeller(skill) && !decides(person);
  const mayActivate = status === 'suspended' || status === 'unlisted';
  return html`<div class="toolbar">${mayActivate && !isLocked ? actForm({ act: 'activate', label: 'Bring it back', tone: 'primary' }) : nothing}${status === 'active' ? actForm({ act: 'unlist', label: 'Take it out of the market' }) : nothing}</div>
${mayActivate && isLocked ? html`<p class="muted">An owner or administrator brings it back: it is answered by a key of your operator.</p>\n` : nothing}`;
}

const suspendForm = (): Html =>
  actForm({
    act: 'suspend',
    label: 'Take it offline',
    tone: 'danger',
    fields: sure('Nobody can invoke it then, those neither who rely on it.'),
  });

function changeForm(skill: Skill, entered?: Entered): Html {
  const { pending_change: waiting } = skill;
  return actForm({
    act: 'update',
    label: 'Change it',
    tone: 'primary',
    fields: fieldsOf(updateForm, updateOptions, {
      // A change that waits is shown as it was asked for: sending what was approved would withdraw it.
      values: { ...skill, ...waiting?.fields } as JsonObject,
      entered: enteredIn('update', entered),
    }),
  });
}

const usedOf = ({ seller_credential_use: used }: Skill): Html =>
  used === undefined
    ? nothing
    : html`<p class="muted">Of your key for its models: ${used.calls} calls this month, ${dollars(Math.ceil(used.cost_microcents / 1_000_000))}; it begins again ${moment(used.resets_at)}.</p>\n`;

/** A skill for its owner; of everybody else’s it is the offer. */
export const skillPage = consolePage({
  operation: 'skillPage',
  path: `${SKILLS_PATH}/:id`,
  async show(person, entered) {
    const { visit, caller } = person;
    const { body: skill } = await visit.call(read, { params: { id: visit.id } });
    if (skill.operator_id !== caller.operatorId) return redirect(offerPath(skill.id));
    const listed = await versionsOf(person, skill.id);
    if (listed.csv !== undefined) return listed.csv;
    return {
      title: skill.name,
      live: { ids: [skill.id] },
      body: html`<div class="heading"><h1>${skill.name}</h1><a class="button" href="${offerPath(skill.id)}">As others see it</a></div>
${live(
  'state',
  html`<p>${stateOf(skill)}</p>
<p class="lead">${skill.description}</p>
${tagsOf(skill)}${reviewOf(skill)}${usedOf(skill)}`,
)}${statusForms(person, skill)}<div class="columns">
<section class="card"><h2>The offer</h2>
${offerFacts(skill, person)}${codeOf(skill)}</section>
<section class="card"><h2>Try it</h2>
<p class="muted">${skill.execution_mode === 'open' ? html`You invoke it as others do, but pay nothing. The run then waits until you <a href="${HOME}/invocations?side=waiting">claim it</a>.` : 'Also before its review. Its owner sees what a failed step printed.'}</p>
${runForm(person, runOf(skill, { isOwn: true }))}</section></div>
${folded('Change it', changeForm(skill, entered), { open: entered?.act === 'update' })}${skill.status === 'suspended' ? nothing : folded('Take it offline', suspendForm(), { open: entered?.act === 'suspend' })}${folded(
        'Input and output',
        html`<h2>Input</h2>
${schemaTable('Input', skill.input_schema)}<h2>Output</h2>
${schemaTable('Output', skill.output_schema)}`,
      )}${folded('Versions', listed.html, { open: oneOf(visit.query, 'cursor') !== '' })}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/skills/${skill.id}` })}`,
    };
  },
  acts: {
    update: callAct('It is changed.', update, {
      input: (form, person) => ({ ...ofPage(form, person), body: changesOf(form) }),
    }),
    activate: callAct('It is on its way back.', activate, { input: ofPage }),
    unlist: callAct('It is out of the market; who knows its id can still invoke it.', unlist, { input: ofPage }),
    suspend: callAct('Nobody can invoke it any more.', suspend, { sure: true, input: ofPage }),
  },
  done: { publish: 'It is published. Its state says whether others find it in the market by now.' },
  formBytes: PUBLISH_BODY_BYTES,
});
