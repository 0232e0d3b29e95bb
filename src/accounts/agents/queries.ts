import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { AgentId, OperatorId, PartnerGrantId } from '../../ids/ids.ts';
import { PublicJwkSchema, type PublicJwk } from './public-jwk.ts';
import { AgentSchema, BlockSchema, type Agent, type Block, type CreateAgent } from './schema.ts';

const STATUS = sql.fragment`case when status = 'active' and retired_at is not null then 'disabled' else status end as status`;

/**
 * An agent as it is shown. Of what the release before writes, which knows no `retired_at`, either column alone retires it.
 * @param grantId the partner who looks, who is told of no agent beyond its grant; null: the operator
 */
const columns = (grantId: PartnerGrantId | null) => sql.fragment`
  id, operator_id, name, accountability, held_to_of_agent(id, ${grantId}) as held_to, public_jwk, checkpoint_interval_seconds, monthly_limit_cents,
  ${STATUS},
  coalesce(retired_at, case when status = 'disabled' then updated_at end) as retired_at, partner_grant_id, created_at, updated_at`;

/** An agent as its operator sees it; null where it is another's. */
interface AgentOfOperator {
  operatorId: OperatorId;
  agentId: string;
}

/** Names which agents are seen: all of an operator, or those alone that were registered under this grant. */
interface AgentsOf {
  operatorId: OperatorId;
  grantId: PartnerGrantId | null;
}

const isSeen = ({ operatorId, grantId }: AgentsOf) =>
  sql.fragment`operator_id = ${operatorId} and (${grantId}::text is null or partner_grant_id = ${grantId})`;

export const findAgent = (
  connection: CommonQueryMethods,
  { operatorId, agentId }: AgentOfOperator,
): Promise<Agent | null> => findSeenAgent(connection, { operatorId, grantId: null }, agentId);

