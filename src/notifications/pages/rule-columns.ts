import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { badge, type Column } from '../../console/parts.ts';
import { idLink, named } from '../../console/places.ts';
import type { ListedRule } from '../rules/schema.ts';

export const ruleColumns: readonly Column<ListedRule>[] = [
  { title: 'Rule', cell: ({ id }) => idLink(id), text: ({ id }) => id },
  {
    title: 'Events',
    cell: ({ events }) => html`${events.map((name) => html`<code>${name}</code> `)}`,
    text: ({ events }) => events.join(' '),
  },
  { title: 'From', cell: ({ min_severity: least }) => badge(least), text: ({ min_severity: least }) => least },
  {
    title: 'To',
    cell: ({ delivery_methods: methods }) =>
      html`${methods.map(({ id, destination }) => html`${named(destination, id)}<br>`)}`,
    text: ({ destination_ids: ids }) => ids.join(' '),
  },
  {
    title: 'State',
    cell: ({ active }) => (active ? badge('active') : badge('no destination is left', 'warning')),
    text: ({ active }) => (active ? 'active' : 'inactive'),
  },
  { title: 'Made', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
];
