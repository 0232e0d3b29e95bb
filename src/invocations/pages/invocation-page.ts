import type { z } from 'zod';
import { operatorNames } from '../../accounts/operators/pages/operator-names.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { duration, timeline, type Milestone } from '../../console/charts.ts';
import { fieldsOf, schemaOf, valueOf } from '../../console/form.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, enteredIn, live, ofPage, type Entered } from '../../console/page.ts';
import { badge, empty, facts, folded, momentOr, sure, table } from '../../console/parts.ts';
import { HOME, idLink, named } from '../../console/places.ts';
import { readable } from '../../console/readable.ts';
import { schemaForm, schemaValue } from '../../console/schema-form.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import type { Config } from '../../context/config.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { dollars } from '../../fields/dollars.ts';
import { lifeId } from '../../ids/life-ids.ts';
import type { JsonObject } from '../../json/value.ts';
import { findOutputContract, findSkillNames } from '../../skills/index.ts';
import { cancel, claim, complete, fail, get, heartbeat } from '../routes.ts';
import { FailBodySchema } from '../schema.ts';

type Shown = z.output<typeof get.reply>;

const nothing = html``;

const milestones = ({
  status,
  created_at: created,
  claimed_at: claimed,
  completed_at: ended,
  expires_at: until,
  attempt,
  execution_mode: mode,
}: Shown): Milestone[] => [
  { what: 'Ordered, and its price held', at: created },
  {
    what:
      mode !== 'open'
        ? 'Begun by the service'
        : attempt > 1
          ? `Claimed, for attempt ${attempt}`
          : 'Claimed by its provider',
    at: claimed,
  },
  ended === null
    ? { what: 'Ends', at: null, detail: html`<span class="muted small">at the latest ${moment(until)}</span>` }
    : { what: 'Ended', at: ended, state: status },
];

/** @param isWithheld it is between the consumer and the service, which executes the skill */
const payload = (
  title: string,
  value: Shown['input'],
  { purged, isWithheld, isOver }: { purged: string | null; isWithheld: boolean; isOver: boolean },
): Html =>
  html`<section class="card"><h2>${title}</h2>
${value === null ? html`<p class="muted">${purged === null ? (isWithheld ? 'It is between its consumer and the service.' : isOver ? 'There is none.' : 'There is none yet.') : html`It was purged ${moment(purged)}; its hash stays.`}</p>` : html`<pre class="wrapped" tabindex="0"><code>${readable(value)}</code></pre>`}</section>
`;

/** Each step where it stands in the time of all, one after the other. */
function drawn(all: NonNullable<Shown['steps']>, index: number): Html {
  const took = all.map(({ duration_ms: ms }) => ms ?? 0);
  const sum = (some: readonly number[]): number => some.reduce((total, ms) => total + ms, 0);
  const whole = Math.max(sum(took), 1);
  const before = sum(took.slice(0, index));
  return html`<svg class="took" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" x="${((before / whole) * 100).toFixed(1)}" y="0" width="${Math.max(0.5, ((took[index] ?? 0) / whole) * 100).toFixed(1)}" height="4"/></svg>`;
}

const executed = (all: Shown['steps']): Html =>
  all === null
    ? nothing
    : html`<h2>Steps</h2>
${
  all.length === 0
    ? empty('None has begun.')
    : table(
        'Steps',
        [
          { title: 'Step', cell: ({ index, kind, label }) => html`${index + 1}. ${label ?? kind}` },
          { title: 'State', cell: ({ status }) => badge(status) },
          {
            title: 'Took',
            cell: ({ duration_ms: ms }) => (ms === null ? '' : html`${duration(ms)}`),
          },
          { title: 'In time', cell: (step) => drawn(all, all.indexOf(step)) },
          { title: 'Tokens', amount: true, cell: ({ tokens }) => tokens ?? '' },
          { title: 'Microcents', amount: true, cell: ({ charged_microcents: cost }) => cost },
          {
            title: 'Error',
            cell: ({ error, console }) =>
              html`${error === null ? nothing : html`<code>${error.code}</code> ${error.message}`}${console === null ? nothing : html`<pre class="wrapped" tabindex="0"><code>${console}</code></pre>`}`,
          },
        ],
        all,
      )
}`;

