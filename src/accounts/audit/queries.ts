import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { AuditEventSchema, type AuditEvent } from './schema.ts';

const columns = sql.fragment`id, actor, action, target, detail, request_id, created_at`;

/** Newest first; `before` is the id of the last event on the previous page, null on the first page. */
export const listAuditEvents = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, before }: { limit: number; before: number | null },
): Promise<readonly AuditEvent[]> => {
  const page = sql.fragment`
    where operator_id = ${operatorId} and (${before}::bigint is null or id < ${before})
    order by id desc limit ${limit}`;
  return connection.any(sql.type(AuditEventSchema)`
    (select ${columns} from audit_events ${page}) union all (select ${columns} from kept_audit_events ${page})
    order by id desc limit ${limit}`);
};
