import { schemaTable } from '../../console/json-schema.ts';
import { meter } from '../../console/charts.ts';
import { asCurl } from '../../console/list.ts';
import { fieldsOf, valueOf } from '../../console/form.ts';
import { actForm, callAct, consolePage, enteredIn, live, ofPage, type Entered } from '../../console/page.ts';
import { facts } from '../../console/parts.ts';
import { oneOf, type PersonsVisit } from '../../console/visits.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { JsonObject } from '../../json/value.ts';
import { favorites } from '../list-routes.ts';
import { favor, rate, ratings, read, similar, unfavor } from '../routes.ts';
import type { Skill } from '../schema.ts';
import {
  MARKET_PATH,
  offerFacts,
  offerPath,
  priceOf,
  runOf,
  SKILLS_PATH,
  stateOf,
  tagsOf,
  versionsOf,
} from './parts.ts';
import { runForm } from './run-form.ts';

const nothing = html``;

const rateForm: JsonObject = {
  type: 'object',
  properties: { rating: { title: 'Your rating', description: 'Rating again changes it.', enum: [5, 4, 3, 2, 1] } },
  required: ['rating'],
};

async function favoriteForm({ visit }: PersonsVisit): Promise<Html> {
  const { body } = await visit.call(favorites, { query: { skill_id: visit.id } });
  return body.skills.length === 0
    ? actForm({ act: 'favor', label: 'Add to favourites' })
    : actForm({ act: 'unfavor', label: 'Remove from favourites' });
}

async function ratingsOf({ visit }: PersonsVisit): Promise<Html> {
  const { body } = await visit.call(ratings, { params: { id: visit.id } });
  if (body.rating_count === 0) return html`<p class="muted">Nobody has rated it yet.</p>\n`;
  const headline =
    body.verified_count === 0
      ? html`Nobody who rated it has completed a run.`
      : html`<strong>★ ${body.average_rating ?? ''}</strong> of 5.`;
  return html`<p>${headline} Rated by ${body.rating_count}; of them ${body.verified_count} completed a run.</p>
<ul class="meters">${['5', '4', '3', '2', '1'].map((stars) => meter(`${stars} ★`, body.distribution[stars] ?? 0, body.rating_count))}</ul>
`;
}

async function similarTo({ visit }: PersonsVisit): Promise<Html> {
  const { body } = await visit.call(similar, { params: { id: visit.id } });
  if (body.skills.length === 0) return nothing;
  return html`<h2>Similar skills</h2>
<ul>${body.skills.map(({ skill }) => html`<li><a href="${offerPath(skill.id)}">${skill.name}</a>, ${priceOf(skill)}</li>\n`)}</ul>
`;
}

const sourceOf = (skill: Skill): Html => {
  const { execution_steps: steps, execution_script: script, execution_runtime: runtime, llm_model: model } = skill;
  if (skill.execution_mode !== 'source') return nothing;
  const shown = (title: string, text: string): Html =>
    html`<h3>${title}</h3>\n<pre class="wrapped" tabindex="0"><code>${text}</code></pre>\n`;
  return html`<section class="card"><h2>Source</h2>
${(steps ?? []).map((step, at) =>
  step.type === 'script'
    ? shown(`${at + 1}. ${step.label} (${step.runtime})`, step.script)
    : shown(`${at + 1}. ${step.label} (${step.llm_provider}/${step.llm_model})`, step.llm_config?.system_prompt ?? ''),
)}${script ? shown(runtime ?? 'javascript', script) : nothing}${model ? facts([['Model', `${skill.llm_provider ?? ''}/${model}`]]) : nothing}</section>
`;
};

function rating(isOwn: boolean, entered?: Entered): Html {
  if (isOwn) return html`<p class="muted">Nobody rates a skill of their own.</p>`;
  return actForm({
    act: 'rate',
    label: 'Rate it',
    fields: fieldsOf(rateForm, {}, { entered: enteredIn('rate', entered) }),
  });
}

/** The offer of a skill: all that somebody needs to know before they run it, and a run. */
export const offerPage = consolePage({
  operation: 'offerPage',
  path: `${MARKET_PATH}/:id`,
  async show(person, entered) {
    const { visit, caller } = person;
    const { body: skill } = await visit.call(read, { params: { id: visit.id } });
    const listed = await versionsOf(person, visit.id);
    if (listed.csv !== undefined) return listed.csv;
    const isOwn = skill.operator_id === caller.operatorId;
    const isOffered = skill.status === 'active' || skill.status === 'unlisted';
    const { publicBaseUrl } = visit.context.config;
    return {
      title: skill.name,
      live: { ids: [skill.id] },
      body: html`<div class="heading"><h1>${skill.name}</h1><div class="toolbar">${await favoriteForm(person)}</div></div>
${live(
  'offer',
  html`<p class="lead">${skill.description}</p>
${skill.status === 'active' ? nothing : html`<p>${stateOf(skill)}</p>\n`}${tagsOf(skill)}`,
)}${isOwn ? html`<p class="notice">It is yours: a run of it is free. <a href="${SKILLS_PATH}/${skill.id}">Change it</a></p>\n` : nothing}<div class="columns">
<section class="card"><h2>About it</h2>
${offerFacts(skill, person)}</section>
<section class="card"><h2>Try it</h2>
${
  !isOffered ? html`<p class="muted">It is not on offer at present.</p>` : runForm(person, runOf(skill, { isOwn }))
}</section></div>
<h2>Input</h2>
${schemaTable('Input', skill.input_schema)}<h2>Output</h2>
${schemaTable('Output', skill.output_schema)}${sourceOf(skill)}<h2>Ratings</h2>
<section class="card">${await ratingsOf(person)}${rating(isOwn, entered)}</section>
<h2>Versions</h2>
${listed.html}${await similarTo(person)}${asCurl({ method: 'POST', address: `${publicBaseUrl}/v1/skills/${skill.id}/invoke`, body: { input: {}, max_price_cents: skill.price_per_invocation } })}`,
    };
  },
  acts: {
    favor: callAct('It is among your favourites.', favor, { input: ofPage }),
    unfavor: callAct('It is no favourite any more.', unfavor, { input: ofPage }),
    rate: callAct('Your rating is counted.', rate, {
      input: (form, person) => {
        const invocation = oneOf(form, 'invocation_id');
        const body = { ...valueOf(rateForm, form), ...(invocation !== '' && { invocation_id: invocation }) };
        return { ...ofPage(form, person), body };
      },
    }),
  },
});
