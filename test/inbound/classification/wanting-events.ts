import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ensureOperator } from '../../../src/accounts/index.ts';
import type { Context } from '../../../src/context/context.ts';
import { sql, type CommonQueryMethods } from '../../../src/database/pool.ts';
import { newId, type AgentId, type OperatorId } from '../../../src/ids/ids.ts';
import type { Excerpt } from '../../../src/inbound/classification/index.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { unique } from '../../support/factories.ts';

export interface Owner {
  operatorId: OperatorId;
  agentId: AgentId;
}

/** An operator with an agent, by SQL alone. @param included classifications of its tier that are left in this month */
export async function newOwner(context: Context, { tier, used = 0 }: { tier: string; used?: number }): Promise<Owner> {
  const { pool } = context;
  const name = unique('classified');
  const operatorId = await ensureOperator(context, { name, email: `${name}@example.test`, tier: 'pro' });
  const agentId = newId('ag');
  await run(pool, sql.fragment`update operators set tier = ${tier} where id = ${operatorId}`);
  await run(pool, sql.fragment`insert into agents (id, operator_id, name) values (${agentId}, ${operatorId}, ${name})`);
  await run(
    pool,
    sql.fragment`insert into usage_counters (operator_id, meter, month, used) values (${operatorId}, 'l3', utc_month(clock_timestamp()), ${used})`,
  );
  return { operatorId, agentId };
}

/** An event of medium severity that wants to be classified, by SQL alone: no life works on it. */
export async function wantingEvent(db: CommonQueryMethods, owner: Owner, excerpt: string): Promise<Excerpt> {
  const [endpointId, eventId] = [unique('endpoint'), unique('event')];
  await run(
    db,
    sql.fragment`insert into inbound_endpoints (id, operator_id, agent_id, provider, slug, secret)
      values (${endpointId}, ${owner.operatorId}, ${owner.agentId}, 'generic', ${endpointId}, 'sealed')`,
  );
  await run(
    db,
    sql.fragment`insert into inbound_events (id, endpoint_id, operator_id, agent_id, provider, key_hash, key_from, body_hash, scheme,
        body_authenticated, size, status, verdict, severity, findings, classification)
      values (${eventId}, ${endpointId}, ${owner.operatorId}, ${owner.agentId}, 'generic', ${sql.binary(randomBytes(32))}, 'body',
        ${sql.binary(randomBytes(32))}, 'hex', true, 10, 'scanning', 'suspicious', 'medium', '[{"detector_key":"private_url"}]', 'wanted')`,
  );
  return { eventId, attempt: 1, ...owner, excerpt };
}

const EventRow = z.object({
  classification: z.string(),
  verdict: z.string(),
  severity: z.string(),
  detectors: z.array(z.string()),
});

export const eventRow = (db: CommonQueryMethods, id: string): Promise<z.infer<typeof EventRow>> =>
  db.one(sql.type(EventRow)`
    select classification, verdict, severity,
      (select array_agg(f ->> 'detector_key') from jsonb_array_elements(findings) f) as detectors
    from inbound_events where id = ${id}`);

const MoneyRow = z.object({
  available: z.number(),
  held: z.number(),
  used: z.number(),
  overage: z.number(),
  calls: z.number(),
  charged: z.number(),
});

/** Reads what a wallet has, what was used of the allowance, and what was recorded and charged (microcents). */
export const moneyOf = (db: CommonQueryMethods, operatorId: string): Promise<z.infer<typeof MoneyRow>> =>
  db.one(sql.type(MoneyRow)`
    select w.posted_cents - w.held_cents as available, w.held_cents as held, c.used, c.overage,
      (select count(*) from model_calls m where m.operator_id = w.operator_id) as calls,
      (select coalesce(sum(microcents), 0)::bigint from model_calls m where m.operator_id = w.operator_id) as charged
    from wallets w join usage_counters c on c.operator_id = w.operator_id and c.meter = 'l3'
    where w.operator_id = ${operatorId}`);
