import { purgeAuditEvents } from '../accounts/index.ts';
import { purgeClaimPayloads } from '../claims/index.ts';
import type { PurgeStep } from '../commands/purge.ts';
import { purgeInboundContents } from '../inbound/index.ts';
import { purgeInvocationContents } from '../invocations/index.ts';
import { purgeSkillRequests } from '../skill-requests/index.ts';

interface Content {
  /** Under which the table `tier_retention` has its ages by tier. */
  name: string;
  /** Purges a batch of it. */
  purge: PurgeStep;
}

/**
 * The one list of what is purged, in the order of a run: the workflow has no step for each, or a new content would change it. Closed holds and the
 * spending of old months are not in it: they hold nothing but money, and the proof of the ledger compares each with its transfer and its invocation.
 */
export const CONTENTS: readonly [Content, ...Content[]] = [
  { name: 'audit_events', purge: purgeAuditEvents },
  { name: 'invocation_contents', purge: purgeInvocationContents },
  { name: 'inbound_contents', purge: purgeInboundContents },
  { name: 'claim_payloads', purge: purgeClaimPayloads },
  { name: 'skill_requests', purge: purgeSkillRequests },
];
