import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { z } from 'zod';
import { createEncryption } from '../../src/context/encryption.ts';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import { buildEndpoint, ENDPOINTS, mailgunKey } from '../inbound/endpoints/support.ts';
import { startReceiver, type Receiver } from '../notifications/support/receiver.ts';
import { eventually } from '../support/eventually.ts';
import { publication } from '../support/factories.ts';
import { removeDataDir } from '../support/data-dir.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { settled } from '../support/invariants.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { openMarket, type Market } from '../support/market.ts';
import { assertProblem, assertStatus, requester } from '../support/service.ts';

const INPUT = `input-${randomBytes(9).toString('hex')}`;
const OUTPUT = `output-${randomBytes(9).toString('hex')}`;
const FAILURE = `failure-${randomBytes(9).toString('hex')}`;
/** The secrets of a sealed skill: in its script, its label, and in the exception that it throws. */
const CODE = `code-${randomBytes(9).toString('hex')}`;
const ADMIN_KEY = `platform-${randomBytes(18).toString('hex')}`;

const TextColumn = z.object({ table_name: z.string(), column_name: z.string() });
const Cells = z.object({ cells: z.string().nullable() });

/** The names of the places that contain a text: names only, so that a failure does not print the secret. */
const placesOf = (secret: string, searched: Map<string, string>): string[] =>
  [...searched]
    .filter(([, text]) => text.includes(secret))
    .map(([place]) => place)
    .toSorted();

