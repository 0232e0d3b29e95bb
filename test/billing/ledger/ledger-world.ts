import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { roundsOf } from '../../support/cases.ts';

const Nothing = z.object({});
const SnapshotRow = z.object({ snapshot: z.string(), replayed: z.boolean() });

/** The number of rounds of a race: more by command (RACE_ROUNDS=1000 npm test -- …). */
export const RACE_ROUNDS = Number(process.env.RACE_ROUNDS ?? roundsOf(20, 5));

export const run = (db: CommonQueryMethods, query: ReturnType<typeof sql.fragment>) =>
  db.query(sql.type(Nothing)`${query}`);

/** An operator with a wallet, inserted by SQL only. @returns its id. */
export async function newWallet(db: CommonQueryMethods, cents = 0): Promise<string> {
  const id = newId('op');
  await run(db, sql.fragment`insert into operators (id, name, email) values (${id}, ${id}, ${`${id}@example.test`})`);
  if (cents > 0) await credit(db, id, { cents, cause: newId('txn') });
  return id;
}

export const credit = (db: CommonQueryMethods, operator: string, { cents, cause }: { cents: number; cause: string }) =>
  db.oneFirst(sql.type(z.object({ id: z.string() }))`
    select credit_wallet(${newId('txn')}, ${operator}, ${cents}, 'platform:adjustments', 'adjustment', ${cause}, 'test credit') as id`);

/** A paid top-up, as its webhook reports it. @returns its id */
export async function topUp(db: CommonQueryMethods, operator: string, cents: number): Promise<string> {
  const id = newId('top');
  await run(
    db,
    sql.fragment`
    insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
    values (${id}, ${operator}, 'local', ${cents}, 3600, 'http://carnet.test', clock_timestamp() + interval '1 hour')`,
  );
  await run(
    db,
    sql.fragment`select settle_top_up(${id}, 'paid', ${`cs_${id}`}, ${cents}, 'usd', ${`pi_${id}`}, 'req_test')`,
  );
  return id;
}

/** @returns the id of the transfer, null where the wallet does not cover it. */
export const debit = (
  db: CommonQueryMethods,
  operator: string,
  { cents, cause = newId('txn') }: { cents: number; cause?: string },
) =>
  db.oneFirst(sql.type(z.object({ id: z.string().nullable() }))`
    select debit_wallet(${newId('txn')}, ${operator}, ${cents}, 'platform:adjustments', 'adjustment', ${cause}, 'test debit') as id`);

/**
 * Charges microcents to the meter `sms`.
 * @returns where the charge begins in its stream, null where the wallet does not cover it.
 */
export const charge = (db: CommonQueryMethods, operator: string, microcents: number) =>
  db.oneFirst(sql.type(z.object({ begins: z.number().nullable() }))`
    with charged as materialized (
      select charge_meter(${newId('txn')}, ${operator}, 'sms', ${microcents}, 'overage', 'test charge') as begins
    ), recorded as (
      insert into usage_charges (source, operator_id, meter, cost_microcents, begins_microcents, microcents)
      select ${newId('txn')}, ${operator}, 'sms', ${microcents}, begins, ${microcents} from charged where begins is not null
    ) select begins from charged`);

const WalletRow = z.object({ posted_cents: z.number(), held_cents: z.number(), last_position: z.number() });

export const walletOf = (db: CommonQueryMethods, operator: string) =>
  db.one(
    sql.type(WalletRow)`select posted_cents, held_cents, last_position from wallets where operator_id = ${operator}`,
  );

/** An active skill with schemas that accept every object, inserted by SQL only; a mode that the service executes has no code. @returns its id. */
export async function newSkill(
  db: CommonQueryMethods,
  owner: string,
  { price, mode = 'open' }: { price: number; mode?: 'open' | 'sealed' | 'source' },
): Promise<string> {
  const id = newId('skl');
  await run(
    db,
    sql.fragment`
    insert into skill_schemas (hash, schema) values (sha256('{"type":"object"}'), '{"type":"object"}') on conflict do nothing`,
  );
  await run(
    db,
    sql.fragment`
    insert into skills (id, operator_id, name, status, execution_mode, trust_level_required, price_per_invocation, version,
      input_schema_hash, output_schema_hash, description, tags, credential_mode, required_credentials, accepts_requests, executable,
      review_status, approved_at, input_required, output_declared)
    values (${id}, ${owner}, ${`skill-${id.slice(4).toLowerCase()}`}, 'active', ${mode}, 'L0', ${price}, '1.0.0',
      sha256('{"type":"object"}'), sha256('{"type":"object"}'), 'made by a test', '{}', 'none', '[]', true, ${mode !== 'open'},
      'exempt', now(), '{}', '{}')`,
  );
  await run(db, sql.fragment`insert into skill_counts (skill_id) values (${id})`);
  await run(
    db,
    sql.fragment`
    insert into skill_revisions (skill_id, revision, version, input_schema_hash, output_schema_hash, price_per_invocation)
    values (${id}, 1, '1.0.0', sha256('{"type":"object"}'), sha256('{"type":"object"}'), ${price})`,
  );
  return id;
}

