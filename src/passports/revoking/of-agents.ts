import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';

const Revoked = z.object({ revoked: z.number() });

/**
 * Has the operator's passports alone until the transaction ends: what is being issued meanwhile is seen by the
 * revocation, or refused after it. In a statement before any that reads or locks what it is about (architecture rule
 * 12).
 */
export const holdPassportsOf = async (connection: CommonQueryMethods, operatorId: string): Promise<void> => {
  await connection.query(sql.type(z.object({}))`select lock_passports_exclusively(${operatorId})`);
};

/**
 * Revokes the active passports of an agent and all that was delegated from them; `holdPassportsOf` comes first.
 * @returns how many.
 */
export const revokePassportsOfAgent = (
  connection: CommonQueryMethods,
  { operatorId, agentId, reason }: { operatorId: string; agentId: string; reason: string },
): Promise<number> =>
  connection.oneFirst(sql.type(Revoked)`
    select revoke_passports_of_agent(${operatorId}, ${agentId}, ${reason}) as revoked`);

/** Revokes every active passport of an operator; `holdPassportsOf` comes first. @returns how many. */
export const revokePassportsOfOperator = (
  connection: CommonQueryMethods,
  { operatorId, reason }: { operatorId: string; reason: string },
): Promise<number> =>
  connection.oneFirst(sql.type(Revoked)`select revoke_passports_of_operator(${operatorId}, ${reason}) as revoked`);