describe('secrets', function () {
  this.timeout(600_000);
  let instance: Instance;
  let market: Market;
  let receiver: Receiver;
  let pool: DatabasePool;
  let lives: Lives;
  /** Every secret that gives access to something: name and value. */
  const keys = new Map<string, string>([['the platform key', ADMIN_KEY]]);
  const ids: string[] = [];
  let log: string;
  let histories: Map<string, string>;
  let columns: Map<string, string>;
  /** The texts that the buyer of sealed skills has read. */
  let seen: string;

  /** Inputs and outputs on every way in and out, each with a text that can be recognised. */
  const play = async (): Promise<void> => {
    const invoke = async (): Promise<string> => {
      const id = assertStatus(
        await market.invoke({ input: { text: INPUT } }, { 'idempotency-key': randomUUID() }),
        201,
      ).id;
      ids.push(id);
      return id;
    };
    const [completed, failed, signalled] = [await invoke(), await invoke(), await invoke()];
    for (const id of [completed, failed])
      assertStatus(await market.act(id, 'claim', { 'idempotency-key': randomUUID() }), 200);
    const complete = { output: { text: OUTPUT } };
    assertStatus(
      await market.provider.post(`/v1/skills/invocations/${completed}/complete`, complete, {
        'idempotency-key': randomUUID(),
      }),
      200,
    );
    assertStatus(
      await market.provider.post(`/v1/skills/invocations/${failed}/fail`, { error: { code: 'X', message: FAILURE } }),
      200,
    );
    assertProblem(
      await market.consumer.post(`/v1/skills/${market.skillId}/invoke`, { input: { text: INPUT, other: INPUT } }),
      'INPUT_SCHEMA_MISMATCH',
    );
    assertProblem(
      await market.consumer.post(`/v1/skills/${market.skillId}/invoke`, `{"input": {"text": "${INPUT}"`),
      'VALIDATION_ERROR',
    );
    await settled(pool, ids);
    await lives.client.workflow.getHandle(`invocation:${signalled}`).signal('cancel');
    await settled(pool, ids);
    await executed();

    const key = { 'idempotency-key': randomUUID() };
    const make = () =>
      market.consumer.post<{ key: string }>(
        '/v1/api-keys',
        { name: 'under-a-key', kind: 'operator', role: 'member' },
        key,
      );
    const made = assertStatus(await make(), 201).key;
    assert.equal(assertStatus(await make(), 201).key, made, 'it is kept for whoever calls again');
    keys.set('a key made under an Idempotency-Key', made);
    keys.set('the secret of a webhook', await webhookSecret());
    await providerSecrets();
    const stale = `svc_live_${randomBytes(24).toString('base64url')}`;
    keys.set('a key that is none', stale);
    assert.equal((await requester(stale, instance.baseUrl).get('/v1/billing/balance')).status, 401);
    await requester(keys.get('the consumer') ?? '', instance.baseUrl).get(`/v1/billing/balance?api_key=${ADMIN_KEY}`);
  };

  /** A sealed skill that returns its output, and then one that throws; everything that its buyer can read of both. */
  const executed = async (): Promise<void> => {
    const { provider, consumer } = market;
    const platform = requester(ADMIN_KEY, instance.baseUrl);
    const step = (script: string) => ({ type: 'script', label: CODE, runtime: 'javascript', script });
    const publish = async (last: string): Promise<string> => {
      const steps = [step('function main(input) { return input; }'), step(last)];
      const sealed = { execution_mode: 'sealed', execution_steps: steps, price_per_invocation: 3 };
      const { id } = assertStatus(await provider.post<{ id: string }>('/v1/skills', publication(sealed)), 201);
      assertStatus(await platform.post(`/v1/skills/${id}/approve`), 200);
      return id;
    };
    const texts: string[] = [];
    const read = async (path: string): Promise<void> => {
      const { body } = await consumer.get(path);
      texts.push(JSON.stringify(body));
    };
    for (const last of [
      `const code = '${CODE}'; function main() { console.log(code); return { text: '${OUTPUT.slice(0, 9)}' + '${OUTPUT.slice(9)}' }; }`,
      `function main(input) { throw new Error('${CODE} ' + input.text); }`,
    ]) {
      const skill = await publish(last);
      const invoked = await consumer.post<{ id: string }>(
        `/v1/skills/${skill}/invoke`,
        { input: { text: INPUT } },
        { prefer: 'wait=60', 'idempotency-key': randomUUID() },
      );
      const { id } = assertStatus(invoked, 201);
      texts.push(JSON.stringify(invoked.body));
      ids.push(id);
      await settled(pool, [id]);
      await read(`/v1/skills/${skill}`);
      await read(`/v1/skills/${skill}/versions`);
      await read(`/v1/skills/invocations/${id}`);
      const forOwner = JSON.stringify((await provider.get(`/v1/skills/invocations/${id}`)).body);
      assert(!forOwner.includes(INPUT) && !forOwner.includes(OUTPUT), 'its owner sees neither input nor output');
    }
    for (const path of ['/v1/skills?limit=100', '/v1/skills/invocations/mine', '/v1/billing/transactions'])
      await read(path);
    await read('/v1/billing/transactions?view=timeline');
    await read('/v1/claims?limit=100');
    seen = texts.join('\n');
  };

  /** The private member of its JWK. */
  const keyOfLog = async (): Promise<string> => {
    const { id, private_key: sealed } = await pool.one(
      sql.type(z.object({ id: z.string(), private_key: z.string() }))`select id, private_key from claim_log`,
    );
    const key = Buffer.from(await readFile(join(instance.dataDir, 'encryption.key'), 'utf8'), 'base64');
    return createEncryption([key]).decrypt(sealed, `claim_log:${id}`);
  };

  const approve = (approval: string) =>
    pool.query(sql.type(z.object({}))`
      update governance_approvals set status = 'approved', decided_at = clock_timestamp(),
        decided_by = (select m.id from members m where m.operator_id = governance_approvals.operator_id and m.role = 'owner' limit 1)
      where id = ${approval}`);

  /** The secrets of an inbound endpoint, as its provider made them: at its creation, at a rotation, and one that is refused. */
  const providerSecrets = async (): Promise<void> => {
    const { consumer } = market;
    const [created, rotated, refused] = [mailgunKey(), mailgunKey(), `${mailgunKey()} ${mailgunKey()}`];
    const { id } = await buildEndpoint(consumer, { provider: 'mail_provider', secret: created });
    const rotation = `${ENDPOINTS}/${id}/rotate-secret`;
    const rotate = (headers: Record<string, string>) =>
      consumer.post<{ approval_id: string }>(rotation, { secret: rotated }, headers);
    const { approval_id: approval } = (await rotate({})).body;
    await approve(approval);
    assertStatus(await rotate({ 'x-governance-approval': approval, 'idempotency-key': randomUUID() }), 200);
    assertProblem(await consumer.post(rotation, { secret: refused }), 'VALIDATION_ERROR');
    keys
      .set('the secret that a provider made', created)
      .set('the one after a rotation', rotated)
      .set('a secret that is refused', refused);
  };

  /** The secret of a webhook that an admin key added with an approval, after its code has left. */
  const webhookSecret = async (): Promise<string> => {
    const { consumer, consumerId } = market;
    const platform = requester(ADMIN_KEY, instance.baseUrl);
    assertStatus(await platform.patch(`/v1/admin/operators/${consumerId}`, { tier: 'pro' }), 200);
    const url = receiver.urlOf('secret');
    const add = (headers: Record<string, string>) =>
      consumer.post<{ webhook_secret: string; approval_id: string }>(
        '/v1/notifications/destinations',
        { channel_type: 'webhook', destination: url },
        headers,
      );
    const { approval_id: approval } = (await add({})).body;
    await approve(approval);
    const made = assertStatus(await add({ 'x-governance-approval': approval, 'idempotency-key': randomUUID() }), 201);
    await receiver.codeAt(url);
    return made.webhook_secret;
  };

  before(async () => {
    receiver = await startReceiver();
    instance = await startInstance({ env: { LOG_LEVEL: 'trace', PLATFORM_ADMIN_KEY: ADMIN_KEY } });
    market = await openMarket({ ...instance, adminKey: ADMIN_KEY });
    pool = await openPool(instance.databaseUrl, { size: 2, applicationName: 'carnet-test' });
    lives = livesOf(instance.credentials);
    keys.set('the encryption key', (await readFile(join(instance.dataDir, 'encryption.key'), 'utf8')).trim());
    keys.set('the password of the database', new URL(instance.databaseUrl).password);
    keys.set('the private key of the claims log', await keyOfLog());
    keys
      .set('the demo publisher', instance.credentials.api_key)
      .set('the demo consumer', instance.credentials.consumer_api_key);
    keys.set('the provider', market.provider.key ?? '').set('the consumer', market.consumer.key ?? '');
    await play();
    await lives.closed(ids);
    // The list of runs follows the runs with a delay.
    histories = await eventually('every run to be listed', async () => {
      const listed = await everyHistory(lives);
      return ids.every((id) => listed.has(`invocation:${id}`)) && listed;
    });
    columns = await everyColumn(pool);
    await lives.close();
    await pool.end();
    await instance.stop();
    log = instance.output();
  });
  after(async () => {
    await removeDataDir(instance.dataDir);
    await receiver.stop();
  });

  it('are searched for in places that contain the recognisable texts', () => {
    assert.match(log, /"operation":"invokeSkill"/);
    for (const id of ids)
      assert.match(histories.get(`invocation:${id}`) ?? '', /EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED/, 'to its end');
    assert.deepEqual(placesOf(INPUT, columns), ['invocations.input']);
    assert.deepEqual(placesOf(OUTPUT, columns), ['invocations.output']);
    assert(keys.size >= 10 && [...keys.values()].every((secret) => secret.length >= 16));
  });

  it('have not the code of a sealed skill where its buyer reads, nor anywhere but in its row', () => {
    assert(seen.includes(OUTPUT) && seen.includes('SCRIPT_FAILED'));
    assert(!seen.includes(CODE));
    assert.deepEqual(placesOf(CODE, columns), ['skill_code.execution_steps']);
    assert(!(columns.get('sealed_steps.console') ?? '').includes(INPUT));
  });

  it('are in no column of the database, nor in any file of it', () => {
    const files = filesBelow(join(instance.dataDir, 'postgres'), 'password');
    assert(placesOf(INPUT, files).length > 0, 'what Postgres holds is readable in its files');
    for (const [whose, secret] of keys) {
      assert.deepEqual(placesOf(secret, columns), [], whose);
      assert.deepEqual(placesOf(secret, files), [], whose);
    }
  });

  it('are in no line of the log at its most detailed level, nor in the logs of the parts; nor are inputs and outputs', () => {
    const logs = filesBelow(join(instance.dataDir, 'logs')).set('standard output', log);
    for (const [whose, secret] of [
      ...keys,
      ['an input', INPUT],
      ['an output', OUTPUT],
      ['a failure', FAILURE],
      ['code', CODE],
    ] as const) {
      assert.deepEqual(placesOf(secret, logs), [], whose);
    }
  });

  it('are in no history; nor are inputs, outputs and failures', () => {
    const files = filesBelow(join(instance.dataDir, 'temporal'));
    assert(placesOf(ids[0] ?? '', files).length > 0, 'what Temporal holds is readable in its files');
    for (const [whose, secret] of [
      ...keys,
      ['an input', INPUT],
      ['an output', OUTPUT],
      ['a failure', FAILURE],
      ['code', CODE],
    ] as const) {
      assert.deepEqual(placesOf(secret, histories), [], whose);
      assert.deepEqual(placesOf(secret, files), [], whose);
    }
  });

  it('are in no file of the data directory except the files made for them', () => {
    const files = filesBelow(instance.dataDir);
    const homes: Record<string, string[]> = {
      'the encryption key': ['encryption.key'],
      'the password of the database': ['postgres/password'],
      'the platform key': ['credentials.json'],
      'the demo publisher': ['credentials.json'],
      'the demo consumer': ['credentials.json'],
    };
    for (const [whose, secret] of keys) assert.deepEqual(placesOf(secret, files), homes[whose] ?? [], whose);
  });
});

