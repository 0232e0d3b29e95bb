import type { z } from 'zod';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { listOf } from '../../console/list.ts';
import { consolePage } from '../../console/page.ts';
import { badge, tabs, type Column } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import { oneOf } from '../../console/visits.ts';
import { dollars } from '../../fields/dollars.ts';
import { mine, provided } from '../routes.ts';
import { InvocationStatusSchema, type InvocationSummary } from '../schema.ts';
import { duration } from '../../console/charts.ts';

export const INVOCATIONS_PATH = `${HOME}/invocations`;

const columns: readonly Column<InvocationSummary>[] = [
  { title: 'Invocation', cell: ({ id }) => idLink(id), text: ({ id }) => id },
  { title: 'Skill', cell: ({ skill_id: id }) => idLink(id), text: ({ skill_id: id }) => id },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  { title: 'Ordered', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  {
    title: 'Took',
    amount: true,
    cell: ({ duration_ms: ms }) => (ms === null ? '' : duration(ms)),
    text: ({ duration_ms: ms }) => ms,
  },
  {
    title: 'Price',
    amount: true,
    cell: ({ price_cents: cents }) => dollars(cents),
    text: ({ price_cents: cents }) => cents,
  },
];

/** The invocations of an operator on two tabs: of others’ skills, and of their own. */
export const invocationsPage = consolePage({
  operation: 'invocationsPage',
  path: INVOCATIONS_PATH,
  async show(person) {
    const isProvided = oneOf(person.visit.query, 'side') === 'provided';
    const list = await listOf(person, isProvided ? provided : mine, {
      id: isProvided ? 'provided' : 'invocations',
      label: 'Invocations',
      path: INVOCATIONS_PATH,
      rows: (reply: z.output<typeof mine.reply>) => reply.invocations,
      columns,
      kept: isProvided ? { side: 'provided' } : {},
      filters: [
        {
          name: 'status',
          label: 'State',
          kind: 'choice',
          options: InvocationStatusSchema.options.map((status) => [status, status]),
        },
        { name: 'skill_id', label: 'Skill', kind: 'text' },
      ],
      nothing: isProvided
        ? html`Nobody has ordered work of your skills yet.`
        : html`Nothing is ordered yet. <a href="${HOME}/market">Find a skill</a> and try it.`,
    });
    return (
      list.csv ?? {
        title: 'Invocations',
        live: { ids: list.reply.invocations.map(({ id }) => id), looks: true },
        body: html`<h1>Invocations</h1>
${tabs('Side', [
  { href: INVOCATIONS_PATH, text: 'You ordered', current: !isProvided },
  { href: `${INVOCATIONS_PATH}?side=provided`, text: 'Ordered of you', current: isProvided },
])}${list.html}`,
      }
    );
  },
});
