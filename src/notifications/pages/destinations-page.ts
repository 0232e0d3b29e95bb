import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { listShown } from '../../console/list-page.ts';
import { callAct, consolePage } from '../../console/page.ts';
import { named } from '../../console/places.ts';
import type { Column } from '../../console/parts.ts';
import { oneOf } from '../../console/visits.ts';
import { channels } from '../channels/registry.ts';
import { deleteDestination, getDestinations } from '../destinations/routes.ts';
import type { Destination } from '../destinations/schema.ts';
import { DESTINATIONS_PATH, forOthers, RULES_PATH, stateOf } from './parts.ts';

const columns: readonly Column<Destination>[] = [
  { title: 'Address', cell: ({ destination, id }) => named(destination, id), text: ({ destination }) => destination },
  {
    title: 'Kind',
    cell: ({ channel_type: kind }) => channels[kind].words.kind,
    text: ({ channel_type: kind }) => kind,
  },
  { title: 'State', cell: (row) => stateOf(row).shown, text: (row) => stateOf(row).word },
  {
    title: 'Failures in a row',
    amount: true,
    cell: ({ failures_in_row: failures }) => failures,
    text: ({ failures_in_row: failures }) => failures,
  },
  { title: 'Added', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
];

/** Where an operator is notified. */
export const destinationsPage = consolePage({
  operation: 'destinationsPage',
  path: DESTINATIONS_PATH,
  async show(person) {
    const others = forOthers(person, 'Notifications');
    if (others !== null) return others;
    return await listShown(person, getDestinations, {
      title: 'Notifications',
      beside: html`<a class="button primary" href="${DESTINATIONS_PATH}/new">Add a destination</a>`,
      lead: html`Addresses that events are sent to. <a href="${RULES_PATH}">Rules</a> say which events go where.`,
      id: 'destinations',
      label: 'Destinations',
      rows: ({ destinations }) => destinations,
      columns,
      nothing: html`Nobody is notified yet. <a href="${DESTINATIONS_PATH}/new">Add a destination</a>, enter the code that it gets, and make a <a href="${RULES_PATH}">rule</a> that says which events go there.`,
      changes: ({ id }) => id,
      looks: true,
    });
  },
  acts: {
    // The form stands on the page of the destination, which is gone once it is done.
    remove: callAct('The destination is deleted; what waited for it is not sent.', deleteDestination, {
      sure: true,
      input: (form) => ({ params: { id: oneOf(form, 'id') } }),
    }),
  },
});
