import { z } from 'zod';
import type { PassportRevocation } from '../../context/ports.ts';
import { sql } from '../../database/pool.ts';

const Revoked = z.object({ revoked: z.number() });

/** Ends passports for the domains below, which know nothing of them; the promises are the port's. */
export const passportRevocation: PassportRevocation = {
  async lock(connection, operatorId) {
    await connection.query(sql.type(z.object({}))`select lock_passports_exclusively(${operatorId})`);
  },
  ofAgent: (connection, { operatorId, agentId, reason }) =>
    connection.oneFirst(sql.type(Revoked)`
      select revoke_passports_of_agent(${operatorId}, ${agentId}, ${reason}) as revoked`),
  ofOperator: (connection, { operatorId, reason }) =>
    connection.oneFirst(sql.type(Revoked)`select revoke_passports_of_operator(${operatorId}, ${reason}) as revoked`),
};
