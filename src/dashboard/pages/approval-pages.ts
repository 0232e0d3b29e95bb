import { live } from '../../console/page.ts';
import { badge } from '../../console/parts.ts';
import { HOME, named } from '../../console/places.ts';
import { personsPage } from '../../console/layout.ts';
import {
  assertDecides,
  byPerson,
  callOf,
  forPerson,
  isRefusal,
  redirect,
  type PersonsVisit,
} from '../../console/visits.ts';
import { z } from 'zod';
import { findApiKey, findMember } from '../../accounts/index.ts';
import { mayApprove } from '../../commands/caller.ts';
import { isGovernedAct, ruleOfAct } from '../../commands/governed-acts.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { parseOrRefuse } from '../../errors/faults.ts';
import { approvalToDecide, decideApproval, type ApprovalToDecide } from '../../governance/index.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { Page } from '../../http/pages/page.ts';
import type { PeoplePage } from '../../http/pages/people-pages.ts';
import { PLATFORM_KEY_ID } from '../../ids/ids.ts';
import type { JsonValue } from '../../json/value.ts';
import { beforeAfter } from './before-after.ts';
import { contentOf, isAboutContent } from './held-content.ts';
import { excerptOf, heading, sentence } from '../../console/readable.ts';

const APPROVALS_PATH = `${HOME}/approvals`;
export const pathOfApproval = (id: string): string => `${APPROVALS_PATH}/${id}`;

const nothing = html``;

/** In words. */
function whatOf({ approval: { action } }: ApprovalToDecide): { what: string; why: string } {
  return isGovernedAct(action) ? ruleOfAct(action) : { what: action, why: '' };
}

/** The credential that made the request, and the person behind it. */
async function requesterOf(
  { visit, caller }: PersonsVisit,
  { approval: { requested_by: credential }, requester }: ApprovalToDecide,
): Promise<Html> {
  if (credential === PLATFORM_KEY_ID) return html`the platform’s key`;
  if (credential === requester?.id) return html`${requester.email}`;
  const key = await findApiKey(visit.context.pool, caller.operatorId, credential);
  const behind = requester === null ? nothing : html`, which ${requester.email} stands behind`;
  if (key === null) return html`<code>${credential}</code>${behind}`;
  return html`the key “${key.name}” (<code>…${key.last4}</code>)${behind}`;
}

/** The name that a subject calls itself. */
function nameOf(subject: JsonValue | undefined): Html {
  const { data } = Named.safeParse(subject);
  const { name, id } = data ?? {};
  if (name !== undefined) return html`“${name}”, as it was then`;
  return id === undefined ? html`As it was then` : html`<code>${id}</code>, as it was then`;
}

const Named = z.object({ id: z.string().optional(), name: z.string().optional() });

/** Shows what is asked for, as it will be run, with the forms that decide it where this person may. @param whole however long it is */
export async function approvalCard(
  person: PersonsVisit,
  toDecide: ApprovalToDecide,
  { whole }: { whole: boolean },
): Promise<Html> {
  const { approval } = toDecide;
  const { what, why } = whatOf(toDecide);
  const shown = approval as { body?: JsonValue; subject?: JsonValue };
  const body = shown.body === undefined ? null : excerptOf(shown.body, { whole });
  const subject = shown.subject === undefined || shown.subject === null ? null : excerptOf(shown.subject, { whole });
  const content = whole ? await contentOf(person, toDecide) : null;
  const all = body?.whole !== false && subject?.whole !== false && (whole || !isAboutContent(toDecide));
  const path = pathOfApproval(approval.id);
  return html`<article class="card">
${heading(sentence(what), { whole })}
<p class="muted">${sentence(why)}</p>
${whole ? beforeAfter({ ...shown, method: approval.method }) : nothing}<dl class="facts">
<dt>State</dt><dd>${badge(approval.status)}</dd>
<dt>Request</dt><dd><code>${approval.method} ${approval.path}</code></dd>
${body === null ? nothing : html`<dt>Body</dt><dd>${body.text}</dd>\n`}${subject === null ? nothing : html`<dt>About</dt><dd><details${whole ? html` open` : nothing}><summary>${nameOf(shown.subject)}</summary>${subject.text}</details></dd>\n`}<dt>Asked for by</dt><dd>${await requesterOf(person, toDecide)}, ${moment(approval.created_at)}</dd>
${await decisionFacts(person, approval)}<dt>Lapses</dt><dd>${moment(approval.expires_at)}</dd>
<dt>Approval</dt><dd><a href="${path}"><code>${approval.id}</code></a></dd>
</dl>
${content?.html ?? nothing}${approval.status === 'pending' ? decisionOf(person, toDecide, { path, all, unread: content?.isRead === false }) : nothing}${approval.status === 'approved' ? withdrawalOf(person, path) : nothing}</article>`;
}

