import type { z } from 'zod';
import { operatorNames } from '../../../accounts/operators/pages/operator-names.ts';
import { listShown } from '../../../console/list-page.ts';
import { actForm, callAct, consolePage, ofPage, type Entered, type Form } from '../../../console/page.ts';
import { badge, facts, sure, table, type Column } from '../../../console/parts.ts';
import { HOME } from '../../../console/places.ts';
import { readable } from '../../../console/readable.ts';
import { assertPlatform, oneOf, type PersonsVisit } from '../../../console/visits.ts';
import { dollars } from '../../../fields/dollars.ts';
import { html, type Html } from '../../../http/pages/html.ts';
import { moment } from '../../../http/pages/moment.ts';
import type { PathOfPeoplePage } from '../../../http/pages/people-pages.ts';
import { read } from '../../routes.ts';
import type { Skill } from '../../schema.ts';
import { approve, pendingReviews, reject, takeDown } from '../review-routes.ts';

const REVIEWS_PATH = `${HOME}/skill-reviews`;

/** A skill that waits, and whose it is. */
type Waiting = z.output<typeof pendingReviews.reply>['skills'][number] & { owner: Html };

const columns: readonly Column<Waiting>[] = [
  {
    title: 'Skill',
    cell: ({ id, name }) => html`<a href="${REVIEWS_PATH}/${id}">${name}</a>`,
    text: ({ name }) => name,
  },
  {
    title: 'Waits',
    cell: ({ pending_change: change }) =>
      change === null ? 'itself' : `a change of ${Object.keys(change.fields).join(', ')}`,
    text: ({ pending_change: change }) => (change === null ? 'itself' : 'a change'),
  },
  {
    title: 'Since',
    cell: ({ pending_change: change, updated_at: at }) => moment(change?.proposed_at ?? at),
    text: ({ pending_change: change, updated_at: at }) => change?.proposed_at ?? at,
  },
  { title: 'Executed', cell: ({ execution_mode: mode }) => mode, text: ({ execution_mode: mode }) => mode },
  { title: 'Operator', cell: ({ owner }) => owner, text: ({ operator_id: id }) => id },
  { title: 'Id', cell: ({ id }) => html`<code>${id}</code>`, text: ({ id }) => id },
];

async function rowsOf(person: PersonsVisit, { skills }: z.output<typeof pendingReviews.reply>): Promise<Waiting[]> {
  const ids = skills.map(({ operator_id: id }) => id);
  const operators = await operatorNames(person, ids);
  return skills.map((skill) => ({ ...skill, owner: operators.short(skill.operator_id) }));
}

const reviewsPage = consolePage({
  operation: 'skillReviewsPage',
  path: REVIEWS_PATH,
  show: (person) =>
    listShown(person, pendingReviews, {
      title: 'Skill reviews',
      lead: html`Skills whose code the service executes are public once you have approved them. To take one down, <a href="${HOME}/overseen">look it up</a> by its id.`,
      id: 'skill-reviews',
      // The route answers up to a thousand; a page shows fifty.
      input: { query: { limit: '50' } },
      rows: (reply: z.output<typeof pendingReviews.reply>) => rowsOf(person, reply),
      columns,
      nothing: 'No skill waits for review.',
      changes: ({ id }) => id,
      looks: true,
    }),
  done: { approve: 'It is approved.', reject: 'It is rejected; its owner reads why.' },
});

const code = (title: string, text: string): Html =>
  html`<section class="card"><h2>${title}</h2><pre class="wrapped" tabindex="0"><code>${text}</code></pre></section>
`;

/** Everything of a skill that is executed or told to a model, each step as its own text. */
function codeOf(skill: Skill): Html {
  const steps = (skill.execution_steps ?? []).map((step, index) =>
    step.type === 'script'
      ? code(`Step ${index + 1}: ${step.label} (${step.runtime})`, step.script)
      : code(
          `Step ${index + 1}: ${step.label} (${step.llm_provider} ${step.llm_model})`,
          step.llm_config?.system_prompt ?? '',
        ),
  );
  const { execution_script: script, execution_runtime: runtime, dependencies, llm_config: llm } = skill;
  const model = [skill.llm_provider, skill.llm_model].filter((part) => typeof part === 'string').join(' ');
  return html`${steps}${typeof script === 'string' ? code(`Script (${runtime ?? 'no runtime'})`, script) : html``}${
    typeof dependencies === 'string' && dependencies !== '' ? code('Dependencies', dependencies) : html``
  }${llm === null || llm === undefined ? html`` : code(`Model ${model}`, readable(llm))}`;
}

