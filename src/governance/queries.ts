import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { ApprovalId, OperatorId } from '../ids/ids.ts';
import type { ApprovalStatus } from './schema.ts';

/** The request that an approval is bound to. */
export interface BoundRequest {
  operatorId: OperatorId;
  method: string;
  path: string;
  /** SHA-256 of the body as JCS. */
  digest: Buffer;
}

/**
 * Uses up the approval of this request.
 * @returns false where it is not approved, expired, used or of another request.
 */
export const consumeApproval = async (
  connection: CommonQueryMethods,
  id: string,
  { operatorId, method, path, digest }: BoundRequest,
): Promise<boolean> => {
  const { rowCount } = await connection.query(sql.type(z.object({}))`
    update governance_approvals set status = 'consumed', consumed_at = clock_timestamp()
    where id = ${id} and operator_id = ${operatorId} and method = ${method} and path = ${path}
      and body_digest = ${sql.binary(digest)} and status = 'approved' and expires_at > clock_timestamp()`);
  return rowCount === 1;
};

const LiveRow = z.object({
  id: z.string(),
  status: z.enum(['pending', 'approved']),
  expires_at: z.string(),
  made: z.boolean(),
});
export type LiveApproval = z.infer<typeof LiveRow>;

/**
 * Finds the pending or approved approval of this request, or makes one with the given id.
 * @param body sealed under that id.
 */
export const requestApproval = (
  connection: CommonQueryMethods,
  request: BoundRequest & { id: ApprovalId; action: string; body: string; requestedBy: string; seconds: number },
): Promise<LiveApproval> =>
  connection.one(sql.type(LiveRow)`
    select id, status, expires_at, made from request_approval(${request.id}, ${request.operatorId}, ${request.action},
      ${request.method}, ${request.path}, ${sql.binary(request.digest)}, ${request.body}, ${request.requestedBy}, ${request.seconds})`);

const StatusRow = z.object({
  status: z.enum(['pending', 'approved', 'rejected', 'expired', 'consumed']),
  fits: z.boolean(),
});

/** The status of an approval, and whether it is of this request; null where the operator has none of this id. */
export const findApprovalStatus = (
  connection: CommonQueryMethods,
  id: string,
  { operatorId, method, path, digest }: BoundRequest,
): Promise<{ status: ApprovalStatus; fits: boolean } | null> =>
  connection.maybeOne(sql.type(StatusRow)`
    select status, method = ${method} and path = ${path} and body_digest = ${sql.binary(digest)} as fits
    from governance_approvals_shown where id = ${id} and operator_id = ${operatorId}`);
