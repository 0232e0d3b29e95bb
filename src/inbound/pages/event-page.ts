import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { duration, timeline, type Milestone } from '../../console/charts.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, live, type Form } from '../../console/page.ts';
import { badge, facts, table } from '../../console/parts.ts';
import { idLink } from '../../console/places.ts';
import { decides, oneOf, type PersonsVisit } from '../../console/visits.ts';
import { findEndpointOfEvent } from '../events/queries.ts';
import { getContent, getEvent, postHarmless, postReplay } from '../events/routes.ts';
import type { InboundEvent, ReadContent } from '../events/schema.ts';
import { contentText } from './content.ts';
import { eventBadge, INBOUND_EVENTS_PATH, INBOUND_PATH, verdictBadge, wordsOf } from './parts.ts';

const nothing = html``;

/** Named by the address where a list of an endpoint leads here; looked up where an id alone does. */
async function endpointOf({ visit: { id, query, context }, caller }: PersonsVisit): Promise<string> {
  const named = oneOf(query, 'endpoint');
  const endpoint =
    named === '' ? await findEndpointOfEvent(context.pool, { operatorId: caller.operatorId, id }) : named;
  assertThat(endpoint, () => notFound('event'));
  return endpoint;
}

const milestones = ({ received_at: came, scanned_at: scanned, ended_at: ended, status }: InboundEvent): Milestone[] => [
  { what: 'Came', at: came },
  { what: 'Scanned', at: scanned },
  { what: 'Ended', at: ended, ...(ended !== null && { state: status === 'blocked' ? 'held' : status }) },
];

type Findings = NonNullable<InboundEvent['verdict']>['findings'];

/** The sender names the keys of JSON, and so places of findings: they are text as the content is. */
const findingsOf = ({ harmless, verdict }: InboundEvent, mark: (index: number) => Html): Html => {
  const findings: Findings = verdict?.findings ?? [];
  if (findings.length === 0) return nothing;
  return html`<h2>Findings</h2>
${table(
  'Findings',
  [
    { title: 'Finding', amount: true, cell: ([index]) => index },
    { title: 'Detector', cell: ([, { detector_key: key }]) => html`<code>${key}</code>` },
    {
      title: 'Severity',
      cell: ([, { severity }]) => badge(severity, severity === 'high' || severity === 'critical' ? 'error' : 'warning'),
    },
    {
      title: 'Where',
      cell: ([, { place, span }]) => html`<code>${place === '' ? 'body' : place}</code> ${span.start} to ${span.end}`,
    },
    { title: 'Why', cell: ([, { reason }]) => reason },
    { title: 'Marked', cell: ([index]) => (harmless.includes(index) ? badge('harmless', 'good') : mark(index)) },
  ],
  [...findings.entries()],
)}`;
};

const forwardsOf = ({ forwards }: InboundEvent): Html =>
  forwards.length === 0
    ? nothing
    : html`<h2>Forwards</h2>
${table(
  'Forwards',
  [
    { title: 'Forward', cell: ({ id }) => html`<code>${id}</code>` },
    { title: 'Attempt', amount: true, cell: ({ attempt }) => attempt },
    { title: 'State', cell: ({ status }) => badge(status) },
    {
      title: 'Answered',
      cell: ({ status_code: code, reason, error }) => [code, error ?? reason].filter((one) => one !== null).join(', '),
    },
    { title: 'Took', amount: true, cell: ({ latency_ms: ms }) => (ms === null ? '' : duration(ms)) },
  ],
  forwards,
)}`;

/** Whether there was anything to read. */
const isRead = (content: ReadContent | null): boolean => content !== null && content.body_sha256 !== null;

