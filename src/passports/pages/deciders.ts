import { z } from 'zod';
import { findMemberEmails } from '../../accounts/index.ts';
import { newestIssued } from '../../claims/index.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import type { Review } from '../accountability/schema.ts';

/** Who decided a review, and how people know them. */
export interface Decider {
  id: string;
  /** An address of a member, or the id. */
  name: string;
}

const OperatorReview = z.object({ checkout_id: z.string(), decided_by: z.string() });

/**
 * Who decided these reviews, by the id of the checkout, read together. A review itself does not say it; the claim of its decision does. One that
 * nobody has decided, or whose claim is erased, is left out.
 */
export async function decidersOf(
  { visit, caller }: PersonsVisit,
  reviews: readonly Review[],
): Promise<ReadonlyMap<string, Decider>> {
  const decided = reviews.filter(({ status }) => status !== 'pending');
  if (decided.length === 0) return new Map();
  const claims = await newestIssued(visit.context, caller, {
    subjects: [...new Set(decided.map(({ jti }) => `carnet://passport/${jti}`))],
    claimType: 'operator_review',
  });
  const said = claims.flatMap(({ envelope }) => OperatorReview.safeParse(envelope.payload).data ?? []);
  const ids = said.map(({ decided_by: id }) => id);
  const emails = await findMemberEmails(visit.context.pool, caller.operatorId, ids);
  return new Map(
    said.map(({ checkout_id: checkout, decided_by: id }) => [checkout, { id, name: emails.get(id) ?? id }]),
  );
}