/** The bytes of every file below a folder, by path; names that match `but` are left out. */
function filesBelow(folder: string, but = '\0'): Map<string, string> {
  const names = globSync('**/*', { cwd: folder, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== but,
  );
  return new Map(
    names.map((entry) => [
      join(entry.parentPath, entry.name).slice(folder.length + 1),
      readFileSync(join(entry.parentPath, entry.name), 'latin1'),
    ]),
  );
}

/** The histories of all runs, payloads decoded. */
async function everyHistory({ client }: Lives): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { workflowId, runId } of client.workflow.list()) {
    const text = historyToJSON(await client.workflow.getHandle(workflowId, runId).fetchHistory());
    texts.set(
      workflowId,
      `${text} ${[...text.matchAll(/"([A-Za-z0-9+/]{8,}=*)"/g)].map(([, data = '']) => Buffer.from(data, 'base64').toString('latin1')).join(' ')}`,
    );
  }
  return texts;
}

/** All cells of each column of each table, regardless of their type, as one text. */
async function everyColumn(pool: DatabasePool): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const found = await pool.any(sql.type(TextColumn)`
    select c.table_name, c.column_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'`);
  for (const { table_name: table, column_name: column } of found) {
    const { cells } = await pool.one(
      sql.type(
        Cells,
      )`select string_agg(${sql.identifier([column])}::text, E'\n') as cells from ${sql.identifier([table])}`,
    );
    texts.set(`${table}.${column}`, cells ?? '');
  }
  return texts;
}
