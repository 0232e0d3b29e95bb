import { html, type Html } from '../../http/pages/html.ts';
import type { JsonValue } from '../../json/value.ts';
import { listShown } from '../../console/list-page.ts';
import { actForm, callAct, consolePage, type Entered, type Form } from '../../console/page.ts';
import type { Column } from '../../console/parts.ts';
import { named } from '../../console/places.ts';
import { oneOf } from '../../console/visits.ts';
import { EventFilterSchema } from '../../events/index.ts';
import { eventIdChoices } from '../../events/pages/event-id-choices.ts';
import { filterOf } from '../../console/choices.ts';
import { getDeliveries, postRecover } from '../deliveries/routes.ts';
import { DeliveryStatusSchema, RecoverDeliveriesSchema, type Delivery } from '../deliveries/schema.ts';
import { getDestinations } from '../destinations/routes.ts';
import type { Destination } from '../destinations/schema.ts';
import { deliveryColumns } from './delivery-columns.ts';
import { DELIVERIES_PATH, DESTINATIONS_PATH, forOthers } from './parts.ts';

/** More than an operator may have. */
const ALL_DESTINATIONS = '100';
/** Milliseconds that the period of a recovery begins with. */
const A_DAY = 86_400_000;

const UNDELIVERED = RecoverDeliveriesSchema.shape.statuses.unwrap().element.options;
const STANDARD = ['failed', 'unknown'];

const text = (form: Form | undefined, name: string, standard: string): string =>
  form === undefined ? standard : oneOf(form, name);

/** As the field of a date with its time has it. */
const minute = (at: number): string => new Date(at).toISOString().slice(0, 16);

function recoverForm(destinations: readonly Destination[], chosen: string, entered?: Entered): Html {
  const form = entered?.form;
  const now = Date.now();
  const id = text(form, 'destination_id', chosen);
  const statuses = form === undefined ? STANDARD : [form['statuses'] ?? []].flat();
  const moment = (name: string, label: string, standard: number): Html =>
    html`<label>${label}, UTC<input name="${name}" type="datetime-local" value="${text(form, name, minute(standard))}" required></label>\n`;
  return html`<details class="card"${entered === undefined ? html`` : html` open`}><summary>Send again what was not delivered in a time</summary>
<p>Each event whose last delivery was made in that time is sent once more, under the same id; 1,000 at a time, the oldest first.</p>
${actForm({
  act: 'recover',
  label: 'Send again',
  tone: 'primary',
  fields: html`<label>Destination<select name="destination_id" required>${destinations.map((one) => html`<option value="${one.id}"${one.id === id ? html` selected` : html``}>${one.destination}</option>`)}</select></label>
${moment('since', 'From', now - A_DAY)}${moment('until', 'Until', now)}<fieldset><legend>Those that are</legend><div class="boxes">${UNDELIVERED.map((status) => html`<label><input type="checkbox" name="statuses" value="${status}"${statuses.includes(status) ? html` checked` : html``}>${status.replaceAll('_', ' ')}</label>\n`)}</div></fieldset>
`,
})}</details>
`;
}

/** The time of a field is in UTC; what is no time is refused by the route. */
const instantOf = (form: Form, name: string): string =>
  oneOf(form, name).replace(
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?$/,
    (_, minutes: string, seconds = ':00') => `${minutes}${seconds}Z`,
  );

const recoveryOf = (form: Form): { [name: string]: JsonValue } => ({
  destination_id: oneOf(form, 'destination_id'),
  since: instantOf(form, 'since'),
  until: instantOf(form, 'until'),
  statuses: [form['statuses'] ?? []].flat(),
});

/** The log: what was sent where, with its outcome. */
export const deliveriesPage = consolePage({
  operation: 'deliveriesPage',
  path: DELIVERIES_PATH,
  async show(person, entered) {
    const others = forOthers(person, 'Deliveries');
    if (others !== null) return others;
    const { visit } = person;
    const { destinations } = (await visit.call(getDestinations, { query: { limit: ALL_DESTINATIONS } })).body;
    const addresses = new Map(destinations.map(({ id, destination }) => [id, destination]));
    const [first, ...rest] = deliveryColumns;
    const to: Column<Delivery> = {
      title: 'To',
      cell: ({ destination_id: id }) => named(addresses.get(id) ?? id, id),
      text: ({ destination_id: id }) => id,
    };
    return await listShown(person, getDeliveries, {
      title: 'Deliveries',
      lead: 'What was sent where, and what became of it. They are kept for 30 days.',
      id: 'deliveries',
      rows: ({ deliveries }) => deliveries,
      columns: [...(first === undefined ? [] : [first]), to, ...rest],
      filters: [
        {
          name: 'destination_id',
          label: 'Destination',
          kind: 'choice',
          options: destinations.map(({ id, destination }) => [id, destination]),
        },
        {
          name: 'status',
          label: 'State',
          kind: 'choice',
          options: DeliveryStatusSchema.options.map((status) => [status, status.replaceAll('_', ' ')]),
        },
        {
          name: 'event_type',
          label: 'Event type',
          kind: 'choice',
          options: EventFilterSchema.options.map((type) => [type, type]),
        },
        filterOf('event_id', 'Event', await eventIdChoices(person)),
      ],
      nothing: html`Nothing was sent in the last 30 days. <a href="${DESTINATIONS_PATH}">Add a destination</a> and send a test.`,
      changes: ({ id }) => id,
      looks: true,
      below: () =>
        destinations.length === 0 ? html`` : recoverForm(destinations, oneOf(visit.query, 'destination_id'), entered),
    });
  },
  acts: {
    recover: callAct('It is being sent again.', postRecover, {
      input: (form) => ({ body: recoveryOf(form) }),
      then: ({ recovered, has_more: more, until }, { visit }) => {
        const id = oneOf(visit.form as Form, 'destination_id');
        return {
          title: 'Sent again',
          body: html`<h1>Sent again</h1>
<p class="notice good" role="status">${recovered === 1 ? '1 delivery was made' : `${recovered} deliveries were made`} of what was not delivered.</p>
${more ? html`<p>There is more. Once these were sent, send again the rest of the time, until <code>${until}</code>.</p>\n` : html``}<p><a class="button" href="${DELIVERIES_PATH}?destination_id=${id}">The deliveries of this destination</a></p>
`,
        };
      },
    }),
  },
});
