import { z } from 'zod';
import { json } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import {
  CheckoutSchema,
  CheckpointSchema,
  FlagSchema,
  ReviewSchema,
  type DecideReview,
  type Review,
  type ReviewsQuery,
} from './schema.ts';
import { PASSPORT_CLAIM } from '../token.ts';

const ReviewRow = z.object({ review: json.pipe(ReviewSchema) });
const CountRow = z.object({ count: z.int() });

/** A page of an operator's reviews of this status, newest first, and how many there are in all. */
export async function pageOfReviews(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { status, page, limit }: ReviewsQuery,
): Promise<{ reviews: Review[]; total: number }> {
  const where = sql.fragment`
    operator_id = ${operatorId} and review_status is not null and review_status = ${status}`;
  const total = await connection.oneFirst(sql.type(CountRow)`select count(*) from checkouts where ${where}`);
  const rows = await connection.any(sql.type(ReviewRow)`
    select review_json(c)::text as review from checkouts c where ${where}
    order by id desc limit ${limit} offset ${(page - 1) * limit}`);
  return { reviews: rows.map(({ review }) => review), total };
}

/** Null where it is another operator's. */
export async function findReview(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  checkoutId: string,
): Promise<Review | null> {
  const row = await connection.maybeOne(sql.type(ReviewRow)`
    select review_json(c)::text as review from checkouts c
    where id = ${checkoutId} and operator_id = ${operatorId} and review_status is not null`);
  return row?.review ?? null;
}

const LockedReviewRow = ReviewRow.extend({
  session_id: z.string(),
  /** The claim of the agent's report; null: it has not come. */
  claim_id: z.string().nullable(),
  block_future: z.boolean(),
  revoked_count: z.int(),
});
/** A review with what deciding it needs. */
export type LockedReview = z.output<typeof LockedReviewRow>;

/** Reads a review and locks it until the transaction ends. @returns null for another operator's. */
export const lockReview = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  checkoutId: string,
): Promise<LockedReview | null> =>
  connection.maybeOne(sql.type(LockedReviewRow)`
    select review_json(c)::text as review, session_id, claim_id, block_future, revoked_count
    from lock_review(${operatorId}, ${checkoutId}) as c where c.id is not null`);

/**
 * Makes issue, delegate and refresh of the operator wait until the transaction ends. Call it before the review is
 * locked: what is slow to get is locked first (rule 12).
 */
export const lockPassportsExclusively = async (connection: CommonQueryMethods, operatorId: OperatorId): Promise<void> =>
  void (await connection.query(sql.type(z.object({}))`select from lock_passports_exclusively(${operatorId})`));

const DecidedRow = z.object({ revoked: z.array(z.string()) });

interface ReviewDecision {
  decision: DecideReview;
  /** Whether the lineage and its descendants are revoked. */
  revoke: boolean;
  /** Who decided, as the audit trail names them. */
  actor: string;
}

/** Decides a locked review. @returns the passports that this revoked. */
export async function saveDecision(
  connection: CommonQueryMethods,
  checkoutId: string,
  { decision: { decision, block_future, notes }, revoke, actor }: ReviewDecision,
): Promise<string[]> {
  const { revoked } = await connection.one(sql.type(DecidedRow)`
    select decide_review(${checkoutId}, ${decision}, ${block_future}, ${revoke}, ${notes ?? null}, ${actor})
      as revoked`);
  return revoked;
}

const YesRow = z.object({ yes: z.boolean() });

interface BlockOfReview {
  review: Review;
  /** Who decided, as the audit trail names them. */
  actor: string;
  notes: string | undefined;
}

/** Whether the agent is blocked by this very decision on the review, until the transaction ends. */
export const isBlockedSo = (
  connection: CommonQueryMethods,
  { review, actor, notes }: BlockOfReview,
): Promise<boolean> =>
  connection.oneFirst(sql.type(YesRow)`
    select is_blocked_so(${review.agent_id}, ${review.checkout_id}, ${actor}, ${notes ?? null}) as yes`);

interface BlockOfAgent {
  operatorId: OperatorId;
  agentId: string;
  actor: string;
  notes: string | undefined;
}

/** The caller has the operator's passports exclusively. @returns whether it is a block that was not there before */
export const blockWithoutReview = (
  connection: CommonQueryMethods,
  { operatorId, agentId, actor, notes }: BlockOfAgent,
): Promise<boolean> =>
  connection.oneFirst(sql.type(YesRow)`
    select block_without_review(${operatorId}, ${agentId}, ${actor}, ${notes ?? null}) as yes`);

const ReportRow = z.object({
  chain: json.pipe(z.array(z.string())),
  checkpoints: json.pipe(z.array(CheckpointSchema)),
  checkout: json.pipe(CheckoutSchema).nullable(),
  flags: json.pipe(z.array(FlagSchema)),
  review: json.pipe(ReviewSchema).nullable(),
});
type ReportParts = z.output<typeof ReportRow>;

/** Reports on a passport and all its refreshes, with flags and review. @returns null for another operator's. */
export const findReport = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  jti: string,
): Promise<ReportParts | null> =>
  connection.maybeOne(sql.type(ReportRow)`
    select
      (p.payload::json -> ${PASSPORT_CLAIM} -> 'chain')::text as chain,
      (select coalesce(json_agg(checkpoint_json(c) order by c.sequence), '[]')::text
        from checkpoints c where c.lineage_id = p.lineage_id) as checkpoints,
      (select checkout_json(c)::text
        from checkouts c where c.lineage_id = p.lineage_id and c.submitted_at is not null) as checkout,
      flags_json(p.lineage_id)::text as flags,
      (select review_json(c)::text
        from checkouts c where c.lineage_id = p.lineage_id and c.review_status is not null) as review
    from passports p where p.jti = ${jti} and p.operator_id = ${operatorId}`);
