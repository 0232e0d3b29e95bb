import { actForm, callAct, consolePage, live, type Form } from '../../console/page.ts';
import { badge } from '../../console/parts.ts';
import { HOME, idLink, named } from '../../console/places.ts';
import { assertDecides, oneOf, type PersonsVisit } from '../../console/visits.ts';
import { findAgent } from '../../accounts/index.ts';
import { mayApprove } from '../../commands/caller.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import { readReview, type AccountabilityReport, type Review } from '../../passports/index.ts';
import { getReport, postDecision } from '../../passports/accountability/routes.ts';
import { decidersOf } from '../../passports/pages/deciders.ts';
import { sessionTimeline, sessionTree } from '../../passports/pages/session-parts.ts';
import { pathOfAgent } from './agent-page.ts';
import { heading } from '../../console/readable.ts';

const REVIEWS_PATH = `${HOME}/reviews`;
export const pathOfReview = (checkoutId: string): string => `${REVIEWS_PATH}/${checkoutId}`;

const nothing = html``;

/** Limits the flags of a review among others, the checkpoints on one page, and the calls of each: the rest is a page further. */
const MAX_SHOWN = 20;

/** The agent by its name, and by its id. */
async function agentOf({ visit, caller }: PersonsVisit, agentId: string): Promise<{ name: Html; status: string }> {
  const agent = await findAgent(visit.context.pool, { operatorId: caller.operatorId, agentId });
  return {
    name: agent === null ? html`<code>${agentId}</code>` : html`“${agent.name}” (<code>${agentId}</code>)`,
    status: agent?.status ?? 'unknown',
  };
}

const badgeOf = (severity: 'warning' | 'critical'): Html =>
  severity === 'critical' ? badge(severity) : badge(severity, 'warning');

function flagsOf({ flags }: Review, { whole }: { whole: boolean }): Html {
  if (flags.length === 0) return html`none`;
  const shown = whole ? flags : flags.slice(0, MAX_SHOWN);
  const others = flags.length - shown.length;
  return html`<ul class="flags">
${shown.map(({ type, severity, message, raised_at: at }) => html`<li>${badgeOf(severity)} <code>${type}</code> ${message} <span class="hint">${moment(at)}</span></li>\n`)}${others === 0 ? nothing : html`<li>and ${others} more</li>\n`}</ul>`;
}

interface Shown {
  /** All flags, however many. */
  whole: boolean;
  /** The part of the report that the page leaves out, to be read before deciding; absent: nothing. */
  leftOut?: Html;
  /** As they were typed into the form that was refused. */
  notes?: string;
}

/** Shows what an agent did that somebody is to vouch for, with the form that decides it where this person may. */
export async function reviewCard(
  person: PersonsVisit,
  review: Review,
  { whole, leftOut = nothing, notes = '' }: Shown,
): Promise<Html> {
  const agent = await agentOf(person, review.agent_id);
  const path = pathOfReview(review.checkout_id);
  return html`<article class="card">
${heading(html`Review of the agent ${agent.name} ${badge(review.risk)}`, { whole })}
${review.missed ? html`<p class="muted">It has sent no checkout in time.</p>\n` : nothing}<dl class="facts">
<dt>Flags</dt><dd>${flagsOf(review, { whole })}</dd>
<dt>Passport</dt><dd>${idLink(review.jti)}</dd>
<dt>Since</dt><dd>${moment(review.created_at)}</dd>
${await decisionFacts(person, review)}<dt>Report</dt><dd><a href="${path}"><code>${review.checkout_id}</code></a></dd>
</dl>
${leftOut}${review.status === 'approved' ? nothing : decisionOf(person, review, { path, notes, all: whole || review.flags.length <= MAX_SHOWN })}</article>`;
}

/** How it was decided: by whom, when, and with which notes. */
async function decisionFacts(person: PersonsVisit, review: Review): Promise<Html> {
  const { decided_at: at, status, notes } = review;
  if (at === null) return nothing;
  const decider = (await decidersOf(person, [review])).get(review.checkout_id);
  return html`<dt>Decided</dt><dd>${badge(status)} ${moment(at)}${decider === undefined ? nothing : html`, by ${named(decider.name, decider.id)}`}</dd>
${
  notes === null
    ? nothing
    : html`<dt>Notes</dt><dd>${notes}</dd>
`
}`;
}

