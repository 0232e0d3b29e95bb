import { purgePaymentEvents, purgePortals } from '../src/billing/index.ts';
import { lookAfterLog } from '../src/claims/index.ts';
import { forgetOldAnswers } from '../src/commands/idempotency.ts';
import type { Context } from '../src/context/context.ts';
import { forgetOldEvents } from '../src/events/index.ts';
import { endpointSecrets } from '../src/inbound/index.ts';
import { releaseOrphanedHolds } from '../src/invocations/index.ts';
import { purgeMails } from '../src/mail/index.ts';
import { destinationSecrets, purgeInvitationMails, purgeVerificationCodes } from '../src/notifications/index.ts';

/** A batch of what is done every few seconds besides looking after lives. @returns whether there may be more. */
type Chore = (context: Context) => Promise<boolean>;

/** Purges what is old, and walks what should be true. One worker at a time does each. */
export const chores: Record<string, Chore> = {
  answers: ({ pool }) => forgetOldAnswers(pool),
  events: ({ pool }) => forgetOldEvents(pool),
  mails: ({ pool }) => purgeMails(pool),
  'payment-events': ({ pool }) => purgePaymentEvents(pool),
  portals: ({ pool }) => purgePortals(pool),
  codes: ({ pool }) => purgeVerificationCodes(pool),
  invitations: ({ pool }) => purgeInvitationMails(pool),
  'endpoint-secrets': async ({ pool }) => (await endpointSecrets.forgetOld(pool), false),
  'destination-secrets': async ({ pool }) => (await destinationSecrets.forgetOld(pool), false),
  holds: async ({ pool }) => (await releaseOrphanedHolds(pool), false),
  log: async (context) => (await lookAfterLog(context), false),
};
