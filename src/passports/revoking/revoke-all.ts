import { z } from 'zod';
import type { PassportRevocation } from '../../context/ports.ts';
import { sql } from '../../database/pool.ts';

const Revoked = z.object({ revoked: z.number() });

/**
 * Revokes passports for the domains that passports depend on, which cannot import this one; see `PassportRevocation`.
 */
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
