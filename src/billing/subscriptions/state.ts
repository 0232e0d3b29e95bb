import type { PaidTier } from '../../fields/tiers.ts';
import { changeTier } from '../../accounts/index.ts';
import type { Unit } from '../../commands/unit.ts';
import { endAlarm, raiseAlarm } from '../cases/queries.ts';
import type { SubscriptionState } from '../../context/payment-provider.ts';
import { endChange, findChangeInFlight } from './change-queries.ts';
import {
  auditSubscription,
  isSettledSurplus,
  lockSubscription,
  noteSurplus,
  planFetchNow,
  purchasableSeats,
  saveSubscription,
  type SubscriptionRow,
  type DesiredTerms,
} from './queries.ts';

/** The state of a subscription as the provider reported it. */
interface ReportedState {
  state: SubscriptionState;
  /** As of when, ISO 8601. */
  at: string;
  /**
   * The last revision of the operator's terms that the provider knew; null, for an event: the last one that it
   * confirmed.
   */
  knownRevision: number | null;
}

/** Whether there is a subscription at the provider, paid or not. */
export const isRunning = ({ status }: Pick<SubscriptionRow, 'status'>): boolean =>
  status === 'active' || status === 'past_due' || status === 'unpaid';

/**
 * Whether the subscription gives its tier: past_due does, since the provider still tries to collect; unpaid does not.
 */
export const isPaid = ({ status }: Pick<SubscriptionRow, 'status'>): boolean =>
  status === 'active' || status === 'past_due';

const statuses = {
  active: 'active',
  past_due: 'past_due',
  unpaid: 'unpaid',
  incomplete: 'unpaid',
  canceled: 'ended',
} as const satisfies Record<SubscriptionState['status'], SubscriptionRow['status']>;

const noTerms: DesiredTerms = { cancel_at_period_end: false, next_tier: null, purchased_seats: 0 };

/**
 * Applies what the provider reported, in any order and any number of times: a report older than the row changes
 * nothing, and terms that the operator decided since are not overwritten. The tier of the operator follows, and the
 * change that waited for it is done. The caller has locked the operator.
 * @returns the subscription as it is now.
 */
export async function takeState(unit: Unit, operatorId: string, reported: ReportedState): Promise<SubscriptionRow> {
  const { connection } = unit;
  const before = await lockSubscription(connection, operatorId);
  const { subscriptionId } = reported.state;
  await notePrice(connection, operatorId, { before, reported });
  if (isSecondSubscription(before, reported) && (await noteSurplus(connection, { operatorId, subscriptionId }))) {
    await auditSubscription(connection, {
      operatorId,
      action: 'subscription.second',
      detail: {
        subscription_id: subscriptionId,
      },
    });
    await planFetchNow(connection, operatorId); // which gives it back
  }
  if (!isRelevant(before, reported)) return before;
  const merged = merge(before, reported);
  const changed = await finishChange(unit, operatorId, merged);
  const after = await withinCeiling(unit, operatorId, changed);
  await saveSubscription(connection, operatorId, after);
  await giveTier(unit, operatorId, { before, after });
  await auditDifference(unit, operatorId, { before, after });
  unit.changed(operatorId);
  return after;
}

/**
 * Days after which a subscription that the provider does not know is unpaid; the provider's own time to collect is about
 * as long.
 */
const UNKNOWN_DAYS = 14;

/**
 * The provider says that it does not know the subscription that runs. That may be a wrong key, which a person puts right,
 * so the tier is kept as one that is past due; after two weeks, counted from the end of what was paid, nobody pays it. One
 * that was canceled ends with its period. The caller has locked the operator.
 */
export async function takeUnknown(unit: Unit, operatorId: string): Promise<void> {
  const { connection } = unit;
  const before = await lockSubscription(connection, operatorId);
  if (!isRunning(before)) return;
  const unknown_since = before.unknown_since ?? before.read_at;
  const now = Date.parse(before.read_at);
  const end = Date.parse(before.period_end ?? unknown_since);
  const isOver = before.cancel_at_period_end && end <= now;
  const isGivenUp = Math.max(Date.parse(unknown_since), end) + UNKNOWN_DAYS * 86_400_000 <= now;
  const after: SubscriptionRow = {
    ...before,
    ...(isOver && noTerms),
    status: isOver ? 'ended' : isGivenUp || before.status === 'unpaid' ? 'unpaid' : 'past_due',
    unknown_since,
    pushed_revision: before.revision, // there is nobody to push it to
  };
  await saveSubscription(connection, operatorId, after);
  await giveTier(unit, operatorId, { before, after });
  await auditDifference(unit, operatorId, { before, after });
  unit.changed(operatorId);
}

/**
 * Whether the operator has two subscriptions. Nobody can buy a second one here on purpose, so the life ends it and gives
 * back what was paid.
 */
const isSecondSubscription = (before: SubscriptionRow, { state }: ReportedState): boolean =>
  isRunning(before) &&
  before.subscription_id !== state.subscriptionId &&
  (state.status === 'active' || state.status === 'past_due');

function isRelevant(before: SubscriptionRow, { state, at }: ReportedState): boolean {
  if (before.state_at !== null && Date.parse(at) < Date.parse(before.state_at)) return false;
  // A subscription that ended never comes back; the next one has another id.
  if (before.subscription_id === state.subscriptionId) return before.status !== 'ended';
  return !isRunning(before) && state.tier !== null && (state.status === 'active' || state.status === 'past_due');
}

