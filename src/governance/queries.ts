import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { ApprovalId, OperatorId } from '../ids/ids.ts';

/** The request that an approval is bound to. */
export interface BoundRequest {
  operatorId: OperatorId;
  method: string;
  path: string;
  /** SHA-256 of the body as JCS; of body and credential where the act is for the requester alone. */
  digest: Buffer;
  /** SHA-256 of what it is about, as JCS of its state. */
  subjectDigest: Buffer;
  /** Whether only an owner may approve it. */
  byOwner: boolean;
}

/**
 * Uses up the approval of this request.
 * @returns false where it is not approved, expired, used or of another request, its subject has changed, or who asked or who approved has gone.
 */
export const consumeApproval = async (
  connection: CommonQueryMethods,
  id: string,
  { operatorId, method, path, digest, subjectDigest, byOwner }: BoundRequest,
): Promise<boolean> => {
  const { rowCount } = await connection.query(sql.type(z.object({}))`
    update governance_approvals set status = 'consumed', consumed_at = clock_timestamp()
    where id = ${id} and operator_id = ${operatorId} and method = ${method} and path = ${path}
      and body_digest = ${sql.binary(digest)} and subject_digest = ${sql.binary(subjectDigest)} and status = 'approved' and expires_at > clock_timestamp()
      and is_requester_there(operator_id, requested_by) and is_approver_there(operator_id, decided_by, ${byOwner})`);
  return rowCount === 1;
};

/** Open requests of all of an operator: a person reads each. */
const MAX_OPEN_OF_OPERATOR = 100;
/** A credential that no other made has so many, with all that descends from it: twice what one alone may have, since each leaves as much to others. */
const MAX_OPEN_OF_FIRST = 40;

const LiveRow = z.object({
  id: z.string(),
  status: z.enum(['pending', 'approved']),
  expires_at: z.string(),
  made: z.boolean(),
});
export type LiveApproval = z.infer<typeof LiveRow>;
/** As many wait as may wait; `expires_at` is when the first of them ends. */
const FullRow = z.object({ id: z.null(), status: z.literal('full'), expires_at: z.string(), made: z.literal(false) });
/** The credential that asks was deleted while its call ran. */
const EndedRow = z.object({ id: z.null(), status: z.literal('ended'), expires_at: z.null(), made: z.literal(false) });
const RequestedRow = z.union([LiveRow, FullRow, EndedRow]);

/**
 * Finds the pending or approved approval of this request, or makes one with the given id.
 * @param body sealed under that id, with the subject.
 * @param requestedPerson the member behind the credential; null: it cannot be told.
 */
export const requestApproval = (
  connection: CommonQueryMethods,
  request: BoundRequest & {
    id: ApprovalId;
    action: string;
    body: string;
    requestedBy: string;
    requestedPerson: string | null;
    seconds: number;
  },
): Promise<z.infer<typeof RequestedRow>> =>
  connection.one(sql.type(RequestedRow)`
    select id, status, expires_at, made from request_approval(
      p_id => ${request.id}, p_operator => ${request.operatorId}, p_action => ${request.action}, p_method => ${request.method},
      p_path => ${request.path}, p_digest => ${sql.binary(request.digest)}, p_subject_digest => ${sql.binary(request.subjectDigest)},
      p_body => ${request.body}, p_requested_by => ${request.requestedBy}, p_requested_person => ${request.requestedPerson},
      p_seconds => ${request.seconds}, p_most_of_first => ${MAX_OPEN_OF_FIRST}, p_most_of_operator => ${MAX_OPEN_OF_OPERATOR},
      p_owner => ${request.byOwner})`);

const StatusRow = z.object({
  status: z.enum(['pending', 'approved', 'rejected', 'expired', 'consumed']),
  fits: z.boolean(),
  same_subject: z.boolean(),
  requester_there: z.boolean(),
  approver_there: z.boolean(),
});

/**
 * The status of an approval by its time alone, whether it is of this request, whether its subject is as it was, and whether who asked and
 * who approved are there; null where the operator has none of this id.
 */
export const findApprovalStatus = (
  connection: CommonQueryMethods,
  id: string,
  { operatorId, method, path, digest, subjectDigest, byOwner }: BoundRequest,
): Promise<z.infer<typeof StatusRow> | null> =>
  connection.maybeOne(sql.type(StatusRow)`
    select status, method = ${method} and path = ${path} and body_digest = ${sql.binary(digest)} as fits,
      subject_digest = ${sql.binary(subjectDigest)} as same_subject, is_requester_there(operator_id, requested_by) as requester_there,
      stored_status <> 'approved' or is_approver_there(operator_id, decided_by, ${byOwner}) as approver_there
    from governance_approvals_shown where id = ${id} and operator_id = ${operatorId}`);
