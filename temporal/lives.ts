import {
  describePayouts,
  describePortals,
  describeRefunds,
  describeSubscriptions,
  describeTopUps,
} from '../src/billing/index.ts';
import { describeLogs, lookAtLogs } from '../src/claims/index.ts';
import { describeInbound } from '../src/inbound/index.ts';
import { describeInvocations, lookAtInvocations } from '../src/invocations/index.ts';
import { describeMails } from '../src/mail/index.ts';
import {
  describeBriefings,
  describeNotifications,
  describeVerifications,
  lookAtNotifications,
} from '../src/notifications/index.ts';
import { describeSessions, lookAtSessions } from '../src/passports/index.ts';
import type { LookOfLives } from '../src/commands/lives.ts';
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
  /**
   * Looks at lives that are due without a run, where the database alone can do what is due; priority `work`. Absent: they are delivered, and
   * wait for Temporal.
   */
  look?: LookOfLives;
}

export type LifeDefinitions = Record<LifeKind, LifeDefinition>;

/** Every kind of life there is; one that is forgotten here does not compile. */
export const lives: LifeDefinitions = {
  // The column of `lives` has this for kinds that it does not name. An agent waits for a person.
  briefing: { workflow: workflows.briefing, priority: Priority.money, describe: describeBriefings },
  inbound: {
    workflow: workflows.inbound,
    priority: Priority.work,
    describe: describeInbound,
  },
  invocation: {
    workflow: workflows.invocation,
    priority: Priority.work,
    describe: describeInvocations,
    look: lookAtInvocations,
  },
  'log-sequencer': {
    workflow: workflows.logSequencer,
    priority: Priority.work,
    describe: describeLogs,
    look: lookAtLogs,
  },
  mail: { workflow: workflows.mail, priority: Priority.last, describe: describeMails },
  notification: {
    workflow: workflows.notification,
    priority: Priority.work,
    describe: describeNotifications,
    look: lookAtNotifications,
  },
  payout: {
    workflow: workflows.payout,
    priority: Priority.money,
    describe: describePayouts,
  },
  portal: {
    workflow: workflows.portal,
    priority: Priority.money,
    describe: describePortals,
  },
  refund: {
    workflow: workflows.refund,
    priority: Priority.money,
    describe: describeRefunds,
  },
  session: {
    workflow: workflows.session,
    priority: Priority.work,
    describe: describeSessions,
    look: lookAtSessions,
  },
  subscription: {
    workflow: workflows.subscription,
    priority: Priority.money,
    describe: describeSubscriptions,
  },
  'top-up': {
    workflow: workflows.topUp,
    priority: Priority.money,
    describe: describeTopUps,
  },
  verification: {
    workflow: workflows.verification,
    priority: Priority.work,
    describe: describeVerifications,
  },
};