/** @param all whether the card shows all flags: nobody decides about what they have not been shown */
function decisionOf(
  { visit, caller }: PersonsVisit,
  review: Review,
  { path, notes, all }: { path: string; notes: string; all: boolean },
): Html {
  if (!mayApprove(caller))
    return html`<p class="notice warning">An owner or administrator decides this; you are a member.</p>\n`;
  if (!all) return html`<p class="actions"><a class="button" href="${path}">Read all of it, and decide</a></p>`;
  const held = review.holds ? ' Until it is approved, the agent gets no new passport.' : '';
  const revoked = visit.context.config.reviewBlockRevokes
    ? ' and revokes the passport with its refreshes and delegations'
    : '';
  const block = { act: 'block', label: 'Block', tone: 'danger' } as const;
  const blockAgent = { act: 'blockAgent', label: 'Block the agent', tone: 'danger' } as const;
  return actForm({
    act: 'approve',
    label: 'Approve',
    tone: 'primary',
    others: review.status === 'pending' ? [block, blockAgent] : [blockAgent],
    action: path,
    hidden: { seen: review.digest },
    fields: html`<label>Notes <span class="hint">They are kept with the decision.</span>
<textarea name="notes" maxlength="1000" rows="2">\n${notes}</textarea></label>
<p class="hint">${review.status === 'pending' ? html`“Block” says that the work was not right${revoked}.` : html`It was blocked, and can still be approved.`} “Block the agent” revokes its passports of this work too, and it gets none until a person unblocks it.${held}</p>
`,
  });
}

/** Tells the outcome, in a sentence; null while it waits. */
export async function reviewOutcome(person: PersonsVisit, review: Review): Promise<Html | null> {
  if (review.status === 'pending') return null;
  const { name, status } = await agentOf(person, review.agent_id);
  return review.status === 'approved'
    ? html`<p class="notice good" role="status">Approved: the review of ${name}.</p>`
    : html`<p class="notice" role="status">Blocked: the review of ${name}. The agent is ${review.holds ? 'held' : status}. <a href="${pathOfAgent(review.agent_id)}">What it has to answer for</a></p>`;
}

type Report = Pick<AccountabilityReport, 'checkpoints' | 'checkout'>;

/** A checkout or a checkpoint, as the page shows it. */
interface Part {
  title: string;
  /** The value of `report` in the address of its own page. */
  name: string;
  reported: Report['checkpoints'][number] | NonNullable<Report['checkout']>;
}

const partOfCheckpoint = (checkpoint: Report['checkpoints'][number]): Part => ({
  title: `Checkpoint ${checkpoint.sequence}`,
  name: String(checkpoint.sequence),
  reported: checkpoint,
});

const partOfCheckout = (checkout: NonNullable<Report['checkout']>): Part => ({
  title: checkout.late ? 'Checkout, late' : 'Checkout',
  name: 'checkout',
  reported: checkout,
});

/** @param path of the review, where the page of the part with all its calls is led to; null: this is that page */
function reportedPart({ title, name, reported }: Part, path: string | null): Html {
  const { services_used: services, tool_calls: calls, delegated_to: delegated, summary } = reported;
  const shown = path === null ? calls : calls.slice(0, MAX_SHOWN);
  const others = calls.length - shown.length;
  return html`<article class="card">
${heading(title, { whole: path === null })}
${summary === null ? nothing : html`<p>${summary}</p>\n`}<dl class="facts">
<dt>Sent</dt><dd>${moment(reported.submitted_at)}</dd>
<dt>Actions</dt><dd>${reported.actions_count}</dd>
<dt>Services</dt><dd>${services.length === 0 ? 'none' : services.join(', ')}</dd>
${delegated.length === 0 ? nothing : html`<dt>Delegated to</dt><dd>${delegated.join(', ')}</dd>\n`}${
    calls.length === 0
      ? nothing
      : html`<dt>Calls</dt><dd><ul>
${shown.map(({ service, method, target }) => html`<li>${service} <code>${method}</code> ${target ?? ''}</li>\n`)}${path === null || others === 0 ? nothing : html`<li>and ${others} more: <a href="${path}?report=${name}">All ${calls.length} calls of ${name === 'checkout' ? 'the checkout' : `checkpoint ${name}`}</a></li>\n`}</ul></dd>\n`
  }</dl>
</article>\n`;
}

/** Part of a report: the checkout, and a page of the checkpoints, both the newest first. */
interface ReportPage {
  parts: Part[];
  /** Checkpoints that came after those of this page, and before them. */
  newer: number;
  older: number;
  /** Whether there is a checkout, which is on the first page. */
  checkedOut: boolean;
  page: number;
}

