import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { assertProblem, assertStatus, type Requester } from '../support/service.ts';
import { unique } from '../support/factories.ts';
import { runCommand } from '../../src/commands/run.ts';
import { route } from '../../src/http/route.ts';
import { insertAgent, insertKey, newAdmin, openShell, type Shell } from '../http/support/shell.ts';
import { things } from '../http/support/things.ts';

const LidSchema = z.object({ colour: z.string(), size: z.int() });
/** Its answer has members within members. */
const makeBox = route({
  method: 'post',
  path: '/v1/boxes',
  operation: 'makeBox',
  tag: 'skills',
  summary: 'For tests',
  audience: 'anyone',
  status: 201,
  reply: z.object({
    id: z.string(),
    weight: z.int(),
    label: z.string().nullable(),
    lid: LidSchema.nullable(),
    lids: z.array(LidSchema),
    spare: LidSchema.optional(),
  }),
  handler: ({ context, call }) =>
    runCommand(context, call, async () => ({
      status: 201,
      body: { id: 'box_1', weight: 2, label: null, lid: null, lids: [] },
    })),
});

describe('Idempotency-Key', () => {
  let shell: Shell;
  let admin: Awaited<ReturnType<typeof newAdmin>>;
  let agent: Requester;

  before(async () => {
    shell = await openShell({ routes: [makeBox, ...things] });
    admin = await newAdmin(shell);
    const { operatorId } = admin;
    agent = shell.as(
      (await insertKey(shell.context, { operatorId, agentId: await insertAgent(shell.context, operatorId) })).secret,
    );
  });
  after(() => shell.close());

  const make = (as: Requester, key: string, body: unknown = { name: 'x' }) =>
    as.post('/v1/things', body, { 'idempotency-key': key });

  it('replays status, body and Location, and says so', async () => {
    const key = unique('key');
    const first = await make(admin, key);
    const again = await make(admin, key);
    assertStatus(first, 201);
    assertStatus(again, 201);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    assert.equal(first.headers.get('idempotency-replayed'), null);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  });

  it('replays what a release before this one has kept, in as far as answers still have it', async () => {
    const key = unique('key');
    const send = () => admin.post('/v1/boxes', {}, { 'idempotency-key': key });
    assertStatus(await send(), 201);
    const kept = {
      id: 'box_1',
      weight: 'heavy', // a number since then
      colour: 'red', // no longer a member
      label: null,
      // None has a size.
      lid: { colour: 'red' },
      lids: [{ colour: 'green' }, { colour: 'blue', size: 1 }],
      spare: { colour: 'white' },
    };
    await shell.context.pool.query(sql.type(z.object({}))`
      update idempotency_keys set answer = ${JSON.stringify(kept)} where operator_id = ${admin.operatorId} and key = ${key}`);
    const again = await send();
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const { id, label, lid, lids, spare } = kept;
    assert.deepEqual(assertStatus(again, 201), { id, label, lid, lids, spare });
  });

  it('takes the same body in another order and other spaces', async () => {
    const key = unique('key');
    const first = await make(admin, key, '{"name":"x","size":1}');
    const again = await make(admin, key, '{ "size": 1.0, "name": "\\u0078" }');
    assert.deepEqual(assertStatus(again, 201), assertStatus(first, 201));
  });

  it('is 409 with another body, another path, or another method', async () => {
    const key = unique('key');
    assertStatus(await make(admin, key), 201);
    assertProblem(await make(admin, key, { name: 'y' }), 'IDEMPOTENCY_KEY_REUSED');
  });

  it('is 409 before the other body is found to be wrong', async () => {
    const key = unique('key');
    assertStatus(await make(admin, key), 201);
    assertProblem(await make(admin, key, { nmae: 'y' }), 'IDEMPOTENCY_KEY_REUSED');
  });

  it('comes after the syntax of JSON', async () => {
    const key = unique('key');
    assertStatus(await make(admin, key), 201);
    assertProblem(await make(admin, key, '{"name": '), 'VALIDATION_ERROR');
  });

  it('comes after the credential and the role', async () => {
    const key = unique('key');
    assertStatus(await make(admin, key), 201);
    assertProblem(await make(shell.anonymous, key), 'UNAUTHENTICATED');
    assertProblem(
      await agent.post('/v1/things/thg_1/polish', {}, { 'idempotency-key': key }),
      'AGENT_CREDENTIAL_FORBIDDEN',
    );
  });

  it('is 409 with Retry-After where another call with the key still runs after the wait for it', async () => {
    const key = unique('key');
    await shell.context.pool.transaction(async (rival) => {
      await rival.query(sql.type(z.object({}))`
        insert into idempotency_keys (operator_id, agent_id, key, fingerprint)
        values (${admin.operatorId}, '', ${key}, sha256('of a rival'))`);
      const reply = await make(admin, key);
      assertProblem(reply, 'IDEMPOTENCY_IN_FLIGHT');
      assert.equal(reply.headers.get('retry-after'), '1');
    });
  });

  it('does not stick to a refusal', async () => {
    const key = unique('key');
    assertProblem(await make(admin, key, { name: 'refused' }), 'CONFLICT');
    assertProblem(await make(admin, key, { name: '' }), 'VALIDATION_ERROR', 'name');
    assertStatus(await make(admin, key), 201);
  });

  it('belongs to its operator, and an agent has its own', async () => {
    const key = unique('key');
    const other = await newAdmin(shell);
    const made = [await make(admin, key), await make(agent, key), await make(other, key)].map(
      (reply) => assertStatus(reply, 201).id,
    );
    assert.equal(new Set(made).size, 3);
    assert.deepEqual(assertStatus(await make(agent, key), 201).id, made[1]);
  });

  it('is free again after 24 hours', async () => {
    const key = unique('key');
    assertStatus(await make(admin, key), 201);
    await shell.context.pool.query(
      sql.type(
        z.object({}),
      )`update idempotency_keys set created_at = now() - interval '24 hours 1 second' where key = ${key}`,
    );
    assertProblem(await make(admin, key, { nmae: 'y' }), 'VALIDATION_ERROR', 'nmae');
    assert.equal((await make(admin, key, { name: 'y' })).headers.get('idempotency-replayed'), null);
  });

  for (const [what, key] of [
    ['of 256 characters', 'x'.repeat(256)],
    ['of other characters than printable ASCII', 'schlüssel'],
    ['that is empty', ''],
  ] as const) {
    it(`is 400 ${what}`, async () => {
      assertProblem(await make(admin, key), 'VALIDATION_ERROR', 'header.idempotency-key');
    });
  }

  it('may have 255 characters, spaces too', async () => {
    assertStatus(await make(admin, unique('key').padEnd(200, ' x').padEnd(255, '~')), 201);
  });

  it('means nothing on GET and DELETE, and to public routes', async () => {
    const bad = { 'idempotency-key': 'x'.repeat(300) };
    assertStatus(await admin.get('/v1/things/thg_1', bad), 200);
    assertStatus(await shell.platform.delete('/v1/things/thg_1', bad), 200);
    assertStatus(await shell.anonymous.post('/v1/open-things/check', { name: 'x' }, bad), 200);
  });
});

describe('the order of checks', () => {
  let shell: Shell;
  let admin: Requester;

  before(async () => {
    shell = await openShell({ routes: things });
    admin = await newAdmin(shell);
  });
  after(() => shell.close());

  const wrong = '{"name": ';

  it('is path, method, credential, role, body, meaning', async () => {
    assertProblem(await shell.anonymous.post('/v1/nothing', wrong), 'NOT_FOUND');
    assertProblem(await shell.anonymous.put('/v1/things', wrong), 'METHOD_NOT_ALLOWED');
    assertProblem(await shell.anonymous.patch('/v1/things/thg_1', wrong), 'UNAUTHENTICATED');
    assertProblem(await admin.post('/v1/things', wrong, { 'content-type': 'text/plain' }), 'UNSUPPORTED_MEDIA_TYPE');
    assertProblem(await admin.post('/v1/things', wrong), 'VALIDATION_ERROR');
    assertProblem(await admin.post('/v1/things', {}), 'VALIDATION_ERROR');
    assertProblem(await admin.post('/v1/things', { name: 'refused' }), 'CONFLICT');
  });
});
