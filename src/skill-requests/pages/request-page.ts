import { operatorNames } from '../../accounts/operators/pages/operator-names.ts';
import { fieldsOf, schemaOf, valueOf, type FormOptions } from '../../console/form.ts';
import { schemaTable } from '../../console/json-schema.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, live, ofPage, type Entered } from '../../console/page.ts';
import { badge, empty, facts } from '../../console/parts.ts';
import { HOME, named } from '../../console/places.ts';
import { dollars } from '../../fields/dollars.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { JsonObject } from '../../json/value.ts';
import { matches, read, suggest, update } from '../routes.ts';
import { UpdateSkillRequestSchema, type Matches, type SkillRequest, type Suggestions } from '../schema.ts';
import { REQUESTS_PATH } from './board-page.ts';

const nothing = html``;

const updateForm = schemaOf(UpdateSkillRequestSchema);
const updateOptions: FormOptions = { labels: { status: 'State', description: 'What you need' } };

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const matchesOf = (all: Matches['matches']): Html =>
  all.length === 0
    ? empty('No skill on offer fits. It is compared anew each time you open the page.')
    : html`<ul class="cards offers">
${all.map(
  ({
    skill,
    score,
    reasons,
  }) => html`<li class="card linked offer"><h3><a href="${HOME}/market/${skill.id}">${skill.name}</a></h3>
<p>${skill.description}</p>
<p class="offer-price"><strong>${dollars(skill.price_per_invocation)}</strong> <span class="badge good">${percent(score)}</span></p>
<ul class="small">${reasons.map((reason) => html`<li>${reason}</li>\n`)}</ul></li>
`,
)}</ul>
`;

const suggestionsOf = (all: Suggestions['suggestions']): Html =>
  all.length === 0
    ? empty('No chain of skills gives what it needs.')
    : html`<ol>
${all.map(
  ({ steps, total_price_cents: price, coverage }) =>
    html`<li>${steps.map(({ skill }, at) => html`${at === 0 ? '' : ' → '}${named(skill.name, skill.id)}`)} <span class="muted">${dollars(price)} together, gives ${percent(coverage)} of what is wanted</span></li>\n`,
)}</ol>
`;

const schemaOfRequest = (title: string, schema: JsonObject | null): Html =>
  schema === null ? nothing : html`<h2>${title}</h2>\n${schemaTable(title, schema)}`;

function ownForms(request: SkillRequest, entered: Entered | undefined): Html {
  return html`<div class="toolbar">${request.status === 'open' ? html`${actForm({ act: 'fulfil', label: 'It is fulfilled', tone: 'primary' })}${actForm({ act: 'close', label: 'Close it', tone: 'danger' })}` : actForm({ act: 'open', label: 'Open it again' })}</div>
<section class="card"><h2>Change it</h2>
${actForm({
  act: 'update',
  label: 'Change it',
  fields: fieldsOf(updateForm, updateOptions, {
    values: { status: request.status, description: request.description },
    entered: enteredIn('update', entered),
  }),
})}</section>
`;
}

const toStatus = (done: string, status: SkillRequest['status']) =>
  callAct(done, update, { input: (form, person) => ({ ...ofPage(form, person), body: { status } }) });

/** A request: what is looked for, and the skills that fit. */
export const requestPage = consolePage({
  operation: 'requestPage',
  path: `${REQUESTS_PATH}/:id`,
  async show(person, entered) {
    const { visit, caller } = person;
    const params = { id: visit.id };
    const { body: request } = await visit.call(read, { params });
    const { body: found } = await visit.call(matches, { params });
    const { body: chains } = await visit.call(suggest, { params });
    const operators = await operatorNames(person, [request.operator_id]);
    const isOwn = request.operator_id === caller.operatorId;
    return {
      title: 'Request',
      live: { ids: [request.id] },
      body: html`<h1>Request</h1>
${live(
  'request',
  html`<p class="lead">${request.description}</p>
<p>${badge(request.status)} ${request.tags.map((tag) => html`<span class="badge">${tag}</span> `)}</p>
<section class="card">${facts([
    ['Id', html`<code>${request.id}</code>`],
    ['By', operators.whole(request.operator_id)],
    ['At most', request.max_price_cents === null ? 'any price' : html`${dollars(request.max_price_cents)} a run`],
    ['Posted', moment(request.created_at)],
    ['Changed', request.updated_at === request.created_at ? null : moment(request.updated_at)],
  ])}</section>
`,
)}${isOwn ? ownForms(request, entered) : nothing}<h2>Skills that fit</h2>
${matchesOf(found.matches)}<h2>Skills that fit together</h2>
${suggestionsOf(chains.suggestions)}${schemaOfRequest('Wanted input', request.desired_input_schema)}${schemaOfRequest('Wanted output', request.desired_output_schema)}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/skill-requests/${request.id}/matches` })}`,
    };
  },
  acts: {
    update: callAct('It is changed.', update, {
      input: (form, person) => ({ ...ofPage(form, person), body: valueOf(updateForm, form, updateOptions) }),
    }),
    fulfil: toStatus('It is marked as fulfilled.', 'fulfilled'),
    close: toStatus('It is closed.', 'closed'),
    open: toStatus('It is open again.', 'open'),
  },
  done: { post: 'It is posted.' },
});
