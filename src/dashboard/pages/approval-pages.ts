import { actForm, callAct, consolePage, live, ofPage } from '../../console/page.ts';
import { badge } from '../../console/parts.ts';
import { HOME, named } from '../../console/places.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { z } from 'zod';
import { findApiKey, findMember } from '../../accounts/index.ts';
import { mayApprove } from '../../commands/caller.ts';
import { isGovernedAct, ruleOfAct } from '../../commands/governed-acts.ts';
import { approvalToDecide, type ApprovalToDecide } from '../../governance/index.ts';
import { postApprove, postReject } from '../../governance/routes.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
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
    ? actForm({ act: 'reject', label: 'Withdraw the approval', tone: 'danger', action: path })
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
  const reject = { act: 'reject', label: 'Reject', tone: 'danger' } as const;
  if (!mayDo) return html`${approve}${actForm({ ...reject, action: path })}`;
  return actForm({ act: 'approve', label: 'Approve', tone: 'primary', others: [reject], action: path });
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

/** The first page says how it stands once it is decided, and shows what waits next. */
const decided = (_: unknown, { visit: { id } }: PersonsVisit): string => `${HOME}?decided=${id}`;

/**
 * One approval, to decide it. Its id stands for what the person was shown: request, body and subject of an approval never change, and one
 * whose subject has changed lapses.
 */
export const approvalPage = consolePage({
  operation: 'approvalPage',
  path: pathOfApproval(':id'),
  async show(person) {
    // No route says who asked, and why this person may not approve it.
    const toDecide = await approvalToDecide(person.visit.context, person.caller, person.visit.id);
    return {
      title: 'Approval',
      // Each look at content that was held counts as a read, so such a page looks once.
      ...(!isAboutContent(toDecide) && { live: { ids: [toDecide.approval.id] } }),
      body: html`<h1>Approval</h1>
${live('approval', html`${approvalOutcome(toDecide) ?? nothing}${await approvalCard(person, toDecide, { whole: true })}`)}
<p><a href="${HOME}">All that waits</a> · <a href="${APPROVALS_PATH}">All approvals</a></p>`,
    };
  },
  acts: {
    approve: callAct('', postApprove, { input: ofPage, then: decided }),
    reject: callAct('', postReject, { input: ofPage, then: decided }),
  },
});