function pageOfReport({ checkpoints, checkout }: Report, asked: number): ReportPage {
  const page = Math.min(asked, Math.max(1, Math.ceil(checkpoints.length / MAX_SHOWN)));
  const newer = (page - 1) * MAX_SHOWN;
  const shown = checkpoints.toReversed().slice(newer, newer + MAX_SHOWN);
  return {
    parts: [...(checkout === null || page > 1 ? [] : [partOfCheckout(checkout)]), ...shown.map(partOfCheckpoint)],
    newer,
    older: checkpoints.length - newer - shown.length,
    checkedOut: checkout !== null,
    page,
  };
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Above the form that decides: what of the report is not on this page. */
function leftOutOf({ parts, newer, older, checkedOut }: ReportPage): Html {
  const calls = parts.reduce((sum, { reported }) => sum + Math.max(0, reported.tool_calls.length - MAX_SHOWN), 0);
  const left = [
    ...(older > 0 ? [counted(older, 'older checkpoint')] : []),
    ...(newer > 0 ? [`${counted(newer, 'newer checkpoint')}${checkedOut ? ' with the checkout' : ''}`] : []),
    ...(calls > 0 ? [`${counted(calls, 'call')} of the reports above`] : []),
  ];
  return left.length === 0
    ? nothing
    : html`<p class="notice warning">Not on this page: ${left.join(', and ')}. <a href="#report">Links above</a> lead to them.</p>\n`;
}

const reportOf = ({ parts, newer, older, page }: ReportPage, path: string): Html => {
  const link = (to: number, text: string): Html =>
    html`<a class="button" href="${path}?page=${to}#report">${text}</a>\n`;
  const neighbours = html`${newer === 0 ? nothing : link(page - 1, 'Newer')}${older === 0 ? nothing : link(page + 1, 'Older')}`;
  return parts.length === 0
    ? html`<p class="empty">The agent has reported nothing.</p>`
    : html`${parts.map((part) => reportedPart(part, path))}${neighbours.text === '' ? nothing : html`<nav class="actions" aria-label="checkpoints, more">\n${neighbours}</nav>`}`;
};

/** One checkout or checkpoint with all its calls. @throws CarnetError NOT_FOUND */
function shownPart(id: string, { checkpoints, checkout }: Report, asked: string): { title: string; body: Html } {
  const part = [...(checkout === null ? [] : [partOfCheckout(checkout)]), ...checkpoints.map(partOfCheckpoint)].find(
    ({ name }) => name === asked,
  );
  assertThat(part !== undefined, () => notFound('report'));
  return {
    title: part.title,
    body: html`<h1>${part.title}</h1>
${reportedPart(part, null)}
<p><a href="${pathOfReview(id)}">The review</a></p>`,
  };
}

/** Members may block by the call of the API; the page leaves it to those who may approve as well. */
const decision = (decided: { decision: 'approved' | 'blocked'; block_future?: true }) =>
  callAct('', postDecision, {
    input(form: Form, person) {
      assertDecides(person);
      const notes = oneOf(form, 'notes').trim();
      const body = { ...decided, seen: oneOf(form, 'seen'), ...(notes !== '' && { notes }) };
      return { params: { checkoutId: person.visit.id }, body };
    },
    then: (_, { visit: { id } }) => `${HOME}?decided=${id}`,
  });

/** One review with the report that it is about, to decide it. The form says what the person has seen: what came since is refused. */
export const reviewPage = consolePage({
  operation: 'reviewPage',
  path: pathOfReview(':id'),
  async show(person, entered) {
    const { context, id, query } = person.visit;
    const review = await readReview(context, person.caller, id); // the route lists reviews, and has none of one
    const { body: report } = await person.visit.call(getReport, { params: { jti: review.jti } });
    const part = oneOf(query, 'report');
    if (part !== '') return shownPart(id, report, part);
    const asked = oneOf(query, 'page');
    const page = pageOfReport(report, /^[1-9]\d{0,4}$/.test(asked) ? Number(asked) : 1);
    const notes = entered === undefined ? '' : oneOf(entered.form, 'notes');
    const lead = html`<p class="lead">Of the agent ${(await agentOf(person, review.agent_id)).name} ${badge(review.risk)}: what it did comes first, then <a href="#decision">the decision</a>.</p>\n`;
    return {
      title: 'Review',
      live: { ids: [id, review.jti], looks: true },
      body: html`<h1>Review</h1>
${live('outcome', (await reviewOutcome(person, review)) ?? nothing)}${lead}${live('session', html`<h2>The session</h2>\n${sessionTimeline(report)}<h2>Delegation</h2>\n${await sessionTree(person, report.passport)}`)}
<h2 id="report">What the agent reported</h2>
${reportOf(page, pathOfReview(id))}
<h2 id="decision">The decision</h2>
${await reviewCard(person, review, { whole: true, leftOut: leftOutOf(page), notes })}
<p>All of it: <code>GET /v1/passports/${review.jti}/report</code>. <a href="${HOME}">All that waits</a> · <a href="${REVIEWS_PATH}">All reviews</a></p>`,
    };
  },
  acts: {
    approve: decision({ decision: 'approved' }),
    block: decision({ decision: 'blocked' }),
    blockAgent: decision({ decision: 'blocked', block_future: true }),
  },
});