/** The names of those of these agents that are of the operator, by id. */
export async function findAgentNames(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.any(sql.type(z.object({ id: z.string(), name: z.string() }))`
    select id, name from agents where operator_id = ${operatorId} and id = any(${textArray([...new Set(ids)])})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** As `findAgent`, for the operator or for a partner of it; null where they may not see it. */
export const findSeenAgent = (connection: CommonQueryMethods, of: AgentsOf, agentId: string): Promise<Agent | null> =>
  connection.maybeOne(
    sql.type(AgentSchema)`select ${columns(of.grantId)} from agents where id = ${agentId} and ${isSeen(of)}`,
  );

/**
 * As `findAgent`, with the row locked until the transaction ends. It is read after the lock: a statement that waits for a lock
 * reads what stands in other rows as it was before.
 */
export async function lockAgent(
  connection: CommonQueryMethods,
  { operatorId, agentId }: AgentOfOperator,
): Promise<Agent | null> {
  await lockRow(connection, { operatorId, agentId });
  return await findAgent(connection, { operatorId, agentId });
}

/**
 * As `lockAgent`, with every public key that the agent has or had, and one that it is to have: nobody else decides meanwhile about an agent that
 * shares one, or registers one, so what is read of these stands until the transaction ends.
 * @param entered an RFC 7638 thumbprint
 */
export async function lockAgentAndKeys(
  connection: CommonQueryMethods,
  { operatorId, agentId }: AgentOfOperator,
  entered: string | null,
): Promise<Agent | null> {
  await lockRow(connection, { operatorId, agentId });
  await lockKeys(connection, { operatorId, agentId }, entered);
  return await findAgent(connection, { operatorId, agentId });
}

const lockRow = (connection: CommonQueryMethods, { operatorId, agentId }: AgentOfOperator): Promise<unknown> =>
  connection.query(sql.type(z.object({}))`
    select from agents where id = ${agentId} and operator_id = ${operatorId} for no key update`);

/** The keys of an agent (null: of none) and one that is entered, for this transaction alone; in a statement of its own, before what reads. */
export const lockKeys = (
  connection: CommonQueryMethods,
  { operatorId, agentId }: { operatorId: OperatorId; agentId: string | null },
  entered: string | null,
): Promise<unknown> =>
  connection.query(sql.type(z.object({}))`select lock_public_keys(${operatorId}, ${agentId}, ${entered})`);

/** Whether an agent of the operator that is not of this grant has or had the key of this RFC 7638 thumbprint. */
export const isKeyBeyondGrant = (
  connection: CommonQueryMethods,
  { operatorId, grantId, thumbprint }: { operatorId: OperatorId; grantId: PartnerGrantId; thumbprint: string },
): Promise<boolean> =>
  connection.oneFirst(sql.type(z.object({ exists: z.boolean() }))`
    select exists (select from agent_public_keys k join agents a on a.id = k.agent_id
      where k.operator_id = ${operatorId} and k.key_thumbprint = ${thumbprint} and a.partner_grant_id is distinct from ${grantId})`);

const BearerRow = AgentSchema.pick({
  id: true,
  name: true,
  status: true,
  accountability: true,
  checkpoint_interval_seconds: true,
  partner_grant_id: true,
}).extend({ has_it_now: z.boolean() });
type Bearer = z.infer<typeof BearerRow>;

/** Every other agent of the operator that has or had the key of this RFC 7638 thumbprint, the newest first. */
export const listBearers = (
  connection: CommonQueryMethods,
  { operatorId, thumbprint, agentId }: { operatorId: OperatorId; thumbprint: string; agentId: string | null },
): Promise<readonly Bearer[]> =>
  connection.any(sql.type(BearerRow)`
    select a.id, a.name, ${STATUS}, a.accountability, a.checkpoint_interval_seconds, a.partner_grant_id,
      a.key_thumbprint is not distinct from k.key_thumbprint as has_it_now
    from agent_public_keys k join agents a on a.id = k.agent_id
    where k.operator_id = ${operatorId} and k.key_thumbprint = ${thumbprint} and a.id is distinct from ${agentId}
    order by a.id desc`);

/** An agent of the operator that is blocked and has or had the key of this RFC 7638 thumbprint. */
export const findBlockedByKey = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  thumbprint: string,
): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ agent_id: z.string() }))`
    select agent_id from agent_public_keys
    where operator_id = ${operatorId} and key_thumbprint = ${thumbprint} and barred limit 1`);

/** The agent's id, and the RFC 7638 thumbprint of the key that it has now. */
export const findKeyOfAgent = (
  connection: CommonQueryMethods,
  { operatorId, agentId }: AgentOfOperator,
): Promise<{ id: string; key_thumbprint: string | null } | null> =>
  connection.maybeOne(sql.type(z.object({ id: z.string(), key_thumbprint: z.string().nullable() }))`
    select id, key_thumbprint from agents where id = ${agentId} and operator_id = ${operatorId}`);

export const findAgentByName = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  name: string,
): Promise<Agent | null> =>
  connection.maybeOne(
    sql.type(
      AgentSchema,
    )`select ${columns(null)} from agents where operator_id = ${operatorId} and name = ${name} order by id limit 1`,
  );

/** The operator that an agent belongs to, no matter who calls: for platform administration. */
export const findOperatorOfAgent = (connection: CommonQueryMethods, agentId: string): Promise<string | null> =>
  connection.maybeOneFirst(
    sql.type(z.object({ operator_id: z.string() }))`select operator_id from agents where id = ${agentId}`,
  );

/** Newest first. */
export const listAgents = (
  connection: CommonQueryMethods,
  of: AgentsOf,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly Agent[]> =>
  connection.any(sql.type(AgentSchema)`
    select ${columns(of.grantId)} from agents where ${isSeen(of)} order by id desc limit ${limit} offset ${offset}`);

export const countAgents = (connection: CommonQueryMethods, of: AgentsOf): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from agents where ${isSeen(of)}`);

/** @returns it as the caller who registers it may see it */
export async function insertAgent(
  connection: CommonQueryMethods,
  agent: CreateAgent & { id: AgentId; operatorId: OperatorId; grantId: PartnerGrantId | null },
): Promise<Agent> {
  await connection.query(sql.type(z.object({}))`
    insert into agents (id, operator_id, name, accountability, public_jwk, checkpoint_interval_seconds,
                        monthly_limit_cents, partner_grant_id)
    values (${agent.id}, ${agent.operatorId}, ${agent.name}, ${agent.accountability},
            ${asJson(agent.public_jwk)}::jsonb, ${agent.checkpoint_interval_seconds}, ${agent.monthly_limit_cents},
            ${agent.grantId})`);
  return await shownAgent(connection, agent.id, agent.grantId);
}

/** The values that its row is to have; `status` follows from the two. An agent that is retired already keeps the moment. */
interface Standing {
  blocked: boolean;
  retired: boolean;
}

export async function saveAgent(
  connection: CommonQueryMethods,
  agent: Agent,
  { blocked, retired }: Standing,
): Promise<Agent> {
  const status = blocked ? 'blocked' : retired ? 'disabled' : 'active';
  await connection.query(sql.type(z.object({}))`
    update agents
    set name = ${agent.name}, accountability = ${agent.accountability},
        public_jwk = ${asJson(agent.public_jwk)}::jsonb,
        checkpoint_interval_seconds = ${agent.checkpoint_interval_seconds},
        monthly_limit_cents = ${agent.monthly_limit_cents},
        status = ${status},
        retired_at = case when ${retired} then coalesce(retired_at, case when status = 'disabled' then updated_at end, clock_timestamp()) end,
        updated_at = clock_timestamp()
    where id = ${agent.id}`);
  return await shownAgent(connection, agent.id, null);
}

/** An agent that is there, in a statement of its own: one that writes a row does not find it. */
const shownAgent = (connection: CommonQueryMethods, agentId: string, grantId: PartnerGrantId | null): Promise<Agent> =>
  connection.one(sql.type(AgentSchema)`select ${columns(grantId)} from agents where id = ${agentId}`);

/** Most blocks that are shown whole. */
const MAX_BLOCKS = 100;

/** The agent itself, or every other agent of its operator that has or had a public key which it has or had. */
type Whose = 'own' | 'of its twins';

const isOf = (agentId: string, whose: Whose) =>
  whose === 'own'
    ? sql.fragment`agent_id = ${agentId}`
    : sql.fragment`agent_id <> ${agentId} and agent_id in (
        select other.agent_id from agent_public_keys own
          join agent_public_keys other on other.operator_id = own.operator_id and other.key_thumbprint = own.key_thumbprint
          where own.agent_id = ${agentId})`;

/** The blocks that bind an agent or its twins, the newest hundred first, and how many others there are: those of one agent end together, and none changes. */
export async function listBlocks(
  connection: CommonQueryMethods,
  agentId: string,
  whose: Whose,
): Promise<{ blocks: Block[]; others: number }> {
  const blocks = await connection.any(sql.type(BlockSchema)`
    select agent_id, checkout_id, blocked_by, reason, blocked_at from agent_blocks
    where ${isOf(agentId, whose)} and lifted_at is null order by id desc limit ${MAX_BLOCKS}`);
  const all = await connection.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from agent_blocks where ${isOf(agentId, whose)} and lifted_at is null`);
  return { blocks: [...blocks], others: all - blocks.length };
}

export async function liftBlocks(connection: CommonQueryMethods, agentId: string): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    update agent_blocks set lifted_at = clock_timestamp() where agent_id = ${agentId} and lifted_at is null`);
}

const asJson = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/**
 * The key of this RFC 7638 thumbprint, if the agent that is named has it and is active.
 * @param named the agent, or the operator of which it may be any agent
 */
export const findKeyOfAgents = (
  connection: CommonQueryMethods,
  thumbprint: string,
  named: { agentId: string } | { operatorId: string },
): Promise<PublicJwk | null> =>
  connection.maybeOneFirst(sql.type(z.object({ public_jwk: PublicJwkSchema }))`
    select public_jwk from agents
    where key_thumbprint = ${thumbprint} and status = 'active' and retired_at is null
      and ${'agentId' in named ? sql.fragment`id = ${named.agentId}` : sql.fragment`operator_id = ${named.operatorId}`}
    limit 1`);
