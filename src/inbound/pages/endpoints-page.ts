import { html } from '../../http/pages/html.ts';
import { listShown } from '../../console/list-page.ts';
import { consolePage } from '../../console/page.ts';
import { momentOr, type Column } from '../../console/parts.ts';
import { idLink, named } from '../../console/places.ts';
import { decides } from '../../console/visits.ts';
import { getEndpoints } from '../endpoints/routes.ts';
import type { Endpoint } from '../endpoints/schema.ts';
import { cameLine, endpointName, endpointState, INBOUND_PATH, wordsOf } from './parts.ts';

const columns: readonly Column<Endpoint>[] = [
  { title: 'Endpoint', cell: (row) => named(endpointName(row), row.id), text: ({ id }) => id },
  { title: 'Provider', cell: ({ provider }) => wordsOf(provider).name, text: ({ provider }) => provider },
  { title: 'Agent', cell: ({ agent_id: id }) => idLink(id), text: ({ agent_id: id }) => id },
  { title: 'State', cell: endpointState, text: ({ status }) => status },
  {
    title: 'Came',
    cell: (row) => html`${row.counters.received}${cameLine(row)}`,
    text: ({ counters }) => counters.received,
  },
  {
    title: 'Held',
    amount: true,
    cell: ({ counters }) => counters.blocked,
    text: ({ counters }) => counters.blocked,
  },
  {
    title: 'Not forwarded',
    amount: true,
    cell: ({ counters }) => counters.forward_failed,
    text: ({ counters }) => counters.forward_failed,
  },
  {
    title: 'Refused',
    amount: true,
    cell: ({ counters }) => counters.rejected,
    text: ({ counters }) => counters.rejected,
  },
  {
    title: 'Last event',
    cell: ({ counters }) => momentOr(counters.last_event_at, 'none yet'),
    text: ({ counters }) => counters.last_event_at,
  },
];

/** Where providers send what agents are to get. */
export const endpointsPage = consolePage({
  operation: 'endpointsPage',
  path: INBOUND_PATH,
  async show(person) {
    const mayMake = decides(person);
    return await listShown(person, getEndpoints, {
      title: 'Inbound',
      beside: mayMake ? html`<a class="button primary" href="${INBOUND_PATH}/new">Make an endpoint</a>` : html``,
      lead: 'Webhooks and mails for agents: each is verified, scanned, and forwarded where the policy lets it pass.',
      id: 'endpoints',
      label: 'Endpoints',
      rows: ({ inbound_webhooks: endpoints }) => endpoints,
      columns,
      nothing: mayMake
        ? html`No provider sends anything yet. <a href="${INBOUND_PATH}/new">Make an endpoint</a>, and give its address and secret to the provider.`
        : 'No provider sends anything yet. An owner or administrator makes the first endpoint.',
      changes: ({ id }) => id,
      looks: true,
    });
  },
});
