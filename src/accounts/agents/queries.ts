import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { AgentId, OperatorId, PartnerGrantId } from '../../ids/ids.ts';
import { PublicJwkSchema, type PublicJwk } from './public-jwk.ts';
import { AgentSchema, BlockSchema, type Agent, type Block, type CreateAgent } from './schema.ts';

const columns = sql.fragment`
  id, operator_id, name, accountability, public_jwk, checkpoint_interval_seconds, monthly_limit_cents, status,
  partner_grant_id, created_at, updated_at`;

/** An agent as its operator sees it; null where it is another's. */
interface AgentOfOperator {
  operatorId: OperatorId;
  agentId: string;
}

/** Whose agents are seen: all of an operator, or those alone that were registered under this grant. */
interface AgentsOf {
  operatorId: OperatorId;
  grantId: PartnerGrantId | null;
}

const isSeen = ({ operatorId, grantId }: AgentsOf) =>
  sql.fragment`operator_id = ${operatorId} and (${grantId}::text is null or partner_grant_id = ${grantId})`;

export const findAgent = (
  connection: CommonQueryMethods,
  { operatorId, agentId }: AgentOfOperator,
): Promise<Agent | null> =>
  connection.maybeOne(
    sql.type(AgentSchema)`select ${columns} from agents where id = ${agentId} and operator_id = ${operatorId}`,
  );

/** As `findAgent`, with the row locked until the transaction ends. */
export const lockAgent = (
  connection: CommonQueryMethods,
  { operatorId, agentId }: AgentOfOperator,
): Promise<Agent | null> =>
  connection.maybeOne(
    sql.type(
      AgentSchema,
    )`select ${columns} from agents where id = ${agentId} and operator_id = ${operatorId} for no key update`,
  );

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
    )`select ${columns} from agents where operator_id = ${operatorId} and name = ${name} order by id limit 1`,
  );

/** The operator that an agent belongs to, whoever calls: for platform administration. */
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
    select ${columns} from agents where ${isSeen(of)} order by id desc limit ${limit} offset ${offset}`);

export const countAgents = (connection: CommonQueryMethods, of: AgentsOf): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from agents where ${isSeen(of)}`);

export const insertAgent = (
  connection: CommonQueryMethods,
  agent: CreateAgent & { id: AgentId; operatorId: OperatorId; grantId: PartnerGrantId | null },
): Promise<Agent> =>
  connection.one(sql.type(AgentSchema)`
    insert into agents (id, operator_id, name, accountability, public_jwk, checkpoint_interval_seconds,
                        monthly_limit_cents, partner_grant_id)
    values (${agent.id}, ${agent.operatorId}, ${agent.name}, ${agent.accountability},
            ${asJson(agent.public_jwk)}::jsonb, ${agent.checkpoint_interval_seconds}, ${agent.monthly_limit_cents},
            ${agent.grantId})
    returning ${columns}`);

export const saveAgent = (connection: CommonQueryMethods, agent: Agent): Promise<Agent> =>
  connection.one(sql.type(AgentSchema)`
    update agents
    set name = ${agent.name}, accountability = ${agent.accountability},
        public_jwk = ${asJson(agent.public_jwk)}::jsonb,
        checkpoint_interval_seconds = ${agent.checkpoint_interval_seconds},
        monthly_limit_cents = ${agent.monthly_limit_cents},
        status = ${agent.status}, updated_at = clock_timestamp()
    where id = ${agent.id}
    returning ${columns}`);

/** Of the blocks that bind an agent the newest first; a block is made by a decision on a review, each of which may make one. */
export const listBlocks = (connection: CommonQueryMethods, agentId: string): Promise<readonly Block[]> =>
  connection.any(sql.type(BlockSchema)`
    select checkout_id, blocked_by, reason, blocked_at from agent_blocks
    where agent_id = ${agentId} and lifted_at is null order by id desc`);

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
    where key_thumbprint = ${thumbprint} and status = 'active'
      and ${'agentId' in named ? sql.fragment`id = ${named.agentId}` : sql.fragment`operator_id = ${named.operatorId}`}
    limit 1`);