/** The content is a read of its own, with its trace: nobody reads by opening the page of an event. */
function contentOf(person: PersonsVisit, event: InboundEvent, content: ReadContent | null): Html {
  if (content !== null) return html`<section class="card"><h2>What came</h2>\n${contentText(content)}</section>\n`;
  if (!event.content_kept) return html`<p class="muted">The content is no longer kept.</p>\n`;
  if (!decides(person))
    return html`<p class="muted">Owners and administrators read what came, replay it and mark findings as harmless.</p>\n`;
  return html`<p class="actions"><a class="button" href="${INBOUND_EVENTS_PATH}/${event.id}?endpoint=${event.endpoint_id}&amp;content">Read what came</a></p>
<p class="hint">The look is in the audit trail.${event.status === 'blocked' ? ' What is held is replayed by who has read it.' : ''}</p>\n`;
}

const hasEnded = ({ ended_at: ended }: InboundEvent): boolean => ended !== null;

/** One event: what was found in it, its outcome, and what it says. */
export const inboundEventPage = consolePage({
  operation: 'inboundEventPage',
  path: `${INBOUND_EVENTS_PATH}/:id`,
  under: INBOUND_PATH,
  async show(person) {
    const { visit } = person;
    const params = { id: await endpointOf(person), eventId: visit.id };
    const { body: event } = await visit.call(getEvent, { params });
    const reads = visit.query['content'] !== undefined && decides(person);
    const content = reads ? (await visit.call(getContent, { params })).body : null;
    const hidden = { endpoint: event.endpoint_id };
    const mark = (index: number): Html =>
      isRead(content)
        ? actForm({ act: 'harmless', label: 'It is harmless', hidden: { ...hidden, finding: String(index) } })
        : html`no`;
    const mayReplay =
      decides(person) && hasEnded(event) && event.content_kept && (event.status !== 'blocked' || isRead(content));
    return {
      title: 'Inbound event',
      // A page that shows the content does not look again by itself: each look would be in the audit trail.
      ...(content === null && { live: { ids: [event.id] } }),
      body: html`<h1>Inbound event</h1>
${live(
  'state',
  html`<p class="lead"><code>${event.id}</code> ${eventBadge(event.status)} ${verdictBadge(event.verdict)}</p>
${event.reason === null && event.error === null ? nothing : html`<p class="notice ${event.status === 'recorded' || event.status === 'forwarded' ? 'info' : 'warning'}">${event.error ?? event.reason?.replaceAll('_', ' ') ?? ''}</p>\n`}<div class="columns"><section class="card">${timeline('How far it is', milestones(event))}</section>
<section class="card">${facts([
    ['Endpoint', idLink(event.endpoint_id)],
    ['Agent', idLink(event.agent_id)],
    ['Provider', wordsOf(event.provider).name],
    ['Attempt', event.attempt],
    ['Signed', html`<code>${event.scheme}</code>${event.body_authenticated ? '' : ', which does not cover the body'}`],
    ['Asked of a model', event.classification === 'none' ? null : event.classification],
    ['Bytes', event.size],
    ['SHA-256', html`<code>${event.body_sha256}</code>`],
    ['Evidence', event.claim_ids.length === 0 ? null : html`${event.claim_ids.map((id) => html`${idLink(id)}<br>`)}`],
  ])}</section></div>
${findingsOf(event, mark)}${forwardsOf(event)}`,
)}${contentOf(person, event, content)}${mayReplay ? html`<section class="card"><h2>Replay it</h2><p>It is scanned again, and forwarded where the policy of today lets it pass.</p>${actForm({ act: 'replay', label: 'Replay it', tone: 'primary', hidden })}</section>\n` : nothing}${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/operator/inbound-webhooks/${event.endpoint_id}/events/${event.id}` })}`,
    };
  },
  acts: {
    replay: callAct('Another attempt has begun.', postReplay, {
      input: (form, { visit: { id } }) => eventOf(form, id),
    }),
    harmless: callAct('The finding is marked as harmless. Its verdict stays.', postHarmless, {
      input: (form, { visit: { id } }) => ({ ...eventOf(form, id), body: { finding: Number(oneOf(form, 'finding')) } }),
    }),
  },
});

const eventOf = (form: Form, id: string) => ({ params: { id: oneOf(form, 'endpoint'), eventId: id } });
