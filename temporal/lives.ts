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
import { describeInvocations, reconcileInvocations } from '../src/invocations/index.ts';
import { describeMails, reconcileMails } from '../src/mail/index.ts';
import { describeSessions, reconcileSessions } from '../src/passports/index.ts';
import type { Context } from '../src/context/context.ts';
import type { LifeKind } from '../src/ids/life-ids.ts';
import * as workflows from '../workflows/index.ts';
import type { LifeAttributes } from './search-attributes.ts';

/** What a person sees of a run from its start. */
export interface LifeDescription extends LifeAttributes {
  summary: string;
  details: string;
}

/** A kind of life: its workflow, which bears the kind's name, and what its domain knows of the rows. */
export interface LifeDefinition {
  workflow: () => Promise<void>;
  /** One query for several ids; an id without a row is left out. */
  describe(context: Context, ids: string[]): Promise<Map<string, LifeDescription>>;
  /** Wakes and ends what no life seems to hold, Temporal or not. */
  reconcile(context: Context): Promise<unknown>;
}

export type LifeDefinitions = Record<LifeKind, LifeDefinition>;

/** Every kind of life there is; one that is forgotten here does not compile. */
export const lives: LifeDefinitions = {
  invocation: { workflow: workflows.invocation, describe: describeInvocations, reconcile: reconcileInvocations },
  mail: { workflow: workflows.mail, describe: describeMails, reconcile: reconcileMails },
  payout: { workflow: workflows.payout, describe: describePayouts, reconcile: reconcilePayouts },
  portal: { workflow: workflows.portal, describe: describePortals, reconcile: reconcilePortals },
  refund: { workflow: workflows.refund, describe: describeRefunds, reconcile: reconcileRefunds },
  session: { workflow: workflows.session, describe: describeSessions, reconcile: reconcileSessions },
  subscription: {
    workflow: workflows.subscription,
    describe: describeSubscriptions,
    reconcile: reconcileSubscriptions,
  },
  'top-up': { workflow: workflows.topUp, describe: describeTopUps, reconcile: reconcileTopUps },
};
