import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { submitAndPlace } from '../claims/support.ts';
import type { EmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { newDataDir, removeDataDir, startInstance, type Instance } from '../support/instance.ts';
import { registerNamespace } from '../support/namespace.ts';
import { assertStatus, requester, service } from '../support/service.ts';
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
    const cases = await requester(platform, instance.baseUrl).get<{ cases: unknown[] }>('/v1/admin/billing/cases');
    assert(cases.body.cases.length > 0);
  });

  it('ends its open lives that are due', async () => {
    const due: Record<string, string> = {
      'an invocation': `invocations where status in ('pending', 'processing') and expires_at < now()`,
      'a top-up': `top_ups where status = 'pending' and expires_at < now()`,
      'a code': `verification_codes where status = 'waiting' and expires_at < now()`,
      'a mail': `mails where status = 'waiting'`,
      'a message from before': `life_messages where created_at < '${migratedAt}'`,
    };
    for (const [what, rows] of Object.entries(due))
      await eventually(`no ${what} to be due`, async () => (await count(rows)) === 0, { seconds: 400 });
    assert.equal(await count('life_messages where refused_at is not null'), 0);
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
