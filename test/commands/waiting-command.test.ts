import assert from 'node:assert/strict';
import { z } from 'zod';
import { runWaitingCommand } from '../../src/commands/waiting.ts';
import { sql } from '../../src/database/pool.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { route } from '../../src/http/route.ts';
import { unique } from '../support/factories.ts';
import { assertProblem, assertStatus } from '../support/service.ts';
import { newAdmin, openShell, type Shell } from '../http/support/shell.ts';

const PageSchema = z
  .object({ id: z.string(), url: z.string() })
  .meta({ id: 'HostedThing', description: 'For tests', examples: [{ id: 'hst_1', url: 'https://pay.example' }] });

describe('A command that waits on an outside effect', () => {
  let shell: Shell;
  let admin: Awaited<ReturnType<typeof newAdmin>>;
  /** The behaviour of the outside with each id that comes to it. */
  let outside: (id: string) => Promise<void>;
  let begun: string[] = [];

  const host = route({
    tag: 'skills',
    summary: 'For tests',
    method: 'post',
    path: '/v1/hosted-things',
    operation: 'hostThing',
    audience: 'admin',
    body: z.strictObject({ name: z.string() }).meta({ id: 'HostThing' }),
    status: 200,
    reply: PageSchema,
    refusals: ['CONFLICT'],
    handler: ({ context, call, body }) =>
      runWaitingCommand(context, call, {
        id: unique('hst'),
        begin: async ({ audit }) => audit('thing.begun', body.name),
        wait: async (id) => {
          begun.push(id);
          await outside(id);
        },
        answer: async (_unit, id) => {
          if (body.name === 'refused') throw new CarnetError('CONFLICT', 'The outside says no.');
          return { status: 200, body: { id, url: `https://pay.example/${id}` } };
        },
      }),
  });

  before(async () => {
    shell = await openShell({ routes: [host] });
    admin = await newAdmin(shell);
  });
  beforeEach(() => {
    begun = [];
    outside = async () => {};
  });
  after(() => shell.close());

  const unavailable = async (): Promise<void> => {
    throw new CarnetError('TEMPORARILY_UNAVAILABLE', 'Nobody is there.', { headers: { 'Retry-After': '5' } });
  };
  const post = (key: string | null, name = 'a thing') =>
    admin.post('/v1/hosted-things', { name }, key === null ? {} : { 'idempotency-key': key });
  const beginnings = (name: string) =>
    shell.context.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::int from audit_events where action = 'thing.begun' and target = ${name}`);

  it('answers what came of it, and replays that without calling the outside again', async () => {
    const key = unique('key');
    const first = assertStatus(await post(key), 200);
    const again = await post(key);
    assert.deepEqual(assertStatus(again, 200), first);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(begun, [first.id]);
  });

  it('keeps the answer encrypted, since it opens something', async () => {
    const key = unique('key');
    assertStatus(await post(key), 200);
    const kept = await shell.context.pool.one(sql.type(z.object({ answer: z.string(), encrypted: z.boolean() }))`
      select answer, encrypted from idempotency_keys where key = ${key}`);
    assert.equal(kept.encrypted, true);
    assert.doesNotMatch(kept.answer, /pay\.example/);
  });

  it('goes on with what was begun when it is called again after a 503', async () => {
    const [key, name] = [unique('key'), unique('thing')];
    outside = unavailable;
    const refused = await post(key, name);
    assertProblem(refused, 'TEMPORARILY_UNAVAILABLE');
    assert.equal(refused.headers.get('retry-after'), '5');
    outside = async () => {};
    const answered = assertStatus(await post(key, name), 200);
    assert.deepEqual(begun, [answered.id, answered.id]);
    assert.equal(await beginnings(name), 1);
  });

  it('is 409 with Retry-After while the first call waits, and nothing is begun twice', async () => {
    const [key, name] = [unique('key'), unique('thing')];
    const open = Promise.withResolvers<void>();
    const inside = Promise.withResolvers<void>();
    outside = async () => {
      inside.resolve();
      await open.promise;
    };
    const first = post(key, name);
    await inside.promise;
    const second = await post(key, name);
    assertProblem(second, 'IDEMPOTENCY_IN_FLIGHT');
    assert.equal(second.headers.get('retry-after'), '1');
    open.resolve();
    assertStatus(await first, 200);
    assert.equal(await beginnings(name), 1);
  });

  it('takes a reservation over whose time is over, as after a crash', async () => {
    const [key, name] = [unique('key'), unique('thing')];
    outside = unavailable;
    assertProblem(await post(key, name), 'TEMPORARILY_UNAVAILABLE');
    const reserve = (seconds: number) =>
      shell.context.pool.query(sql.type(z.object({}))`
        update idempotency_keys set reserved_until = clock_timestamp() + ${seconds}::int * interval '1 second' where key = ${key}`);
    outside = async () => {};
    await reserve(30);
    assertProblem(await post(key, name), 'IDEMPOTENCY_IN_FLIGHT');
    await reserve(-1);
    const answered = assertStatus(await post(key, name), 200);
    assert.deepEqual(begun, [answered.id, answered.id]);
    assert.equal(await beginnings(name), 1);
  });

  it('frees the key after a refusal for good', async () => {
    const key = unique('key');
    assertProblem(await post(key, 'refused'), 'CONFLICT');
    assertProblem(await post(key, 'refused'), 'CONFLICT');
    assert.equal(new Set(begun).size, 2, 'it began anew');
  });

  it('keeps the answer of a call that took the reservation over, though the first one is refused after it', async () => {
    const [key, name] = [unique('key'), unique('thing')];
    const refuse = Promise.withResolvers<void>();
    const inside = Promise.withResolvers<void>();
    outside = async () => {
      inside.resolve();
      await refuse.promise;
    };
    const first = post(key, name);
    await inside.promise;
    outside = async () => {};
    await shell.context.pool.query(sql.type(z.object({}))`
      update idempotency_keys set reserved_until = clock_timestamp() - interval '1 second' where key = ${key}`);
    const answered = assertStatus(await post(key, name), 200);
    refuse.reject(new CarnetError('CONFLICT', 'The outside says no to this one.'));
    assertProblem(await first, 'CONFLICT');
    assert.deepEqual(assertStatus(await post(key, name), 200), answered);
    assert.deepEqual(begun, [answered.id, answered.id]);
  });

  it('refuses another body under the key while it is reserved', async () => {
    const key = unique('key');
    outside = unavailable;
    assertProblem(await post(key, 'one'), 'TEMPORARILY_UNAVAILABLE');
    assertProblem(await post(key, 'two'), 'IDEMPOTENCY_KEY_REUSED');
  });

  it('begins again each time without a key', async () => {
    const [one, two] = [assertStatus(await post(null), 200), assertStatus(await post(null), 200)];
    assert.notEqual(one.id, two.id);
  });
});
