import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { ApprovalStatus } from './schema.ts';

/** One request as an approval is bound to it. */
export interface BoundRequest {
  operatorId: string;
  method: string;
  path: string;
  /** SHA-256 of JCS(body). */
  digest: Buffer;
}

/** Takes the approval for this request, once; false where it is not approved, over, used, or another request's. */
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

/** The live approval of this request, made under the given id if there is none. @param body sealed under that id. */
export const requestApproval = (
  connection: CommonQueryMethods,
  asked: BoundRequest & { id: string; action: string; body: string; requestedBy: string; seconds: number },
): Promise<LiveApproval> =>
  connection.one(sql.type(LiveRow)`
    select id, status, expires_at, made from request_approval(${asked.id}, ${asked.operatorId}, ${asked.action},
      ${asked.method}, ${asked.path}, ${sql.binary(asked.digest)}, ${asked.body}, ${asked.requestedBy}, ${asked.seconds})`);

const StatusRow = z.object({
  status: z.enum(['pending', 'approved', 'rejected', 'expired', 'consumed']),
  fits: z.boolean(),
});

/** What became of a shown approval, and whether it is this request's; null where the operator has none of this id. */
export const findApprovalStatus = (
  connection: CommonQueryMethods,
  id: string,
  { operatorId, method, path, digest }: BoundRequest,
): Promise<{ status: ApprovalStatus; fits: boolean } | null> =>
  connection.maybeOne(sql.type(StatusRow)`
    select status, method = ${method} and path = ${path} and body_digest = ${sql.binary(digest)} as fits
    from governance_approvals_shown where id = ${id} and operator_id = ${operatorId}`);
