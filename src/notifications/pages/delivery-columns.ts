import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { duration } from '../../console/charts.ts';
import { badge, type Column } from '../../console/parts.ts';
import { idLink } from '../../console/places.ts';
import type { Delivery } from '../deliveries/schema.ts';

/** A status in words: that of the cap is one of the API. */
export const deliveryBadge = (status: Delivery['status']) =>
  status === 'suppressed_cap' ? badge('not sent: the month is used up', 'warning') : badge(status);

export const deliveryColumns: readonly Column<Delivery>[] = [
  { title: 'Delivery', cell: ({ id }) => idLink(id), text: ({ id }) => id },
  { title: 'Event', cell: ({ event_type: type }) => html`<code>${type}</code>`, text: ({ event_type: type }) => type },
  { title: 'State', cell: ({ status }) => deliveryBadge(status), text: ({ status }) => status },
  {
    title: 'Reason',
    cell: ({ reason, status_code: code }) =>
      [reason?.replaceAll('_', ' ') ?? null, code].filter((part) => part !== null).join(', '),
    text: ({ reason }) => reason,
  },
  {
    title: 'Took',
    amount: true,
    cell: ({ latency_ms: ms }) => (ms === null ? '' : duration(ms)),
    text: ({ latency_ms: ms }) => ms,
  },
  { title: 'Made', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
];
