import assert from 'node:assert/strict';
import { z } from 'zod';
import { EnvelopeSchema } from '../../src/claims/schema/envelope.ts';
import { sql, type CommonQueryMethods } from '../../src/database/pool.ts';
import { canonicalJson } from '../../src/json/canonical.ts';
import type { JsonObject } from '../../src/json/value.ts';
import { newId } from '../../src/ids/ids.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { eventually } from '../support/eventually.ts';

export { run };

/** An operator, made by SQL alone. @returns its id. */
export async function newOperator(db: CommonQueryMethods): Promise<string> {
  const id = newId('op');
  await run(db, sql.fragment`insert into operators (id, name, email) values (${id}, ${id}, ${`${id}@example.test`})`);
  return id;
}

export interface LineageOptions {
  operator: string;
  agent?: string;
  accountability?: 'standard' | 'logged' | 'enforced';
  /** Seconds; null: no checkpoints. */
  interval?: number | null;
  /** Seconds from the start to the expiry. */
  ttl?: number;
  /** Seconds since the start. */
  age?: number;
  intent?: { summary: string; services: string[]; will_delegate?: boolean; estimated_duration_seconds?: number };
  services?: { service_id: string; service_name: string; scopes: string[]; connection_id: string }[];
  missions?: string[];
  /** A lineage it was delegated from. */
  parent?: Lineage;
}

export interface Lineage {
  jti: string;
  session: string;
  operator: string;
  agent: string;
}

const GITHUB = {
  service_id: 'github',
  service_name: 'GitHub',
  scopes: ['repo:read'],
  connection_id: 'con_none',
};

/**
 * A passport with its lineage and session as issuing would have left them, made by SQL alone so that its times are the
 * test's.
 */
export async function newLineage(db: CommonQueryMethods, options: LineageOptions): Promise<Lineage> {
  const {
    operator,
    accountability = 'enforced',
    interval = 300,
    ttl = 3_600,
    age = 0,
    intent,
    services = [GITHUB],
    missions = [],
    parent,
  } = options;
  const jti = newId('psp');
  const session = parent?.session ?? newId('ses');
  const agent = options.agent ?? (await newAgent(db, operator, accountability));
  const start = sql.fragment`(clock_timestamp() - make_interval(secs => ${age}))`;
  const claims = {
    operator_id: operator,
    agent_id: agent,
    services: services.map((service) => ({ ...service, credential_ref: null, allow_data_from: [], constraints: [] })),
    session_id: session,
    accountability,
    ...(intent !== undefined && { intent_summary: intent.summary, intent_services: intent.services }),
  };
  if (parent === undefined) {
    await run(
      db,
      sql.fragment`insert into passport_sessions (id, operator_id, started_at) values (${session}, ${operator}, ${start})`,
    );
  }
  await run(
    db,
    sql.fragment`
    insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, parent_lineage_id, depth, agents_above, accountability,
      checkpoint_interval_seconds, intent, mission_ids, started_at, latest_expiry, next_checkpoint_due_at)
    select ${jti}, ${session}, ${operator}, ${agent}, ${agent}, ${parent?.jti ?? null}, ${parent === undefined ? 0 : 1},
      ${sql.array(parent === undefined ? [] : [parent.agent], 'text')}, ${accountability},
      ${interval}, ${intent === undefined ? null : JSON.stringify(intent)}, ${sql.array(missions, 'text')}, start,
      start + make_interval(secs => ${ttl}),
      case when ${accountability} <> 'standard' then start + make_interval(secs => ${interval}) end
    from (select ${start} as start) as s`,
  );
  await run(
    db,
    sql.fragment`
    insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, kid, issued_at, expires_at, payload, status_day, status_index)
    select ${jti}, id, session_id, operator_id, agent_id, depth, 'kid_test', started_at, latest_expiry,
      ${JSON.stringify({ jti, svcns: claims })}, current_date, 0
    from passport_lineages where id = ${jti}`,
  );
  // In place of the message of a command: no life looks before the deadline.
  await run(
    db,
    sql.fragment`
    insert into lives (life, owner, due_at, ready)
    select 'session:' || session_id, operator_id, started_at + make_interval(secs => ${interval ?? ttl}), false
    from passport_lineages where id = ${jti} and accountability <> 'standard'`,
  );
  return { jti, session, operator, agent };
}

async function newAgent(db: CommonQueryMethods, operator: string, accountability = 'enforced'): Promise<string> {
  const id = newId('ag');
  await run(
    db,
    sql.fragment`
    insert into agents (id, operator_id, name, accountability) values (${id}, ${operator}, ${id}, ${accountability})`,
  );
  return id;
}

/** Adds a passport to the lineage, valid for `ttl` seconds from now. @returns its jti. */
export async function refreshed(db: CommonQueryMethods, { jti }: Lineage, ttl: number): Promise<string> {
  const next = newId('psp');
  await run(
    db,
    sql.fragment`
    insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, refreshed_from, kid, issued_at, expires_at, payload,
      status_day, status_index)
    select ${next}, lineage_id, session_id, operator_id, agent_id, depth, jti, kid, clock_timestamp(),
      clock_timestamp() + make_interval(secs => ${ttl}), payload, current_date, 0
    from passports where jti = ${jti}`,
  );
  await run(
    db,
    sql.fragment`
    update passport_lineages set latest_expiry = clock_timestamp() + make_interval(secs => ${ttl}) where id = ${jti}`,
  );
  return next;
}

