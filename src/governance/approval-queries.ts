import { z } from 'zod';
import { textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { OperatorId } from '../ids/ids.ts';
import { ApprovalSchema, type Approval, type ApprovalStatus } from './schema.ts';

const columns = sql.fragment`
  id, action, method, path, approval_status(a) as status, requested_by, decided_by, decided_at, consumed_at, expires_at, created_at`;

/** Approvals `a` are kept for ever; those that wait are few, and are found by an index of what is stored as pending. */
const ofOperator = (operatorId: OperatorId, status: ApprovalStatus | undefined) => {
  if (status === undefined) return sql.fragment`operator_id = ${operatorId}`;
  const stored =
    status === 'expired'
      ? sql.fragment`a.status in ('pending', 'approved', 'lapsed')`
      : sql.fragment`a.status = ${status}`;
  return sql.fragment`operator_id = ${operatorId} and ${stored} and approval_status(a) = ${status}`;
};

/** Newest first. */
export const listApprovals = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { status, limit, offset }: { status?: ApprovalStatus | undefined; limit: number; offset: number },
): Promise<readonly Approval[]> =>
  connection.any(sql.type(ApprovalSchema)`
    select ${columns} from governance_approvals a where ${ofOperator(operatorId, status)}
    order by id desc limit ${limit} offset ${offset}`);

export const countApprovals = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  status: ApprovalStatus | undefined,
): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from governance_approvals a where ${ofOperator(operatorId, status)}`);

const RequestedRow = ApprovalSchema.extend({
  /** The member behind the request; null: it cannot be told. */
  requested_person: z.string().nullable(),
});
/** An approval, and who requested it. */
export type RequestedApproval = z.infer<typeof RequestedRow>;

const EncryptedApproval = RequestedRow.extend({ encrypted_body: z.string() });

/** Null where it is another operator's. */
export const findApproval = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<z.infer<typeof EncryptedApproval> | null> =>
  connection.maybeOne(sql.type(EncryptedApproval)`
    select ${columns}, requested_person, body as encrypted_body from governance_approvals a
    where id = ${id} and operator_id = ${operatorId}`);

/** With the row locked until the transaction ends: nobody else decides or uses it meanwhile. */
export const lockApproval = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<RequestedApproval | null> =>
  connection.maybeOne(sql.type(RequestedRow)`
    select ${columns}, requested_person from governance_approvals a where id = ${id} and operator_id = ${operatorId}
    for no key update`);

/** Finds those of these that the operator has, with the rows locked as by `lockApproval`. */
export const lockApprovals = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ids: readonly string[],
): Promise<readonly Approval[]> =>
  connection.any(sql.type(ApprovalSchema)`
    select ${columns} from governance_approvals a where operator_id = ${operatorId} and id = any(${textArray(ids)})
    order by id for no key update`);

export const saveApprovalDecision = (
  connection: CommonQueryMethods,
  { id, status, decidedBy }: { id: string; status: 'approved' | 'rejected'; decidedBy: string },
): Promise<Approval> =>
  connection.one(sql.type(ApprovalSchema)`
    update governance_approvals a set status = ${status}, decided_by = ${decidedBy}, decided_at = clock_timestamp()
    where id = ${id} returning ${columns}`);
