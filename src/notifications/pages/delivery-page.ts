import { html, type Html } from '../../http/pages/html.ts';
import { timeline, type Milestone } from '../../console/charts.ts';
import { asCurl } from '../../console/list.ts';
import { actForm, callAct, consolePage, live, ofPage } from '../../console/page.ts';
import { badge, facts, table } from '../../console/parts.ts';
import { idLink } from '../../console/places.ts';
import { readable } from '../../console/readable.ts';
import { isOf, type PersonsVisit } from '../../console/visits.ts';
import { readEvent } from '../../events/index.ts';
import { channels } from '../channels/registry.ts';
import { getDeliveries, getDelivery, postRedeliver } from '../deliveries/routes.ts';
import type { Delivery } from '../deliveries/schema.ts';
import { deliveryBadge, deliveryColumns } from './delivery-columns.ts';
import { DELIVERIES_PATH, forOthers } from './parts.ts';

const nothing = html``;

const milestones = ({ created_at: made, started_at: begun, ended_at: ended, status }: Delivery): Milestone[] => [
  { what: 'Made', at: made },
  ...(begun === null && ended !== null ? [] : [{ what: 'The call began', at: begun }]),
  { what: 'Ended', at: ended, ...(ended !== null && { state: status }) },
];

/** The event that it is of, as it was sent; null where it is no longer kept. */
async function eventOf({ visit: { context }, caller }: PersonsVisit, id: string) {
  try {
    return await readEvent(context, caller, id);
  } catch (error) {
    if (isOf(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

const outcome = ({ reason, error, status, status_code: code, left_out: leftOut }: Delivery): Html => {
  const words = [
    error ?? reason?.replaceAll('_', ' ') ?? null,
    code === null ? null : `The receiver answered ${code}.`,
    leftOut === 0 ? null : `The full queue left out ${leftOut} more events around it; the feed has them.`,
  ].filter((one) => one !== null);
  if (words.length === 0) return nothing;
  const tone = status === 'delivered' ? 'good' : status === 'unknown' ? 'warning' : 'error';
  return html`<p class="notice ${tone}">${words.join(' ')}</p>\n`;
};

/** One delivery: its outcome, its payload, and the other attempts of the same event there. */
export const deliveryPage = consolePage({
  operation: 'deliveryPage',
  path: `${DELIVERIES_PATH}/:id`,
  async show(person) {
    const others = forOthers(person, 'Delivery');
    if (others !== null) return others;
    const { visit } = person;
    const { body: shown } = await visit.call(getDelivery, { params: { id: visit.id } });
    const { id, event_id: eventId, destination_id: destinationId } = shown;
    const [event, attempts] = await Promise.all([
      eventOf(person, eventId),
      visit.call(getDeliveries, { query: { event_id: eventId, destination_id: destinationId } }),
    ]);
    return {
      title: 'Delivery',
      live: { ids: [id, ...attempts.body.deliveries.map((one) => one.id)] },
      body: html`<h1>Delivery</h1>
${live(
  'state',
  html`<p class="lead"><code>${id}</code> ${deliveryBadge(shown.status)}</p>
${outcome(shown)}<div class="columns"><section class="card">${timeline('How far it is', milestones(shown))}</section>
<section class="card">${facts([
    ['Event', html`${idLink(eventId)} <code>${shown.event_type}</code>`],
    ['To', html`${channels[shown.channel_type].words.kind} ${idLink(destinationId)}`],
    ['Attempt', shown.ordinal + 1],
    ['Reason', shown.reason === null ? null : html`<code>${shown.reason}</code>`],
    ['Answered', shown.status_code],
  ])}</section></div>
${shown.status === 'sending' ? nothing : actForm({ act: 'redeliver', label: 'Send it again', tone: 'primary' })}
<h2>All attempts</h2>
${table('Attempts of this event at this destination', deliveryColumns, attempts.body.deliveries)}`,
)}<section class="card"><h2>What is sent</h2>
${event === null ? html`<p class="muted">The event is no longer kept.</p>` : html`<p>${badge(event.severity)}</p><pre class="wrapped" tabindex="0"><code>${readable({ event_type: event.event_type, severity: event.severity, payload: event.payload, timestamp: event.timestamp })}</code></pre>`}</section>
${asCurl({ method: 'GET', address: `${visit.context.config.publicBaseUrl}/v1/notifications/deliveries/${id}` })}`,
    };
  },
  acts: {
    redeliver: callAct('This is the new delivery: it is on its way.', postRedeliver, {
      input: ofPage,
      then: ({ id }) => `${DELIVERIES_PATH}/${id}`,
    }),
  },
  done: { test: 'The test was sent.' },
});
