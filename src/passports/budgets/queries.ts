import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';

/** The most that the invocations of a passport may cost, US cents. */
export const BudgetSchema = z
  .object({
    amount_cents: z.int().meta({ description: 'Its own budget, or the nearest above' }),
    remaining_cents: z
      .int()
      .meta({ description: 'The cents that it can spend now: the least that remains of it and of those above' }),
  })
  .meta({ id: 'PassportBudget' });
export type PassportBudget = z.infer<typeof BudgetSchema>;

/** The budget of a passport that counts against these, the root's first; null: none. */
export async function findBudget(
  connection: CommonQueryMethods,
  budgets: readonly string[] | null,
): Promise<PassportBudget | null> {
  const nearest = budgets?.at(-1);
  if (budgets === null || nearest === undefined) return null;
  return connection.one(sql.type(BudgetSchema)`
    select max(amount_cents) filter (where jti = ${nearest}) as amount_cents, min(amount_cents - used_cents) as remaining_cents
    from passport_budgets where jti = any(${textArray(budgets)})`);
}

/**
 * Why passports of this agent may not invoke by themselves, a sentence; null: they may.
 */
export async function whyNoInvoking(
  connection: CommonQueryMethods,
  { operatorId, agentId }: { operatorId: string; agentId: string },
): Promise<string | null> {
  const { allowed, active } = await connection.one(sql.type(z.object({ allowed: z.boolean(), active: z.boolean() }))`
    select exists (select from passport_permissions where operator_id = ${operatorId} and passports_may_invoke) as allowed,
      exists (select from agent_identities where id = ${agentId} and operator_id = ${operatorId} and status = 'active') as active`);
  if (!allowed) return 'Its operator does not let passports invoke (passports_may_invoke).';
  return active ? null : 'Its agent is not active.';
}
