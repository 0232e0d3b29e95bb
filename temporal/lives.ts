import { describePayouts } from '../src/billing/payouts/describe.ts';
import { reconcilePayouts } from '../src/billing/payouts/life.ts';
import { describePortals, reconcilePortals } from '../src/billing/subscriptions/portal/life.ts';
import { describeRefunds, reconcileRefunds } from '../src/billing/payments/refunds/life.ts';
import { describeSubscriptions, reconcileSubscriptions } from '../src/billing/subscriptions/life.ts';
import { describeTopUps, reconcileTopUps } from '../src/billing/payments/top-ups/life.ts';
import type { Context } from '../src/context/context.ts';
import { describeInvocations, reconcileInvocations } from '../src/invocations/index.ts';
import { describeMails, reconcileMails } from '../src/mail/index.ts';
import { describeSessions } from '../src/passports/accountability/describe-sessions.ts';
import { reconcileSessions } from '../src/passports/accountability/reconcile-sessions.ts';
import {
  mailMessage,
  operatorSubscription,
  passportSession,
  payout,
  portalSession,
  refund,
  skillInvocation,
  topUp,
} from '../workflows/index.ts';
import type { LifeAttributes } from './search-attributes.ts';
import { TaskQueue } from './task-queues.ts';
import type { LifeKind } from '../src/ids/life-ids.ts';

/** What a person sees of a run from its start. */
export interface LifeDescription extends LifeAttributes {
  summary: string;
  details: string;
}

/** How a life of one kind is started. */
export interface LifeDefinition {
  workflow: () => Promise<void>;
  taskQueue: TaskQueue;
  /** One query for several ids; an id without a row is left out. */
  describe(context: Context, ids: string[]): Promise<Map<string, LifeDescription>>;
  /** Wakes and ends what no life seems to hold, Temporal or not (architecture rule 11). */
  reconcile(context: Context): Promise<unknown>;
}

export type LifeDefinitions = Record<LifeKind, LifeDefinition>;

export const lives: LifeDefinitions = {
  invocation: {
    workflow: skillInvocation,
    taskQueue: TaskQueue.lives,
    describe: describeInvocations,
    reconcile: reconcileInvocations,
  },
  mail: {
    workflow: mailMessage,
    taskQueue: TaskQueue.lives,
    describe: describeMails,
    reconcile: reconcileMails,
  },
  payout: {
    workflow: payout,
    taskQueue: TaskQueue.lives,
    describe: describePayouts,
    reconcile: reconcilePayouts,
  },
  portal: {
    workflow: portalSession,
    taskQueue: TaskQueue.lives,
    describe: describePortals,
    reconcile: reconcilePortals,
  },
  refund: {
    workflow: refund,
    taskQueue: TaskQueue.lives,
    describe: describeRefunds,
    reconcile: reconcileRefunds,
  },
  session: {
    workflow: passportSession,
    taskQueue: TaskQueue.lives,
    describe: describeSessions,
    reconcile: reconcileSessions,
  },
  subscription: {
    workflow: operatorSubscription,
    taskQueue: TaskQueue.lives,
    describe: describeSubscriptions,
    reconcile: reconcileSubscriptions,
  },
  'top-up': {
    workflow: topUp,
    taskQueue: TaskQueue.lives,
    describe: describeTopUps,
    reconcile: reconcileTopUps,
  },
};