/** How long a claim holds, and how it is kept. */
const leaseOf = ({ status, execution_mode: mode, lease_seconds: seconds, lease_until: until }: Shown): Html | null => {
  if (status !== 'processing' || mode !== 'open') return null;
  if (seconds === null) return html`it has none: the claim holds until the invocation expires`;
  return html`${duration(seconds * 1_000)}, until ${momentOr(until)}; a heartbeat begins it again`;
};

/** The run in the Temporal UI, by its workflow id; not every invocation has one (docs/signals.md). */
function runLink({ temporalUiUrl: ui, temporal: { namespace } }: Config, id: string): Html | null {
  if (ui === undefined) return null;
  const life = lifeId.invocation(id);
  const address = `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(life)}`;
  return html`<a href="${address}"><code>${life}</code></a>`;
}

const rateForm: JsonObject = {
  properties: { rating: { title: 'Your rating of the skill', enum: [5, 4, 3, 2, 1] } },
  required: ['rating'],
};

/** The consumer of a completed invocation rates the skill; the page of the offer does that. */
const rating = (
  { caller }: PersonsVisit,
  { skill_id: skill, id, status, consumer_operator_id: consumer, provider_operator_id: provider }: Shown,
): Html =>
  consumer !== caller.operatorId || consumer === provider || status !== 'completed'
    ? nothing
    : html`<section class="card"><h2>How was it?</h2>
${actForm({ act: 'rate', action: `${HOME}/market/${skill}`, hidden: { invocation_id: id }, fields: fieldsOf(rateForm), label: 'Rate it' })}</section>
`;

/** Whether the caller works on it: then a person may be typing what they deliver. */
const isWorking = (
  { caller }: PersonsVisit,
  { status, provider_operator_id: provider, execution_mode: mode }: Shown,
): boolean => provider === caller.operatorId && mode === 'open' && status === 'processing';

/** Buttons for its provider, or its consumer, as it stands now. */
function buttons({ caller }: PersonsVisit, shown: Shown): Html {
  const { status, provider_operator_id: provider, consumer_operator_id: consumer, execution_mode: mode } = shown;
  const isPending = status === 'pending';
  const mayClaim = isPending && provider === caller.operatorId && mode === 'open';
  const mayWithdraw = isPending && consumer === caller.operatorId;
  return mayClaim || mayWithdraw
    ? html`<div class="toolbar">${mayClaim ? actForm({ act: 'claim', label: 'Claim it', tone: 'primary' }) : nothing}${mayWithdraw ? actForm({ act: 'cancel', label: 'Withdraw it', tone: 'danger', fields: sure('Its provider can claim it no more.') }) : nothing}</div>\n`
    : nothing;
}

/** The output schema that what is delivered must match, which is that of the revision that was ordered. */
async function outputOf({ visit }: PersonsVisit, { skill_id: skillId, skill_revision: revision }: Shown) {
  const contract = await findOutputContract(visit.context.pool, { skillId, revision });
  assertThat(contract !== null, () => notFound('skill'));
  return { root: 'output', schema: JSON.parse(contract.schema) as JsonObject } as const;
}

/** The forms of who works on it, with the input beside them. */
async function work(
  person: PersonsVisit,
  shown: Shown,
  { input, entered }: { input: Html; entered?: Entered | undefined },
) {
  const path = `${HOME}/invocations/${shown.id}`;
  const output = schemaForm(person, {
    ...(await outputOf(person, shown)),
    path,
    entered: enteredIn('complete', entered),
  });
  return html`${shown.lease_seconds === null ? nothing : html`<div class="toolbar">${actForm({ act: 'heartbeat', label: 'Keep the claim' })}</div>\n`}<div class="columns">${input}<section class="card"><h2>Deliver</h2>
${actForm({ ...output, act: 'complete', label: 'Complete it', tone: 'primary' })}</section></div>
${folded(
  'Give it up',
  actForm({
    act: 'fail',
    label: 'Fail it',
    tone: 'danger',
    fields: html`${fieldsOf(failForm, failOptions, { entered: enteredIn('fail', entered) })}${sure('Its consumer gets no output, and you no price.')}`,
  }),
  { open: entered?.act === 'fail' },
)}`;
}

