import { z } from 'zod';
import { findMember } from '../../accounts/index.ts';
import { pageOfClaims } from '../../claims/index.ts';
import type { PersonsVisit } from '../../console/visits.ts';
import type { Review } from '../accountability/schema.ts';

/** Who decided a review, and how people know them. */
export interface Decider {
  id: string;
  /** An address of a member, or the id. */
  name: string;
}

const OperatorReview = z.object({ checkout_id: z.string(), decided_by: z.string() });

/** The review itself does not say who decided it; the claim of the decision does. Null: nobody has, or the claim is erased. */
export async function deciderOf(
  { visit, caller }: PersonsVisit,
  { jti, checkout_id: checkoutId, status }: Review,
): Promise<Decider | null> {
  if (status === 'pending') return null;
  const filters = { subject: `carnet://passport/${jti}`, claim_type: 'operator_review' as const };
  const { claims } = await pageOfClaims(visit.context, caller, { filters, before: null, limit: 1 });
  const { data } = OperatorReview.safeParse(claims[0]?.envelope.payload);
  if (data?.checkout_id !== checkoutId) return null;
  const { decided_by: id } = data;
  const member = id.startsWith('mem_') ? await findMember(visit.context.pool, caller.operatorId, id) : null;
  return { id, name: member?.email ?? id };
}
