import { z } from 'zod';
import { findClaimsAbout } from '../claims/index.ts';
import type { Context } from '../context/context.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { AgentId, OperatorId } from '../ids/ids.ts';
import { invocationFor, invocationOf, summaryFor, summaryOf } from './answer.ts';
import type { Invocation, InvocationStatus, InvocationSummary } from './schema.ts';

const InvocationRow = z.object({ snapshot: z.string(), input: z.string(), output: z.string().nullable() });
const SnapshotRow = z.object({ snapshot: z.string() });

/** A filter that was not given is left out of the statement, so that every plan can use its index fully. */
const nothing = sql.fragment``;

/** Null for everybody but consumer and provider, and with `agentId` for all invocations but those of that agent; a provider whose skill the service executes sees neither input nor output of others. */
export async function findInvocation(
  connection: CommonQueryMethods,
  id: string,
  { operatorId, agentId = null }: { operatorId: OperatorId; agentId?: AgentId | null },
): Promise<Invocation | null> {
  const row = await connection.maybeOne(sql.type(InvocationRow)`
    select invocation_snapshot(i) as snapshot, input, output from invocations i
    where id = ${id} and ${operatorId} in (consumer_operator_id, provider_operator_id)
      ${agentId === null ? nothing : sql.fragment`and consumer_operator_id = ${operatorId} and agent_id = ${agentId}`}`);
  return row === null ? null : invocationFor(invocationOf(row), operatorId);
}

/** Any invocation, for the platform. */
export async function findSummary(connection: CommonQueryMethods, id: string): Promise<InvocationSummary | null> {
  const snapshot = await connection.maybeOneFirst(sql.type(SnapshotRow)`
    select invocation_snapshot(i) as snapshot from invocations i where id = ${id}`);
  return snapshot === null ? null : summaryOf(snapshot);
}

/** Ids, in the order in which they were recorded. */
export const claimsOfInvocation = async ({ pool }: Context, id: string): Promise<string[]> => [
  ...(await findClaimsAbout(pool, `carnet://invocation/${id}`)),
];

export interface InvocationFilter {
  operatorId: OperatorId;
  status?: InvocationStatus | undefined;
  skillId?: string | undefined;
  /** The last id of the page before. */
  after: string | null;
  limit: number;
}

const ofSkill = (skillId: string | undefined) =>
  skillId === undefined ? nothing : sql.fragment`and skill_id = ${skillId}`;

/** `mine`: what the operator invoked. `provided`: what was invoked of its skills. Newest first. */
export async function listInvocations(
  connection: CommonQueryMethods,
  side: 'mine' | 'provided',
  { operatorId, status, skillId, after, limit }: InvocationFilter,
): Promise<InvocationSummary[]> {
  const column = sql.identifier([side === 'mine' ? 'consumer_operator_id' : 'provider_operator_id']);
  const rows = await connection.any(sql.type(SnapshotRow)`
    select invocation_snapshot(i) as snapshot from invocations i
    where ${column} = ${operatorId}
      ${after === null ? nothing : sql.fragment`and id < ${after}`}
      ${status === undefined ? nothing : sql.fragment`and status = ${status}`}
      ${ofSkill(skillId)}
    order by id desc limit ${limit}`);
  return rows.map((row) => summaryFor(summaryOf(row.snapshot), operatorId));
}

/**
 * Work for the operator, oldest first: pending or with a lapsed lease (the rule of `is_claimable` in SQL), within its
 * deadline, and not executed by the service itself. A lapsed lease is shown as its life will leave it: pending, for everybody to claim.
 */
export async function listPending(
  connection: CommonQueryMethods,
  { operatorId, skillId, after, limit }: Omit<InvocationFilter, 'status'>,
): Promise<InvocationSummary[]> {
  const rows = await connection.any(sql.type(SnapshotRow)`
    select invocation_snapshot(case i.status when 'pending' then i
        else jsonb_populate_record(i, '{"status": "pending", "lease_until": null}') end) as snapshot
    from invocations i
    where provider_operator_id = ${operatorId}
      and (status = 'pending' or (status = 'processing' and lease_seconds is not null))
      and (status = 'pending' or lease_until <= now()) and expires_at > now() and execution_mode = 'open'
      ${after === null ? nothing : sql.fragment`and id > ${after}`}
      ${ofSkill(skillId)}
    order by id limit ${limit}`);
  return rows.map((row) => summaryFor(summaryOf(row.snapshot), operatorId));
}