/** Whether it has a price that no setting names: what it says of tier or seats is not known, and a person must look. */
export const hasUnknownPrice = ({ tier, purchasedSeats }: SubscriptionState): boolean =>
  tier === null || purchasedSeats === null;

/**
 * Somebody pays for what does not count here, until a setting names the price or the subscription is over. The row has
 * the time of its own subscription alone, so a late report of another one may raise it again: not once that one was
 * decided about, since nothing would end it.
 */
async function notePrice(
  connection: Unit['connection'],
  operatorId: string,
  { before, reported: { state, at } }: { before: SubscriptionRow; reported: ReportedState },
): Promise<void> {
  const { subscriptionId } = state;
  const isOther = before.subscription_id !== subscriptionId;
  if (!isOther && before.state_at !== null && Date.parse(at) < Date.parse(before.state_at)) return;
  const alarm = { kind: 'unknown_price', concerns: subscriptionId } as const;
  if (!hasUnknownPrice(state) || !isPaid({ status: statuses[state.status] })) return await endAlarm(connection, alarm);
  if (isOther && isRunning(before) && (await isSettledSurplus(connection, subscriptionId))) return;
  await raiseAlarm(connection, { ...alarm, operatorId });
}

function merge(before: SubscriptionRow, { state, at, knownRevision }: ReportedState): SubscriptionRow {
  const status = statuses[state.status];
  const isNew = before.subscription_id !== state.subscriptionId;
  const pushed_revision = Math.max(before.pushed_revision, knownRevision ?? 0);
  const current = {
    ...before,
    status,
    subscription_id: state.subscriptionId,
    tier: state.tier ?? before.tier,
    period_start: state.currentPeriodStart.toISOString(),
    period_end: state.currentPeriodEnd.toISOString(),
    state_at: at,
    unknown_since: null,
  };
  if (status === 'ended') return { ...current, ...noTerms, pushed_revision: before.revision };
  const decidedSince = !isNew && (knownRevision ?? before.pushed_revision) < before.revision;
  if (decidedSince) return { ...current, pushed_revision };
  return {
    ...current,
    pushed_revision: before.revision,
    cancel_at_period_end: state.cancelAtPeriodEnd,
    next_tier: state.nextTier,
    purchased_seats: state.purchasedSeats ?? before.purchased_seats,
  };
}

/**
 * Ends the change that waited for this state, or that this state makes pointless. A paid upgrade takes back a
 * cancellation or a planned smaller tier.
 */
async function finishChange({ connection }: Unit, operatorId: string, row: SubscriptionRow): Promise<SubscriptionRow> {
  const change = await findChangeInFlight(connection, operatorId);
  if (change === null) return row;
  if (isPaid(row) && row.tier === change.tier) {
    await endChange(connection, change.id, { status: 'done', closing: false });
    const undone = change.kind === 'upgrade' && (row.cancel_at_period_end || row.next_tier !== null);
    return undone ? { ...row, cancel_at_period_end: false, next_tier: null, revision: row.revision + 1 } : row;
  }
  if ((change.kind === 'start') === isRunning(row))
    await endChange(connection, change.id, { status: 'superseded', closing: true });
  return row;
}

/** Lowers the bought seats to the ceiling of the tier: those above would be paid for and could not be used. */
async function withinCeiling({ connection }: Unit, operatorId: string, row: SubscriptionRow): Promise<SubscriptionRow> {
  if (row.purchased_seats === 0 || row.tier === null) return row;
  const most = await purchasableSeats(connection, row.tier);
  if (most === null || row.purchased_seats <= most) return row;
  await auditSubscription(connection, {
    operatorId,
    action: 'subscription.seats_lowered',
    detail: {
      from: row.purchased_seats,
      to: most,
    },
  });
  return { ...row, purchased_seats: most, revision: row.revision + 1 };
}

/** Gives the operator the tier that is paid for. A larger tier that the platform gave in between stays. */
async function giveTier(unit: Unit, operatorId: string, { before, after }: Difference): Promise<void> {
  const change = { from: paidTierOf(before), to: paidTierOf(after) };
  if (change.from !== change.to) await changeTier(unit, operatorId, change);
}

const paidTierOf = (row: SubscriptionRow): PaidTier | 'free' => (isPaid(row) && row.tier !== null ? row.tier : 'free');

interface Difference {
  before: SubscriptionRow;
  after: SubscriptionRow;
}

async function auditDifference({ connection }: Unit, operatorId: string, { before, after }: Difference): Promise<void> {
  const audit = (action: string, detail: Record<string, unknown>) =>
    auditSubscription(connection, { operatorId, action: `subscription.${action}`, detail });
  const { tier, period_end } = after;
  if (before.subscription_id !== after.subscription_id) return await audit('started', { tier, period_end });
  if (after.status === 'ended') return await audit('ended', { tier });
  if (before.status !== after.status) await audit(after.status === 'active' ? 'paid' : after.status, { tier });
  if (before.tier !== tier) await audit('tier_changed', { from: before.tier, to: tier });
  if (isLater(after, before)) await audit('renewed', { tier, period_end });
}

/** Events carry whole seconds, answers may carry fractions of the same moment: a difference below a second is none. */
const isLater = (after: SubscriptionRow, before: SubscriptionRow): boolean =>
  Date.parse(after.period_start ?? '') - Date.parse(before.period_start ?? '') >= 1_000;
