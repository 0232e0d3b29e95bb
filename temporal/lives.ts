import {
  describePayouts,
  describePortals,
  describeRefunds,
  describeSubscriptions,
  describeTopUps,
  reconcilePayouts,
  reconcilePortals,
  reconcileRefunds,
  reconcileSubscriptions,
  reconcileTopUps,
} from '../src/billing/index.ts';
import { describeLogs, reconcileLogs } from '../src/claims/index.ts';
import { describeInbound, reconcileInbound } from '../src/inbound/index.ts';
import { describeInvocations, reconcileInvocations } from '../src/invocations/index.ts';
import { describeMails, reconcileMails } from '../src/mail/index.ts';
import {
  describeNotifications,
  describeVerifications,
  reconcileNotifications,
  reconcileVerifications,
} from '../src/notifications/index.ts';
import { describeSessions, reconcileSessions } from '../src/passports/index.ts';
import type { Context } from '../src/context/context.ts';
import type { LifeDescription } from '../src/commands/life-description.ts';
import type { LifeKind } from '../src/ids/life-ids.ts';
import * as workflows from '../workflows/index.ts';

/**
 * The order in which tasks leave a queue: 1 is money, which somebody waits for or is owed, 5 what nobody waits for. Temporal knows
 * 1 to 5; 3 is its default.
 */
export const Priority = { money: 1, work: 3, last: 5 } as const;
export type Priority = (typeof Priority)[keyof typeof Priority];

/** A kind of life: its workflow, which bears the kind's name, and what its domain knows of the rows. */
export interface LifeDefinition {
  /** Its result is the final status of the row. */
  workflow: () => Promise<string>;
  /** The priority of its tasks and steps. Among those of one priority operators take turns, the first of `operatorIds` each. */
  priority: Priority;
  /** One query for several ids; an id without a row is left out. */
  describe(context: Context, ids: string[]): Promise<Map<string, LifeDescription>>;
  /** Wakes and ends what no life seems to hold, Temporal or not. */
  reconcile(context: Context): Promise<unknown>;
}

export type LifeDefinitions = Record<LifeKind, LifeDefinition>;

/** Every kind of life there is; one that is forgotten here does not compile. */
export const lives: LifeDefinitions = {
  inbound: {
    workflow: workflows.inbound,
    priority: Priority.work,
    describe: describeInbound,
    reconcile: reconcileInbound,
  },
  invocation: {
    workflow: workflows.invocation,
    priority: Priority.work,
    describe: describeInvocations,
    reconcile: reconcileInvocations,
  },
  'log-sequencer': {
    workflow: workflows.logSequencer,
    priority: Priority.work,
    describe: describeLogs,
    reconcile: reconcileLogs,
  },
  mail: { workflow: workflows.mail, priority: Priority.last, describe: describeMails, reconcile: reconcileMails },
  notification: {
    workflow: workflows.notification,
    priority: Priority.work,
    describe: describeNotifications,
    reconcile: reconcileNotifications,
  },
  payout: {
    workflow: workflows.payout,
    priority: Priority.money,
    describe: describePayouts,
    reconcile: reconcilePayouts,
  },
  portal: {
    workflow: workflows.portal,
    priority: Priority.money,
    describe: describePortals,
    reconcile: reconcilePortals,
  },
  refund: {
    workflow: workflows.refund,
    priority: Priority.money,
    describe: describeRefunds,
    reconcile: reconcileRefunds,
  },
  session: {
    workflow: workflows.session,
    priority: Priority.work,
    describe: describeSessions,
    reconcile: reconcileSessions,
  },
  subscription: {
    workflow: workflows.subscription,
    priority: Priority.money,
    describe: describeSubscriptions,
    reconcile: reconcileSubscriptions,
  },
  'top-up': {
    workflow: workflows.topUp,
    priority: Priority.money,
    describe: describeTopUps,
    reconcile: reconcileTopUps,
  },
  verification: {
    workflow: workflows.verification,
    priority: Priority.work,
    describe: describeVerifications,
    reconcile: reconcileVerifications,
  },
};