/** Moves everything of the lineage `seconds` into the past, and its agent's last report, as if that much time had passed. */
export async function timePasses(db: CommonQueryMethods, { jti }: Lineage, seconds: number): Promise<void> {
  const by = sql.fragment`make_interval(secs => ${seconds})`;
  await run(
    db,
    sql.fragment`
    update passport_lineages set started_at = started_at - ${by}, latest_expiry = latest_expiry - ${by},
      next_checkpoint_due_at = next_checkpoint_due_at - ${by}, last_checkpoint_at = last_checkpoint_at - ${by},
      revoked_at = revoked_at - ${by}
    where id = ${jti}`,
  );
  await run(
    db,
    sql.fragment`
    update passports set issued_at = issued_at - ${by}, expires_at = expires_at - ${by} where lineage_id = ${jti}`,
  );
  await run(db, sql.fragment`update passport_flags set raised_at = raised_at - ${by} where lineage_id = ${jti}`);
  await run(
    db,
    sql.fragment`
    update agent_silences set since = since - ${by} where agent_id = (select agent_id from passport_lineages where id = ${jti})`,
  );
}

/** Seconds since it began, by Postgres’ clock. */
export const ageOf = (db: CommonQueryMethods, { jti }: Lineage): Promise<number> =>
  db.oneFirst(sql.type(z.object({ age: z.number() }))`
    select extract(epoch from clock_timestamp() - started_at)::float8 as age from passport_lineages where id = ${jti}`);

/**
 * Does something with a lineage that must be done before it is this many seconds old, by Postgres' clock; again with
 * another lineage where the machine took longer.
 */
export async function beforeAge<L extends Lineage, T>(
  db: CommonQueryMethods,
  seconds: number,
  [begin, act]: [begin: () => Promise<L>, act: (lineage: L) => Promise<T>],
): Promise<{ lineage: L; done: T }> {
  let late = false;
  const attempt = async (): Promise<{ lineage: L; done: T } | false> => {
    late = false;
    const lineage = await begin();
    const [outcome] = await Promise.allSettled([act(lineage)]);
    late = (await ageOf(db, lineage)) >= seconds;
    if (outcome.status === 'rejected') throw outcome.reason;
    return !late && { lineage, done: outcome.value };
  };
  return eventually(`what is to be done within ${seconds} s of a lineage`, attempt, { ignoreErrors: () => late });
}

const FlagRow = z.object({
  type: z.string(),
  severity: z.string(),
  occasion: z.string(),
  message: z.string(),
  jti: z.string(),
});

export const flagsOf = async (db: CommonQueryMethods, { jti }: Lineage) =>
  await db.any(sql.type(FlagRow)`
    select type, severity, occasion, message, jti from passport_flags where lineage_id = ${jti} order by id`);

export const flagTypes = async (db: CommonQueryMethods, lineage: Lineage): Promise<string[]> =>
  (await flagsOf(db, lineage)).map(({ type }) => type);

const EventRow = z.object({
  event_type: z.string(),
  severity: z.string(),
  payload: z.string().transform((text) => JSON.parse(text) as Record<string, unknown>),
});

/** Events of the lineage's operator, oldest first. */
export const eventsOf = async (db: CommonQueryMethods, { operator }: Pick<Lineage, 'operator'>) =>
  await db.any(sql.type(EventRow)`
    select event_type, severity, payload from service_events where operator_id = ${operator} order by seq`);

const ClaimRow = z.object({
  id: z.string(),
  subject: z.string(),
  passport_jti: z.string().nullable(),
  envelope: z.string(),
});

/** Claims that the service issued about the lineage's agent, oldest first; each of its shape and written as JCS. */
export async function claimsOf(db: CommonQueryMethods, { agent }: Pick<Lineage, 'agent'>, type: string) {
  const rows = await db.any(sql.type(ClaimRow)`
    select id, subject, passport_jti, envelope from claims where agent_id = ${agent} and claim_type = ${type} order by seq`);
  return rows.map(({ envelope: text, ...row }) => {
    const envelope = JSON.parse(text) as { payload: Record<string, unknown> };
    EnvelopeSchema.parse(envelope);
    assert.equal(canonicalJson(envelope as JsonObject), text);
    return { ...row, envelope };
  });
}

const LineageRow = z.object({
  checkpoint_count: z.number(),
  next_checkpoint_due_at: z.string().nullable(),
  checked_out_at: z.string().nullable(),
  checkout_missed_at: z.string().nullable(),
});

export const lineageRow = (db: CommonQueryMethods, { jti }: Lineage) =>
  db.one(sql.type(LineageRow)`
    select checkpoint_count, next_checkpoint_due_at, checked_out_at, checkout_missed_at from passport_lineages where id = ${jti}`);
