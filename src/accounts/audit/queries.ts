import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { AuditEventSchema, type AuditEvent } from './schema.ts';

/** Newest first; `before` is the id of the last event on the previous page, null on the first page. */
export const listAuditEvents = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, before }: { limit: number; before: number | null },
): Promise<readonly AuditEvent[]> =>
  connection.any(sql.type(AuditEventSchema)`
    select id, actor, action, target, detail, request_id, created_at from audit_events
    where operator_id = ${operatorId} and (${before}::bigint is null or id < ${before})
    order by id desc limit ${limit}`);
