import { ledgerFaults } from '../../../src/billing/index.ts';
import { sql } from '../../../src/database/pool.ts';
import type { SignedPassport } from '../../../src/passports/schema.ts';
import { buildAgent, buildOperator, buildSkill, credit, type TestOperator } from '../../support/factories.ts';
import { database, type Reply } from '../../support/service.ts';
import { z } from 'zod';
import { openHolder, type Holder } from '../holders.ts';

/** A holder with money in its wallet, and a skill of somebody else. */
export interface BudgetWorld extends Holder {
  provider: TestOperator;
  /** Five cents an invocation. */
  skillId: string;
}

export async function openBudgetWorld(): Promise<BudgetWorld> {
  const provider = await buildOperator();
  const holder = await openHolder();
  await credit(holder.as.operatorId, 1_000);
  return { ...holder, provider, skillId: (await buildSkill(provider, { price_per_invocation: 5 })).id };
}

/** The body that delegates to a new agent, without services. */
export const toNewAgent = async (world: BudgetWorld, budget?: number): Promise<Record<string, unknown>> => ({
  child_agent_id: (await buildAgent(world.as)).id,
  scopes: [],
  ...of(budget),
});

export const of = (cents?: number): Record<string, unknown> =>
  cents === undefined ? {} : { budget: { amount_cents: cents } };

export const spend = (
  { as, skillId }: BudgetWorld,
  { jti }: SignedPassport,
  headers: Record<string, string> = {},
): Promise<Reply> => as.post(`/v1/skills/${skillId}/invoke`, { input: { text: 'hello' }, passport_id: jti }, headers);

/** The cents that these passports have used of their budgets. */
export async function usedOf(...passports: readonly SignedPassport[]): Promise<(number | null)[]> {
  const rows = await (
    await database()
  ).any(sql.type(z.object({ jti: z.string(), used_cents: z.number() }))`
    select jti, used_cents from passport_budgets where jti = any(${sql.array(
      passports.map(({ jti }) => jti),
      'text',
    )})`);
  return passports.map(({ jti }) => rows.find((row) => row.jti === jti)?.used_cents ?? null);
}

/** The faults of the ledger that are about these passports. */
export const faultsOf = async (...passports: readonly SignedPassport[]): Promise<unknown[]> =>
  (await ledgerFaults(await database())).filter(({ subject }) => passports.some(({ jti }) => jti === subject));