interface InvokeOptions {
  agent?: string | null;
  passport?: string;
  apiKey?: string | null;
  apiKeyLimit?: number | null;
  ttlSeconds?: number;
  /** Cents that the steps may cost, for a skill that the service executes. */
  computeBound?: number;
}

/** Calls invoke_skill() with the input `{}`. @returns the id of the invocation. */
export async function invoke(
  db: CommonQueryMethods,
  { consumer, skill }: { consumer: string; skill: string },
  options: InvokeOptions = {},
): Promise<string> {
  const id = newId('inv');
  await db.one(sql.type(SnapshotRow)`
    select snapshot, replayed from invoke_skill(
      p_operator => ${consumer}, p_agent_part => '', p_actor => 'test', p_key => null, p_fingerprint => null, p_request => null,
      p_invocation => ${id}, p_hold => ${newId('hld')}, p_skill => ${skill}, p_revision => 1, p_input => '{}', p_input_hash => 'hash',
      p_input_fits => true, p_agent => ${options.agent ?? null}, p_passport => ${options.passport ?? null}, p_api_key => ${options.apiKey ?? null},
      p_api_key_limit => ${options.apiKeyLimit ?? null}, p_ttl_seconds => ${options.ttlSeconds ?? 3600}, p_max_price => null,
      p_compute_bound => ${options.computeBound ?? 0})`);
  return id;
}

/** A passport of the agent that has a budget, as issue_passport() or delegate_passport() leaves it; nothing of it is signed. */
export async function newPassport(
  db: CommonQueryMethods,
  {
    operator,
    agent,
    budget,
    parent = null,
  }: { operator: string; agent: string; budget: number; parent?: string | null },
): Promise<string> {
  const [jti, session] = [newId('psp'), newId('ses')];
  await run(
    db,
    sql.fragment`insert into passport_sessions (id, operator_id, started_at) values (${session}, ${operator}, now())`,
  );
  await run(
    db,
    sql.fragment`
    insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, parent_lineage_id, depth, agents_above,
      accountability, started_at, latest_expiry)
    values (${jti}, ${session}, ${operator}, ${agent}, ${agent}, ${parent}, ${parent === null ? 0 : 1},
      array_remove(array[case when ${parent}::text is null then null else ${agent} end], null), 'standard', now(), now() + interval '1 hour')`,
  );
  await run(db, sql.fragment`insert into passport_budgets (jti, amount_cents) values (${jti}, ${budget})`);
  await run(
    db,
    sql.fragment`
    insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, kid, issued_at, expires_at, payload, status_day,
        status_index, budgets)
    values (${jti}, ${jti}, ${session}, ${operator}, ${agent}, ${parent === null ? 0 : 1}, 'no key', now(), now() + interval '1 hour', '{}', current_date, 0,
      coalesce((select budgets from passports where jti = ${parent}), '{}') || ${jti}::text)`,
  );
  return jti;
}

const byNobody = sql.fragment`p_key_operator => null, p_agent_part => null, p_actor => 'test', p_key => null, p_fingerprint => null, p_request => null`;

export const claim = (
  db: CommonQueryMethods,
  { provider, id, leaseSeconds = null }: { provider: string; id: string; leaseSeconds?: number | null },
) =>
  db.one(sql.type(SnapshotRow)`
    select snapshot, replayed from claim_invocation(p_authority => ${provider}, ${byNobody}, p_invocation => ${id}, p_attempt => null,
      p_lease_seconds => ${leaseSeconds})`);

export const complete = (
  db: CommonQueryMethods,
  { provider, id, output = '{}' }: { provider: string; id: string; output?: string },
) =>
  db.one(sql.type(SnapshotRow)`
    select snapshot, replayed from complete_invocation(p_authority => ${provider}, ${byNobody}, p_invocation => ${id}, p_attempt => null,
      p_output => ${output}, p_output_hash => ${output}, p_output_fits => true, p_transfer => ${newId('txn')})`);

export const fail = (db: CommonQueryMethods, { provider, id }: { provider: string; id: string }) =>
  db.one(sql.type(SnapshotRow)`
    select snapshot, replayed from fail_invocation(p_authority => ${provider}, ${byNobody}, p_invocation => ${id}, p_attempt => null,
      p_error => '{"code":"BROKEN","message":"broken"}')`);

export const cancel = (db: CommonQueryMethods, consumer: string, id: string) =>
  db.one(sql.type(SnapshotRow)`
    select snapshot, replayed from cancel_invocation(p_authority => ${consumer}, ${byNobody}, p_invocation => ${id})`);

export const advance = (db: CommonQueryMethods, id: string) =>
  db.one(sql.type(
    z.object({ status: z.string(), open: z.boolean(), wait_ms: z.number().nullable(), attempt: z.number() }),
  )`
    select status, open, wait_ms, attempt from advance_invocation(${id})`);

/** Moves the deadline into the past; the row is open and late, as if its timer had not fired yet. */
export const passDeadline = (db: CommonQueryMethods, id: string, ago = '1 second') =>
  run(
    db,
    sql.fragment`
      with late as (update invocations set expires_at = clock_timestamp() - ${ago}::interval where id = ${id})
      update lives set ready = false, due_at = clock_timestamp() - ${ago}::interval + interval '1 second' where life = 'invocation:' || ${id}`,
  );
