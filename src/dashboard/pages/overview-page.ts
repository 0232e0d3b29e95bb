import { HOME } from '../../console/places.ts';
import { actForm, callAct, consolePage, live } from '../../console/page.ts';
import { focused, isOf, oneOf, type PersonsVisit } from '../../console/visits.ts';
import { mayApprove } from '../../commands/caller.ts';
import { approvalToDecide, pageOfApprovals } from '../../governance/index.ts';
import { postRejectMany } from '../../governance/routes.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { Visit } from '../../http/pages/people-pages.ts';
import { getReviews } from '../../passports/accountability/routes.ts';
import { readReview } from '../../passports/index.ts';
import { approvalCard, approvalOutcome } from './approval-pages.ts';
import { homeParts } from './home-parts.ts';
import { MAILS_PATH } from './mails-page.ts';
import { reviewCard, reviewOutcome } from './review-pages.ts';

/** One page shows this many of each kind, whole: the pages of the two lists have all, a line each. */
const PAGE = 3;

const nothing = html``;

/** Pages of the two lists, numbered from 1. */
interface Pages {
  approvals: number;
  reviews: number;
}

const pageIn = (query: Visit['query'], name: keyof Pages): number => {
  const text = oneOf(query, name);
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 1;
};

/** Links to the neighbours of a page; the other list stays where it is. */
function pager(list: keyof Pages, pages: Pages, total: number): Html {
  const link = (to: number, text: string): Html => {
    const query = new URLSearchParams();
    for (const [name, page] of Object.entries({ ...pages, [list]: to })) if (page > 1) query.set(name, String(page));
    return html`<a class="button" href="${HOME}?${query.toString()}#${list}">${text}</a>\n`;
  };
  const page = pages[list];
  const before = page > 1 ? link(Math.min(page - 1, Math.max(1, Math.ceil(total / PAGE))), 'Newer') : nothing;
  const after = page * PAGE < total ? link(page + 1, 'Older') : nothing;
  return before === nothing && after === nothing
    ? nothing
    : html`<nav class="actions" aria-label="${list}, more">\n${before}${after}</nav>\n`;
}

/** One after the other, so that a page takes one connection at a time. */
async function each<T>(items: readonly T[], show: (item: T) => Promise<Html>): Promise<Html[]> {
  const shown: Html[] = [];
  for (const item of items) shown.push(await show(item));
  return shown;
}

/** Tells the outcome of that which was decided a moment ago, as it stands now; nothing where the address names what is not there. */
async function outcomeOf(person: PersonsVisit): Promise<Html> {
  const { visit, caller } = person;
  const id = oneOf(visit.query, 'decided');
  if (id === '') return nothing;
  try {
    const outcome = id.startsWith('apr_')
      ? approvalOutcome(await approvalToDecide(visit.context, caller, id))
      : await reviewOutcome(person, await readReview(visit.context, caller, id));
    return outcome === null ? nothing : html`<div${focused}>${outcome}</div>`;
  } catch (error) {
    if (isOf(error, 'NOT_FOUND')) return nothing;
    throw error;
  }
}

/** The count alone is brought up to date: a person may have typed into what is shown below. */
const waits = (total: number, others: readonly (Html | null)[], nobody: string): Html => {
  const shown = others.filter((one) => one !== null);
  return live(
    'waits',
    html`<h2>What waits</h2>
${shown}${
      total === 0
        ? shown.length === 0
          ? html`<p class="empty">${nobody}</p>`
          : nothing
        : html`<p><strong>${total}</strong> ${total === 1 ? 'thing waits' : 'things wait'} for a decision. <a href="${HOME}">Show all</a></p>`
    }`,
  );
};

const roles = { owner: 'an owner', admin: 'an administrator', member: 'a member' };

const listPart = (
  list: keyof Pages,
  title: string,
  { cards, total, pages, beside }: { cards: readonly Html[]; total: number; pages: Pages; beside: Html },
): Html =>
  total === 0
    ? nothing
    : html`<h2 id="${list}">${title} <span class="badge">${total}</span></h2>
<p><a href="${HOME}/${list}">All ${list} in a list</a></p>
${beside}${cards}${pager(list, pages, total)}`;

/** Rejects the requests of this page and no others: what came since, nobody has seen. */
const rejectAll = ({ caller }: PersonsVisit, ids: readonly string[]): Html =>
  mayApprove(caller) && ids.length > 1
    ? actForm({
        act: 'rejectShown',
        label: `Reject these ${ids.length}`,
        tone: 'danger',
        hidden: { rejected: ids.join(' ') },
      })
    : nothing;

/** Who somebody is, what their operator has, and what waits for them. */
export const overviewPage = consolePage({
  operation: 'dashboard',
  path: HOME,
  async show(person) {
    const { visit, caller, session } = person;
    const { context, query } = visit;
    const { member, operator } = session;
    const pages: Pages = { approvals: pageIn(query, 'approvals'), reviews: pageIn(query, 'reviews') };
    const offset = (pages.approvals - 1) * PAGE;
    // The routes of approvals are for owners and administrators; members see here what waits, without the bodies.
    const approvals = await pageOfApprovals(context, caller, { status: 'pending', limit: PAGE, offset });
    const asked = { status: 'pending', page: String(pages.reviews), limit: String(PAGE) };
    const { body: waiting } = await visit.call(getReviews, { query: asked });
    const approvalCards = await each(approvals.items, async ({ id }) =>
      approvalCard(person, await approvalToDecide(context, caller, id), { whole: false }),
    );
    const reviewCards = await each(waiting.reviews, (review) => reviewCard(person, review, { whole: false }));
    const total = approvals.total + waiting.total;
    const { above, orders, held, below, ids } = await homeParts(person);
    const nobody = mayApprove(caller) ? 'Nothing waits for you.' : 'Nothing waits for an owner or administrator.';
    return {
      title: 'Dashboard',
      live: { ids, looks: true },
      body: html`<h1>${operator.name}</h1>
<p class="lead">You are signed in as ${member.email}, ${roles[member.role]}. <a href="${MAILS_PATH}">Mails to you</a></p>
${await outcomeOf(person)}
${above}
${waits(total, [orders, held], nobody)}${listPart('approvals', 'Approvals', {
        cards: approvalCards,
        total: approvals.total,
        pages,
        beside: rejectAll(
          person,
          approvals.items.map(({ id }) => id),
        ),
      })}${listPart('reviews', 'Reviews', { cards: reviewCards, total: waiting.total, pages, beside: nothing })}${below}`,
    };
  },
  acts: {
    rejectShown: callAct('They are rejected; what came since is not among them.', postRejectMany, {
      input: (form) => ({ body: { ids: oneOf(form, 'rejected').split(' ') } }),
    }),
  },
});
