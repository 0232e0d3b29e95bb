import type { z } from 'zod';
import { findAgentNames } from '../../accounts/index.ts';
import { listOf } from '../../console/list.ts';
import { consolePage } from '../../console/page.ts';
import { badge, tabs, type Column } from '../../console/parts.ts';
import { HOME, idLink, named } from '../../console/places.ts';
import { oneOf, type PersonsVisit } from '../../console/visits.ts';
import { html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { getReviews } from '../accountability/routes.ts';
import { ReviewStatus, type Review } from '../accountability/schema.ts';
import { decidersOf, type Decider } from './deciders.ts';

const REVIEWS_PATH = `${HOME}/reviews`;

/** A review with the name of its agent, and who decided it. */
type Row = Review & { agent: string; decider: Decider | null };

const columns: readonly Column<Row>[] = [
  {
    title: 'Review',
    cell: ({ checkout_id: id, agent }) => html`<a href="${REVIEWS_PATH}/${id}">What “${agent}” did</a>`,
    text: ({ checkout_id: id }) => id,
  },
  { title: 'Risk', cell: ({ risk }) => badge(risk), text: ({ risk }) => risk },
  { title: 'State', cell: ({ status }) => badge(status), text: ({ status }) => status },
  { title: 'Flags', amount: true, cell: ({ flags }) => flags.length, text: ({ flags }) => flags.length },
  {
    title: 'Agent',
    cell: ({ agent_id: id, holds }) => html`${idLink(id)}${holds ? html` ${badge('held')}` : html``}`,
    text: ({ agent_id: id }) => id,
  },
  { title: 'Passport', cell: ({ jti }) => idLink(jti), text: ({ jti }) => jti },
  { title: 'Since', cell: ({ created_at: at }) => moment(at), text: ({ created_at: at }) => at },
  {
    title: 'Decided',
    cell: ({ decided_at: at }) => (at === null ? '' : moment(at)),
    text: ({ decided_at: at }) => at,
  },
  {
    title: 'Decided by',
    cell: ({ decider }) => (decider === null ? '' : named(decider.name, decider.id)),
    text: ({ decider }) => decider?.name ?? null,
  },
];

/** Nobody has decided what waits. The CSV has the same columns on every tab. */
const waiting = columns.filter(({ title }) => !title.startsWith('Decided'));

const tabTexts = { pending: 'Waiting', approved: 'Approved', blocked: 'Blocked' } as const;

const nothingIn = {
  pending:
    'Nothing waits for a decision. A review comes here when an agent whose accountability is enforced sends its checkout, or misses it.',
  approved: 'No review was approved yet.',
  blocked: 'No review was decided as blocked.',
} as const;

/** The names of the agents, and who decided, are read together. */
async function rowsOf(person: PersonsVisit, reviews: readonly Review[]): Promise<Row[]> {
  const { visit, caller } = person;
  const agents = reviews.map(({ agent_id: id }) => id);
  const names = await findAgentNames(visit.context.pool, caller.operatorId, agents);
  const deciders = await decidersOf(person, reviews);
  return reviews.map((review) => ({
    ...review,
    agent: names.get(review.agent_id) ?? review.agent_id,
    decider: deciders.get(review.checkout_id) ?? null,
  }));
}

/** The reviews of an operator: what waits first, then what was decided, by whom and when. */
export const reviewsPage = consolePage({
  operation: 'reviewsPage',
  path: REVIEWS_PATH,
  async show(person) {
    const tab = ReviewStatus.safeParse(oneOf(person.visit.query, 'status')).data ?? 'pending';
    const list = await listOf(person, getReviews, {
      id: 'reviews',
      label: 'Reviews',
      input: { query: { status: tab } },
      rows: (reply: z.output<typeof getReviews.reply>) => rowsOf(person, reply.reviews),
      columns: tab === 'pending' && oneOf(person.visit.query, 'csv') === '' ? waiting : columns,
      kept: { status: tab },
      nothing: nothingIn[tab],
    });
    return (
      list.csv ?? {
        title: 'Reviews',
        live: { ids: list.reply.reviews.map(({ checkout_id: id }) => id), looks: true },
        body: html`<h1>Reviews</h1>
<p class="lead">What an agent did with a passport, which a person vouches for. While a critical one is not approved, its agent is held: it gets no new passport.</p>
${tabs(
  'State',
  Object.entries(tabTexts).map(([status, text]) => ({
    href: `${REVIEWS_PATH}?status=${status}`,
    text,
    current: status === tab,
  })),
)}${list.html}`,
      }
    );
  },
});
