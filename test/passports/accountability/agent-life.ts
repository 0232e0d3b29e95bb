import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { advanceSession } from '../../../src/passports/accountability/advance-session.ts';
import { CheckoutBodySchema } from '../../../src/passports/accountability/schema.ts';
import { submitCheckout, submitCheckpoint } from '../../../src/passports/accountability/submit-report.ts';
import type { SignedPassport } from '../../../src/passports/schema.ts';
import { callOf, type OwnContext } from '../../invocations/own-context.ts';
import { payloadOf } from '../holders.ts';
import { run } from '../lineages.ts';
import { treeWorld, type Outcome, type TreeWorld } from '../tree-world.ts';

const REPORT = CheckoutBodySchema.parse({ services_used: [], actions_count: 0 });

/** A world of agents whose time passes when a test says so; its agents are standard, logged, enforced and standard. */
export interface AgentLife extends TreeWorld {
  /** @returns null, or the code of the refusal. */
  checkpoint(jti: string, overrides?: Partial<typeof REPORT>): Promise<string | null>;
  checkout(jti: string, overrides?: Partial<typeof REPORT>): Promise<string | null>;
  /** Gives an agent this public key; null takes the key off it. */
  setKey(agent: number, x: string | null): Promise<unknown>;
  /** Makes an agent stricter, as a PATCH does. */
  setMode(agent: number, mode: 'standard' | 'logged' | 'enforced', interval?: number | null): Promise<unknown>;
  /** A person approves every review that waits. */
  approveAll(): Promise<unknown>;
  /** Time passes for every row of the operator, and then its lives look. */
  passes(seconds: number): Promise<void>;
  /** Flags of missed reports of the passport's lineage, oldest first. */
  missesOf(jti: string): Promise<string[]>;
}

/** The passport of a command that was not refused. */
export function got(outcome: Outcome<SignedPassport>): SignedPassport & { mode: string; exp: number; iat: number } {
  if (typeof outcome === 'string') throw new Error(`refused with ${outcome}`);
  const { exp, iat, svcns } = payloadOf(outcome.token);
  return { ...outcome, mode: svcns.accountability, exp, iat };
}

const refusalOf = async (command: Promise<unknown>): Promise<string | null> => {
  try {
    await command;
    return null;
  } catch (error) {
    if (error instanceof CarnetError) return error.code;
    throw error;
  }
};

export async function agentLife(own: OwnContext): Promise<AgentLife> {
  const { context } = own;
  const { pool } = context;
  const world = await treeWorld(context);
  const { operatorId } = world;
  const agentId = (agent: number): string => world.agents[agent]?.id ?? '';
  const Ids = z.object({ id: z.string() });
  /** Every moment of the operator's passports, so that their distances stay. */
  const moveBy = async (seconds: number): Promise<void> => {
    const by = sql.fragment`make_interval(secs => ${seconds})`;
    const lineages = sql.fragment`(select id from passport_lineages where operator_id = ${operatorId})`;
    for (const statement of [
      sql.fragment`update passport_sessions set started_at = started_at - ${by} where operator_id = ${operatorId}`,
      sql.fragment`update passport_lineages set started_at = started_at - ${by}, latest_expiry = latest_expiry - ${by},
        next_checkpoint_due_at = next_checkpoint_due_at - ${by}, last_checkpoint_at = last_checkpoint_at - ${by},
        revoked_at = revoked_at - ${by}, checked_out_at = checked_out_at - ${by}, checkout_missed_at = checkout_missed_at - ${by}
        where operator_id = ${operatorId}`,
      sql.fragment`update passports set issued_at = issued_at - ${by}, expires_at = expires_at - ${by} where operator_id = ${operatorId}`,
      sql.fragment`update checkpoints set submitted_at = submitted_at - ${by} where lineage_id in ${lineages}`,
      sql.fragment`update checkouts set submitted_at = submitted_at - ${by}, created_at = created_at - ${by} where operator_id = ${operatorId}`,
      sql.fragment`update agent_silences set since = since - ${by} where agent_id in (select id from agents where operator_id = ${operatorId})`,
      // The occasion of a missed checkpoint is when it was due.
      sql.fragment`update passport_flags set raised_at = raised_at - ${by},
        occasion = case when type = 'missed_checkpoint' then iso_time(occasion::timestamptz - ${by}) else occasion end
        where lineage_id in ${lineages}`,
    ])
      await run(pool, statement);
  };
  return {
    ...world,
    checkpoint: (jti, overrides = {}) =>
      refusalOf(
        submitCheckpoint(context, callOf(operatorId, 'submitCheckpoint'), { jti, body: { ...REPORT, ...overrides } }),
      ),
    checkout: (jti, overrides = {}) =>
      refusalOf(
        submitCheckout(context, callOf(operatorId, 'submitCheckout'), { jti, body: { ...REPORT, ...overrides } }),
      ),
    setKey: (agent, x) =>
      run(
        pool,
        sql.fragment`update agents set public_jwk = ${x === null ? null : JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x })}::jsonb where id = ${agentId(agent)}`,
      ),
    setMode: (agent, mode, interval = null) =>
      run(
        pool,
        sql.fragment`update agents set accountability = ${mode}, checkpoint_interval_seconds = ${interval} where id = ${agentId(agent)}`,
      ),
    approveAll: () =>
      run(
        pool,
        sql.fragment`update checkouts set review_status = 'approved', decided_at = clock_timestamp()
        where operator_id = ${operatorId} and review_status = 'pending'`,
      ),
    async passes(seconds) {
      await moveBy(seconds);
      for (const { id } of await pool.any(
        sql.type(Ids)`select id from passport_sessions where operator_id = ${operatorId} order by id`,
      ))
        await advanceSession(context, id);
    },
    missesOf: async (jti) => [
      ...(await pool.anyFirst(sql.type(z.object({ type: z.string() }))`
        select f.type from passport_flags f join passports p on p.lineage_id = f.lineage_id
        where p.jti = ${jti} and f.type like 'missed%' order by f.id`)),
    ],
  };
}
