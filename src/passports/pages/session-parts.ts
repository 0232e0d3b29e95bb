import { timeline, tree, type Milestone, type TreeNode } from '../../console/charts.ts';
import { badge } from '../../console/parts.ts';
import { HOME, idLink } from '../../console/places.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import { html, type Html } from '../../http/pages/html.ts';
import { moment } from '../../http/pages/moment.ts';
import type { AccountabilityReport } from '../accountability/schema.ts';
import { search } from '../lists/routes.ts';
import type { Passport } from '../schema.ts';

/*
 * Parts of pages about the session of a passport: what happened when, and who was given a part of it.
 */

const nothing = html``;

/** Milestones of a timeline at most: a person reads each. Those in the middle are left out. */
const MAX_STEPS = 60;
/** Passports of a tree at most, one page of the list. */
const MAX_PASSPORTS = 100;

interface Event extends Milestone {
  at: string;
}

/** A checkpoint is late where its own report raised the flag that says so. */
function checkpointsOf({ checkpoints, flags, passport }: AccountabilityReport): Event[] {
  const late = new Set(flags.flatMap(({ type, raised_at: at }) => (type === 'late_checkpoint' ? [at] : [])));
  return checkpoints.map(({ sequence, submitted_at: at }) => ({
    what: `Checkpoint ${sequence}`,
    at,
    ...(late.has(at) ? { state: 'late' } : passport.checkpoint_interval_seconds === null ? {} : { state: 'in time' }),
  }));
}

const flagsOf = ({ flags }: AccountabilityReport): Event[] =>
  flags.map(({ type, severity, message, raised_at: at }) => ({
    what: html`Flag: <code>${type}</code>`,
    at,
    state: severity === 'critical' ? 'critical' : 'flagged',
    detail: html`<span class="muted small">${message}</span>`,
  }));

function endOf({ passport, checkout, review }: AccountabilityReport): Milestone[] {
  const { status, revoked_at: revoked, expires_at: until } = passport;
  return [
    ...(checkout === null ? [] : [{ what: checkout.late ? 'Checkout, late' : 'Checkout', at: checkout.submitted_at }]),
    ...(revoked === null
      ? []
      : [
          {
            what: 'Revoked',
            at: revoked,
            state: 'revoked',
            detail: html`<span class="muted small">${passport.revoke_reason ?? ''}</span>`,
          },
        ]),
    ...(status === 'expired' ? [{ what: 'Expired', at: until }] : []),
    ...(review?.decided_at === null || review === null
      ? []
      : [{ what: 'The review was decided', at: review.decided_at, state: review.status }]),
  ];
}

/** The milestones that are still to come. */
function toCome({ passport, checkout, review }: AccountabilityReport): Milestone[] {
  const milestones: Milestone[] = [];
  if (checkout === null && passport.checkpoint_interval_seconds !== null && passport.status === 'active') {
    const from = passport.last_checkpoint_at ?? passport.issued_at;
    const due = new Date(Date.parse(from) + passport.checkpoint_interval_seconds * 1_000).toISOString();
    milestones.push({
      what: 'The next checkpoint',
      at: null,
      detail: html`<span class="muted small">an interval after the last report: ${moment(due)}</span>`,
    });
  }
  if (passport.status === 'active')
    milestones.push({
      what: 'Expires',
      at: null,
      detail: html`<span class="muted small">${moment(passport.expires_at)}</span>`,
    });
  if (review?.status === 'pending')
    milestones.push({ what: 'A person decides the review', at: null, state: 'pending' });
  return milestones;
}

/** A passport with its refreshes as it went: issued, reports and their deadlines, flags, the end, the decision. */
export function sessionTimeline(report: AccountabilityReport): Html {
  const { passport } = report;
  const events = [
    { what: 'Issued', at: passport.issued_at, detail: intentOf(passport) },
    ...checkpointsOf(report),
    ...flagsOf(report),
    ...endOf(report),
  ].toSorted((one, other) => Date.parse(one.at ?? '') - Date.parse(other.at ?? ''));
  const left = events.length - MAX_STEPS;
  const shown =
    left <= 0
      ? events
      : [
          ...events.slice(0, MAX_STEPS / 2),
          { what: `${left} steps that are not shown`, at: null },
          ...events.slice(-MAX_STEPS / 2),
        ];
  return timeline('The session, step by step', [...shown, ...toCome(report)]);
}

const intentOf = ({ intent_summary: summary }: Passport): Html =>
  summary === null ? nothing : html`<span class="muted small">Intent: ${summary}</span>`;

const nodeOf = ({ jti, agent_id: agent, status, expires_at: until }: Passport, at: string): Html =>
  html`${jti === at ? html`<strong>${idLink(jti)}</strong> (this one)` : idLink(jti)} ${badge(status)} <span class="muted">of ${idLink(agent)}, until ${moment(until)}</span>`;

/** The passports of a session as a tree of what was delegated from which, where there is more than one. */
export async function sessionTree({ visit }: PersonsVisit, { session_id: session, jti }: Passport): Promise<Html> {
  const { body, links } = await visit.call(search, { query: { session_id: session, limit: String(MAX_PASSPORTS) } });
  const all = body.passports.toReversed();
  const known = new Set(all.map((one) => one.jti));
  const below = new Map<string | null, Passport[]>();
  for (const one of all) {
    const above = one.parent_passport_id !== null && known.has(one.parent_passport_id) ? one.parent_passport_id : null;
    below.set(above, [...(below.get(above) ?? []), one]);
  }
  const nodes = (above: string | null): TreeNode[] =>
    (below.get(above) ?? []).map((one) => ({ content: nodeOf(one, jti), children: nodes(one.jti) }));
  const more =
    links.next === undefined
      ? nothing
      : html`<p class="muted">These are the newest ${MAX_PASSPORTS}. <a href="${HOME}/passports?status=all&session_id=${encodeURIComponent(session)}">All of the session</a></p>\n`;
  return html`${tree('Passports of the session', nodes(null))}${more}`;
}