const failForm = schemaOf(FailBodySchema);
const failOptions = { only: ['error'] };

/** One invocation: how far it is, what it was given and has given, and what may be done with it. */
export const invocationPage = consolePage({
  operation: 'invocationPage',
  path: `${HOME}/invocations/:id`,
  async show(person, entered) {
    const { visit } = person;
    const { body: shown } = await visit.call(get, { params: { id: visit.id } });
    const { id, error, price_cents: price, compute_cents: compute, skill_id: skill } = shown;
    const { consumer_operator_id: consumer, provider_operator_id: provider } = shown;
    const operators = await operatorNames(person, [consumer, provider]);
    const contents = {
      purged: shown.contents_purged_at,
      isOver: shown.completed_at !== null,
      isWithheld: shown.execution_mode !== 'open' && consumer !== person.caller.operatorId,
    };
    const input = payload('Input', shown.input, contents);
    const names = await findSkillNames(visit.context.pool, [skill]);
    return {
      title: 'Invocation',
      live: { ids: [id] },
      body: html`<h1>Invocation</h1>
${live(
  'state',
  html`<p class="lead"><code>${id}</code> ${badge(shown.status)}</p>
${error === null ? nothing : html`<p class="notice error"><code>${error.code}</code> ${error.message}</p>\n`}<div class="columns"><section class="card">${timeline('How far it is', milestones(shown))}</section>
<section class="card">${facts([
    ['Skill', html`${named(names.get(skill) ?? skill, skill)} ${shown.skill_version}`],
    ['Price', dollars(price)],
    ['Computing', compute === 0 ? null : dollars(compute)],
    ['Executed', shown.execution_mode === 'open' ? 'by its provider' : `by the service (${shown.execution_mode})`],
    ['Consumer', operators.whole(consumer)],
    ['Provider', operators.whole(provider)],
    ['Agent', shown.agent_id === null ? null : idLink(shown.agent_id)],
    ['Passport', shown.passport_id === null ? null : idLink(shown.passport_id)],
    ['Mission', shown.mission_id === null ? null : idLink(shown.mission_id)],
    ['Lease', leaseOf(shown)],
    ['Attempt', shown.attempt > 1 ? shown.attempt : null],
    ['Run in Temporal', runLink(visit.context.config, id)],
    [
      'Evidence',
      shown.claim_ids.length === 0 ? null : html`${shown.claim_ids.map((claimId) => html`${idLink(claimId)}<br>`)}`,
    ],
  ])}</section></div>
${executed(shown.steps)}`,
)}${
        isWorking(person, shown)
          ? await work(person, shown, { input, entered })
          : html`${live('acts', buttons(person, shown))}${live('contents', html`<div class="columns">${input}${payload('Output', shown.output, contents)}</div>\n`)}${live('rating', rating(person, shown))}`
      }
${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/skills/invocations/${id}` })}`,
    };
  },
  acts: {
    claim: callAct('It is claimed: work on it, then deliver it here.', claim, { input: ofPage }),
    complete: callAct('It is completed, and its price is among your earnings.', complete, {
      async input(form, person) {
        const { body: shown } = await person.visit.call(get, ofPage(form, person));
        return { ...ofPage(form, person), body: { output: schemaValue(form, await outputOf(person, shown)) } };
      },
    }),
    fail: callAct('It is given up; its price is given back.', fail, {
      sure: true,
      input: (form, person) => ({ ...ofPage(form, person), body: valueOf(failForm, form, failOptions) }),
    }),
    heartbeat: callAct('The claim holds on.', heartbeat, { input: ofPage }),
    cancel: callAct('It is withdrawn; its price is given back.', cancel, { sure: true, input: ofPage }),
  },
  done: { run: 'It is ordered. This page shows by itself how far it is.' },
  formBytes: 1_048_576,
});
