import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { submitAndPlace } from '../claims/support.ts';
import type { EmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { newDataDir, removeDataDir } from '../support/data-dir.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { registerNamespace } from '../support/namespace.ts';
import { assertProblem, assertStatus, requester, service } from '../support/service.ts';
import recorded from './before-0016/credentials.json' with { type: 'json' };
import {
  addMoreRows,
  blockedAgent,
  disabledAgent,
  heldCents,
  invitations,
  keys,
  deletedKey,
  openInvocation,
  since,
  token,
} from './before-0016/more-rows.ts';
import { restoreBefore0016 } from './before-0016/restore.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

describe('A database from before the migration 0016, with data', function () {
  this.timeout(600_000);
  let dataDir: string;
  let database: EmptyDatabase;
  let client: pg.Client;
  let instance: Instance;
  let migratedAt: string;
  const program = (script: string) =>
    run(process.execPath, [join(ROOT, script)], {
      env: { ...process.env, DATABASE_URL: database.url, DATA_DIR: dataDir },
      cwd: ROOT,
    });
  const count = async (from: string): Promise<number> =>
    (await client.query<{ count: number }>(`select count(*)::int as count from ${from}`)).rows[0]?.count ?? 0;

  const counts = async (tables: string[]): Promise<number[]> => {
    const found: number[] = [];
    for (const table of tables) found.push(await count(table));
    return found;
  };

  before(async () => {
    dataDir = await newDataDir();
    database = await restoreBefore0016(dataDir);
    client = new pg.Client(database.url);
    client.on('error', () => {});
    await client.connect();
    await addMoreRows(client, { publisher: recorded.operator_id, consumer: recorded.consumer_operator_id });
  });
  after(async () => {
    await instance?.stop();
    await client?.end();
    await database?.drop();
    await removeDataDir(dataDir);
  });

  it('is migrated', async () => {
    const tables = [
      'operators',
      'claims',
      'passports',
      'skills',
      'transfers',
      'invocations',
      'audit_events',
      'governance_approvals',
    ];
    const before = await counts(tables);
    assert(before.every((rows) => rows > 0));
    assert.match((await program('src/database/migrate.ts')).stdout, /^Applied 00/);
    assert.deepEqual(await counts(tables), before);
    assert.match((await program('src/database/migrate.ts')).stdout, /up to date/);
    migratedAt = (await client.query<{ now: string }>('select now()::text as now')).rows[0]?.now ?? '';
  });

  const rowsOf = async (query: string, values: unknown[]): Promise<unknown[]> =>
    (await client.query<Record<string, unknown>>(query, values)).rows;
  /** Whether it is the moment in which the added rows were changed last. */
  const sinceThen = `= '${since}'::timestamptz`;

  it('keeps an agent blocked that was, by a block that names nobody', async () => {
    const blocks = `select blocked_at ${sinceThen} as at_that_moment, checkout_id, blocked_by, reason, lifted_at from agent_blocks where agent_id = $1`;
    const unknown = { checkout_id: null, blocked_by: null, reason: null, lifted_at: null };
    assert.deepEqual(await rowsOf(blocks, [blockedAgent]), [{ at_that_moment: true, ...unknown }]);
    assert.deepEqual(await rowsOf(blocks, [disabledAgent]), []);
  });

  it('keeps an agent retired that was disabled, and no other', async () => {
    const agents = `select status, retired_at ${sinceThen} as at_that_moment from agents where id = $1`;
    assert.deepEqual(await rowsOf(agents, [disabledAgent]), [{ status: 'disabled', at_that_moment: true }]);
    assert.deepEqual(await rowsOf(agents, [blockedAgent]), [{ status: 'blocked', at_that_moment: null }]);
    assert.equal(await count(`agents where (status = 'disabled') <> (retired_at is not null)`), 0);
  });

  it('has every key in the line of the credentials that made it', async () => {
    const lines = Object.fromEntries(
      (await client.query<{ id: string; line: string[] }>('select id, line from api_keys')).rows.map(({ id, line }) => [
        id,
        line,
      ]),
    );
    assert.deepEqual(
      Object.values(keys).map((id) => lines[id]?.slice(0, -1)),
      [[], [keys.first], [keys.first, keys.made], [deletedKey], [token], [keys.first]],
    );
    assert.equal(await count('api_keys where line is null or line[cardinality(line)] <> id'), 0);
    assert.equal(await count('api_keys where agent_id is not null and agent_id <> all (line)'), 0);
  });

  it('has the open invitations of people and of keys without an end alone', async () => {
    assert.deepEqual(
      await rowsOf('select id, invited_by from members where id = any($1) order by id', [Object.values(invitations)]),
      [
        { id: invitations.byLastingKey, invited_by: keys.made },
        { id: invitations.byPerson, invited_by: null },
      ].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    );
  });

  it('holds the price of an open invocation alone: what executing costs was no part of it', async () => {
    const invocation = `select i.status, i.price_cents::int, i.compute_bound_cents::int, i.compute_cents::int, i.trial, h.amount_cents::int, h.status as hold
      from invocations i join holds h on h.cause = i.id where i.id = $1`;
    assert.deepEqual(await rowsOf(invocation, [openInvocation]), [
      {
        status: 'pending',
        price_cents: heldCents,
        compute_bound_cents: 0,
        compute_cents: 0,
        trial: false,
        amount_cents: heldCents,
        hold: 'held',
      },
    ]);
  });

  it('has a ledger that is right', async () => {
    assert.match((await program('scripts/check-ledger.ts')).stdout, /The ledger is right/);
  });

  it('is served, with all that it had', async () => {
    const { temporal_address: address } = service().credentials;
    const namespace = `rehearsal_${randomBytes(5).toString('hex')}`;
    await registerNamespace(address, namespace);
    instance = await startInstance({
      dataDir,
      env: { DATABASE_URL: database.url, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace },
    });
    const { api_key: publisher, consumer_api_key: consumer, admin_api_key: platform } = instance.credentials;
    const reads: [key: string | null, path: string][] = [
      [null, '/v1/.well-known/jwks.json'],
      [null, '/v1/log/checkpoint'],
      [null, '/v1/claims/schemas'],
      [publisher, '/v1/skills/mine'],
      [publisher, '/v1/skills/invocations/provided'],
      [publisher, '/v1/agents'],
      [publisher, '/v1/claims'],
      [publisher, '/v1/passports'],
      [consumer, '/v1/billing/balance'],
      [consumer, '/v1/skills/invocations/mine'],
      [platform, '/v1/admin/billing/cases'],
    ];
    for (const [key, path] of reads) assertStatus(await requester(key, instance.baseUrl).get(path), 200);
    const agent = requester(publisher, instance.baseUrl);
    assertProblem(await agent.post(`/v1/passports/issue`, { agent_id: blockedAgent }), 'AGENT_BLOCKED');
    assertProblem(
      await agent.patch(`/v1/agents/${disabledAgent}`, { status: 'active' }),
      'GOVERNANCE_APPROVAL_REQUIRED',
    );
    const cases = await requester(platform, instance.baseUrl).get<{ cases: unknown[] }>('/v1/admin/billing/cases');
    assert(cases.body.cases.length > 0);
  });

  it('ends its open lives that are due', async () => {
    const due: Record<string, string> = {
      'an invocation': `invocations where status in ('pending', 'processing') and expires_at < now()`,
      'a top-up': `top_ups where status = 'pending' and expires_at < now()`,
      'a code': `verification_codes where status = 'waiting' and expires_at < now()`,
      'a mail': `mails where status = 'waiting'`,
      'a message from before': `lives where ready and created_at < '${migratedAt}'`,
    };
    for (const [what, rows] of Object.entries(due))
      await eventually(`no ${what} to be due`, async () => (await count(rows)) === 0, { seconds: 400 });
    assert.equal(await count('lives where refused_at is not null'), 0);
    assert.deepEqual(await rowsOf('select status from invocations where id = $1', [openInvocation]), [
      { status: 'expired' },
    ]);
    assert.deepEqual(await rowsOf('select status from holds where cause = $1', [openInvocation]), [
      { status: 'released' },
    ]);
  });

  it('goes on: passports under its keys, claims in its log, and a ledger that is right', async () => {
    const { api_key: key, operator_id: operatorId, agent_id: agentId } = instance.credentials;
    const publisher = requester(key, instance.baseUrl);
    const intended = { summary: 'triage the new issues', services: ['github'] };
    const issued = await publisher.post<{ token: string }>('/v1/passports/issue', {
      agent_id: agentId,
      intent: intended,
    });
    assertStatus(issued, 201);
    const { body } = await publisher.post<{ valid: boolean }>('/v1/passports/verify', { token: issued.body.token });
    assert(body.valid);
    const size = await count('log_entries');
    await submitAndPlace({ ...publisher, operatorId, name: 'Demo publisher', email: instance.credentials.email });
    assert((await count('log_entries')) > size);
    assert.match((await program('scripts/check-ledger.ts')).stdout, /The ledger is right/);
  });
});