const reasonField = (entered: Entered | undefined, act: string): Html =>
  html`<label>Why<textarea name="reason" rows="3" maxlength="2000" required>\n${entered?.act === act ? oneOf(entered.form, 'reason') : ''}</textarea><span class="hint">Its owner reads it.</span></label>
`;

/** The forms name the revision, or the change, that the person has read. */
function decision(skill: Skill, entered?: Entered): Html {
  const change = skill.pending_change ?? null;
  if (skill.status !== 'pending_review' && change === null) return html``;
  const hidden = change === null ? { revision: String(skill.revision) } : { change_id: change.id };
  return html`<div class="columns"><section class="card"><h2>Approve</h2>
${actForm({ act: 'approve', label: change === null ? 'Approve the skill' : 'Approve the change', tone: 'primary', hidden })}</section>
<section class="card"><h2>Reject</h2>
${actForm({ act: 'reject', label: change === null ? 'Reject the skill' : 'Reject the change', tone: 'danger', hidden, fields: reasonField(entered, 'reject') })}</section></div>
`;
}

function changeOf({ pending_change: change, ...skill }: Skill): Html {
  if (change === null || change === undefined) return html``;
  const before = skill as Record<string, unknown>;
  return html`<section class="card"><h2>The change</h2>
<p>Proposed ${moment(change.proposed_at)}. The skill below is what was approved.</p>
${table(
  'The change',
  [
    { title: 'Field', cell: ([name]: readonly [string, unknown]) => name },
    { title: 'Before', cell: ([name]) => html`<pre class="wrapped"><code>${readable(before[name])}</code></pre>` },
    { title: 'After', cell: ([, value]) => html`<pre class="wrapped"><code>${readable(value)}</code></pre>` },
  ],
  Object.entries(change.fields),
)}</section>
`;
}

const decided = (form: Form): Record<string, string> =>
  oneOf(form, 'change_id') === '' ? {} : { change_id: oneOf(form, 'change_id') };

const skillReviewPage = consolePage({
  operation: 'skillReviewPage',
  path: `${REVIEWS_PATH}/:id`,
  async show(person, entered) {
    assertPlatform(person);
    const { visit } = person;
    const { body: skill } = await visit.call(read, { params: { id: visit.id } });
    const { review } = skill;
    const operators = await operatorNames(person, [skill.operator_id]);
    return {
      title: 'Skill review',
      live: { ids: [skill.id] },
      body: html`<h1>${skill.name}</h1>
<p class="lead"><code>${skill.id}</code> ${badge(skill.status)}</p>
<section class="card"><p>${skill.description}</p>
${facts([
  ['Operator', operators.whole(skill.operator_id)],
  ['Version', `${skill.version}, revision ${skill.revision}`],
  ['Executed', skill.execution_mode],
  ['Price', dollars(skill.price_per_invocation)],
  ['Review', review.status],
  ['Rejected because', review.rejection_reason],
  ['Asks for keys of', skill.required_credentials.length === 0 ? null : JSON.stringify(skill.required_credentials)],
])}</section>
${changeOf(skill)}${codeOf(skill)}<div class="columns">${code('Input schema', readable(skill.input_schema))}${code('Output schema', readable(skill.output_schema))}</div>
${decision(skill, entered)}${
        review.status === 'taken_down'
          ? html``
          : html`<section class="card"><h2>Take it down</h2>
<p>Nobody but its owner and the platform sees it from then on. Its owner brings it back by a review alone.</p>
${actForm({ act: 'takeDown', label: 'Take the skill down', tone: 'danger', fields: html`${reasonField(entered, 'takeDown')}${sure('Take it off the market')}` })}</section>
`
      }`,
    };
  },
  acts: {
    approve: callAct('', approve, {
      input: (form, person) => ({
        ...ofPage(form, person),
        body: {
          ...decided(form),
          ...(oneOf(form, 'revision') !== '' && { revision: Number(oneOf(form, 'revision')) }),
        },
      }),
      then: () => REVIEWS_PATH,
    }),
    reject: callAct('', reject, {
      input: (form, person) => ({ ...ofPage(form, person), body: { ...decided(form), reason: oneOf(form, 'reason') } }),
      then: () => REVIEWS_PATH,
    }),
    takeDown: callAct('It is taken down.', takeDown, {
      sure: true,
      input: (form, person) => ({ ...ofPage(form, person), body: { reason: oneOf(form, 'reason') } }),
    }),
  },
});

export const reviewPages: readonly PathOfPeoplePage[] = [reviewsPage, skillReviewPage];
