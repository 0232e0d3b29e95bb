import { HOME } from '../../console/places.ts';
import { personsPage } from '../../console/layout.ts';
import { live } from '../../console/page.ts';
import {
  assertDecides,
  byPerson,
  callOf,
  forPerson,
  isOf,
  isRefusal,
  oneOf,
  redirect,
  type PersonsVisit,
} from '../../console/visits.ts';
import { z } from 'zod';
import { mayApprove } from '../../commands/caller.ts';
import type { CarnetError } from '../../errors/carnet-error.ts';
import { parseOrRefuse } from '../../errors/faults.ts';
import { approvalToDecide, pageOfApprovals, rejectApprovals, RejectApprovalsSchema } from '../../governance/index.ts';
import { html, type Html } from '../../http/pages/html.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage, Visit } from '../../http/pages/people-pages.ts';
import { listReviews, readReview } from '../../passports/index.ts';
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
    return outcome ?? nothing;
  } catch (error) {
    if (isOf(error, 'NOT_FOUND')) return nothing;
    throw error;
  }
}

async function overview(person: PersonsVisit, refusal?: CarnetError): Promise<Page> {
  const { visit, caller, session } = person;
  const { context, query } = visit;
  const { member, operator } = session;
  const pages: Pages = { approvals: pageIn(query, 'approvals'), reviews: pageIn(query, 'reviews') };
  const offset = (pages.approvals - 1) * PAGE;
  const approvals = await pageOfApprovals(context, caller, { status: 'pending', limit: PAGE, offset });
  const { body: waiting } = await listReviews(context, caller, { status: 'pending', page: pages.reviews, limit: PAGE });
  const approvalCards = await each(approvals.items, async ({ id }) =>
    approvalCard(person, await approvalToDecide(context, caller, id), { whole: false }),
  );
  const reviewCards = await each(waiting.reviews, (review) => reviewCard(person, review, { whole: false }));
  const total = approvals.total + waiting.total;
  const { above, orders, held, below, ids } = await homeParts(person);
  const nobody = mayApprove(caller) ? 'Nothing waits for you.' : 'Nothing waits for an owner or administrator.';
  return personsPage(person, {
    title: 'Dashboard',
    refusal,
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
  });
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
    ? html`<form method="post" action="${HOME}" class="actions">
<input type="hidden" name="rejected" value="${ids.join(' ')}">
<button class="danger">Reject these ${ids.length}</button>
</form>
`
    : nothing;

const RejectForm = z.strictObject({ rejected: z.string() });

/** Who somebody is, what their operator has, and what waits for them. */
export const overviewPage: PeoplePage = {
  operation: 'dashboard',
  page: (visit) => forPerson(visit, HOME, (person) => overview(person)),
  submit: (submission) =>
    byPerson(submission, HOME, async (person) => {
      try {
        assertDecides(person);
        const { rejected } = parseOrRefuse(RejectForm, submission.form);
        const body = parseOrRefuse(RejectApprovalsSchema, { ids: rejected.split(' ') });
        const path = '/v1/governance/approvals/reject';
        const call = callOf(person, { operation: 'rejectRequests', method: 'POST', path, body });
        await rejectApprovals(submission.context, call, body);
        return redirect(HOME);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return await overview(person, error);
      }
    }),
};