/** Who has decided it and when, and when it was done. */
async function decisionFacts(
  { visit, caller }: PersonsVisit,
  { decided_by: by, decided_at: at, consumed_at: done, status }: ApprovalToDecide['approval'],
): Promise<Html> {
  if (at === null || by === null) return nothing;
  const member = await findMember(visit.context.pool, caller.operatorId, by);
  const who = named(member?.email ?? by, by);
  return html`<dt>${status === 'rejected' ? 'Rejected by' : 'Approved by'}</dt><dd>${who}, ${moment(at)}</dd>
${
  done === null
    ? nothing
    : html`<dt>Done</dt><dd>${moment(done)}</dd>
`
}`;
}

/** Until it is used. */
const withdrawalOf = ({ caller }: PersonsVisit, path: string): Html =>
  mayApprove(caller)
    ? html`<form method="post" action="${path}" class="actions">
<button class="danger" name="decision" value="rejected">Withdraw the approval</button>
</form>`
    : nothing;

/**
 * @param all whether the card shows all of it: nobody approves what they have not been shown
 * @param unread whether it is about content that nobody can read
 */
function decisionOf(
  { caller }: PersonsVisit,
  { approval, refusal }: ApprovalToDecide,
  { path, all, unread }: { path: string; all: boolean; unread: boolean },
): Html {
  const why = refusal === null ? nothing : html`<p class="notice warning">${refusal.message}</p>\n`;
  if (!mayApprove(caller)) return why;
  const approve = !('body' in approval)
    ? html`<p class="notice warning">What is asked for cannot be shown any more, since the key that sealed it is gone; so it cannot be approved here. The same request can be made again.</p>\n`
    : unread
      ? html`<p class="notice warning">It is about content that cannot be read as it was then, so it cannot be approved here.</p>\n`
      : refusal !== null
        ? why
        : nothing;
  const mayDo = approve === nothing;
  if (mayDo && !all)
    return html`<p class="actions"><a class="button" href="${path}">Read all of it, and decide</a></p>`;
  return html`${approve}<form method="post" action="${path}" class="actions">
${mayDo ? html`<button class="primary" name="decision" value="approved">Approve</button>\n` : nothing}<button class="danger" name="decision" value="rejected">Reject</button>
</form>`;
}

/** Tells the outcome, in a sentence; null while it waits. */
export function approvalOutcome(toDecide: ApprovalToDecide): Html | null {
  const { id, status, method, path, expires_at: expiresAt } = toDecide.approval;
  const request = html`<code>${method} ${path}</code>`;
  if (status === 'approved')
    return html`<p class="notice good" role="status">Approved: ${request}. It is done once its requester sends the same request again with <code>X-Governance-Approval: ${id}</code>, until ${moment(expiresAt)}.</p>`;
  if (status === 'consumed') return html`<p class="notice good" role="status">Approved, and done: ${request}.</p>`;
  if (status === 'rejected')
    return html`<p class="notice" role="status">Rejected: ${request}. Nothing is changed by it.</p>`;
  if (status === 'expired')
    return html`<p class="notice warning" role="status">Lapsed: ${request}. Its time is over, or what it is about has changed since; the same request can be made again.</p>`;
  return null;
}

async function shownApproval(person: PersonsVisit, refusal?: CarnetError): Promise<Page> {
  const toDecide = await approvalToDecide(person.visit.context, person.caller, person.visit.id);
  return personsPage(person, {
    title: 'Approval',
    path: APPROVALS_PATH,
    refusal,
    // Each look at content that was held counts as a read, so such a page looks once.
    live: isAboutContent(toDecide) ? undefined : { ids: [toDecide.approval.id] },
    body: html`<h1>Approval</h1>
${live('approval', html`${approvalOutcome(toDecide) ?? nothing}${await approvalCard(person, toDecide, { whole: true })}`)}
<p><a href="${HOME}">All that waits</a> · <a href="${APPROVALS_PATH}">All approvals</a></p>`,
  });
}

const DecisionForm = z.strictObject({ decision: z.enum(['approved', 'rejected']) });
const calls = {
  approved: { operation: 'approveRequest', verb: 'approve' },
  rejected: { operation: 'rejectRequest', verb: 'reject' },
};

/**
 * One approval, to decide it. Its id stands for what the person was shown: request, body and subject of an approval never change, and one
 * whose subject has changed lapses.
 */
export const approvalPage: PeoplePage = {
  operation: 'approvalPage',
  page: (visit) => forPerson(visit, pathOfApproval(visit.id), (person) => shownApproval(person)),
  submit: (submission) =>
    byPerson(submission, pathOfApproval(submission.id), async (person) => {
      const { id, context, form } = submission;
      try {
        assertDecides(person);
        const { decision } = parseOrRefuse(DecisionForm, form);
        const { operation, verb } = calls[decision];
        const path = `/v1/governance/approvals/${id}/${verb}`;
        await decideApproval(context, callOf(person, { operation, method: 'POST', path, body: {} }), { id, decision });
        return redirect(`${HOME}?decided=${id}`);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return await shownApproval(person, error);
      }
    }),
};
