import { z } from 'zod';
import type { AgentConduct } from '../../context/ports.ts';
import { json } from '../../database/columns.ts';
import { sql } from '../../database/pool.ts';
import { jsonObject } from '../../fields/objects.ts';

const ConductRow = z.object({ conduct: json.pipe(jsonObject), holding: z.number() });

/** Reads what an agent has to answer for, for the domain of agents, which cannot import this one; see `AgentConduct`. */
export const agentConduct: AgentConduct = {
  async lock(connection, { operatorId, agentId }) {
    await connection.query(sql.type(z.object({}))`select lock_reviews_of_agent(${operatorId}, ${agentId})`);
  },
  of: (connection, { operatorId, agentId }) =>
    connection.one(sql.type(ConductRow)`
      select conduct::text as conduct, (conduct ->> 'holding')::int as holding
      from conduct_of_agent(${operatorId}, ${agentId}) as conduct`),
  async liftHolds(connection, { operatorId, agentId }) {
    await connection.query(sql.type(z.object({}))`select lift_holds_of_agent(${operatorId}, ${agentId})`);
  },
};
