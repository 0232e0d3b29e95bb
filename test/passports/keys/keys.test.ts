import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { z } from 'zod';
import { createEncryption } from '../../../src/context/encryption.ts';
import { translateDatabaseError } from '../../../src/database/errors.ts';
import { sql } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { insertFirstKeys } from '../../../src/passports/keys/queries.ts';
import { rotateSigningKeysWhenDue } from '../../../src/passports/keys/rotate.ts';
import { newSigningKey } from '../../../src/passports/keys/signing-key.ts';
import { activeKey, keyOf, signingKeys } from '../../../src/passports/keys/signing-keys.ts';
import { insertKey, insertOperator } from '../../http/support/shell.ts';
import { eventually } from '../../support/eventually.ts';
import { anonymous, assertProblem, assertStatus, platform, requester } from '../../support/service.ts';
import { newPassport, ownServices, type OwnService, type OwnServices } from '../own-service.ts';

const ROTATE = '/v1/admin/signing-keys/rotate';

const Row = z.object({ kid: z.string(), status: z.string(), private_key: z.string() });
const rowsOf = ({ context }: OwnService) =>
  context.pool.any(sql.type(Row)`select kid, status, private_key from signing_keys order by created_at, kid`);

/** How many statements wait for a lock in its database. */
const waitingIn = async ({ context }: OwnService): Promise<number> => {
  const Waiting = z.object({ count: z.number() });
  return await context.pool.oneFirst(sql.type(Waiting)`
    select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
};

const kidsShown = async (service: OwnService): Promise<string[]> => {
  const { keys } = assertStatus(
    await service.anonymous.get<{ keys: { kid: string }[] }>('/v1/.well-known/jwks.json'),
    200,
  );
  return keys.map(({ kid }) => kid);
};

const age = ({ context }: OwnService, column: 'activated_at' | 'ended_at', interval: string) =>
  context.pool.query(sql.type(z.object({}))`
    update signing_keys set ${sql.identifier([column])} = clock_timestamp() - ${interval}::interval where ${sql.identifier([column])} is not null`);

describe('signing keys', () => {
  let services: OwnServices;
  let service: OwnService;

  beforeEach(async () => {
    services = await ownServices();
    service = await services.open();
  });
  afterEach(() => services.close());

  it('are made once, an active and a next one, however many processes start at the same time', async () => {
    const other = await services.open();
    const { pool, encryption } = service.context;
    const holder = new pg.Client(services.databaseUrl);
    await holder.connect();
    await holder.query('begin; lock table signing_keys in exclusive mode');
    const insert = () =>
      pool.connect(async (connection) => {
        await connection.query(sql.unsafe`set lock_timeout = 0`); // they wait until all of them do, however long that takes
        await insertFirstKeys(connection, newSigningKey(encryption), newSigningKey(encryption));
      });
    const racing = Promise.all(Array.from({ length: 6 }, insert));
    await eventually('all of them to wait, where none has seen a key', async () => (await waitingIn(other)) >= 6);
    await holder.query('commit');
    await holder.end();
    await racing;
    const keys = await Promise.all([service, other].map(({ context }) => activeKey(context)));
    assert.equal(new Set(keys.map(({ kid }) => kid)).size, 1);
    const rows = await rowsOf(service);
    assert.deepEqual(rows.map(({ status }) => status).toSorted(), ['active', 'next']);
  });

  it('are not made in order to verify', async () => {
    assertStatus(await service.anonymous.post('/v1/passports/verify', { token: 'a.b.c' }), 200);
    assert.deepEqual(await rowsOf(service), []);
    assert.equal((await signingKeys(service.context).ring()).active, undefined);
  });

  it('are stored encrypted: no private part is in the row', async () => {
    const key = await activeKey(service.context);
    const { private_key: sealed = '' } = (await rowsOf(service)).find(({ kid }) => kid === key.kid) ?? {};
    const encryption = createEncryption([services.encryptionKey]);
    const d = encryption.open(sealed, `signing_keys:${key.kid}`);
    assert.equal(Buffer.from(d, 'base64url').length, 32);
    assert(!sealed.includes(d));
    assert.throws(() => encryption.open(sealed, 'signing_keys:another'), 'a row cannot be given the key of another');
    assert(!service.logged().includes(d));
  });

  it('are encrypted again under the first encryption key of the list, so that the old one can be removed', async () => {
    const { kid } = await activeKey(service.context);
    const fresh = randomBytes(32);
    const rotated = await services.open({ encryptionKeys: [fresh, services.encryptionKey] });
    const token = (await activeKey(rotated.context)).sign('{}');
    await eventually('both keys to be sealed anew', async () =>
      (await rowsOf(service)).every((row) => createEncryption([fresh]).isCurrent(row.private_key)),
    );
    const later = await services.open({ encryptionKeys: [fresh] });
    assert.equal((await keyOf(later.context, kid)).sign('{}'), token, 'the same key, opened by the new one alone');
  });

  it('verify without the encryption key, and fail with a clear error when they sign', async () => {
    const { token } = await newPassport(service);
    const stranger = await services.open({ encryptionKeys: [randomBytes(32)] });
    const { valid } = assertStatus(await stranger.anonymous.post('/v1/passports/verify', { token }), 200);
    assert.equal(valid, true);
    const key = await activeKey(stranger.context);
    assert.throws(() => key.sign('{}'), /No key of ENCRYPTION_KEY opens this/);
    assert.match(stranger.logged(), /no key of ENCRYPTION_KEY opens this signing key/);
  });

  it('are replaced by two rotations where the encryption key is lost, and what they signed still counts', async () => {
    const { token } = await newPassport(service);
    const heir = await services.open({ encryptionKeys: [randomBytes(32)] });
    for (const _ of [1, 2]) assertStatus(await heir.platform.post(ROTATE), 200);
    for (const one of [token, (await newPassport(heir)).token]) {
      assert.equal(assertStatus(await heir.anonymous.post('/v1/passports/verify', { token: one }), 200).valid, true);
    }
  });

  it('refuse to sign a token that verifiers would refuse', async () => {
    const key = await activeKey(service.context);
    assert.throws(
      () => key.sign(JSON.stringify({ pad: 'x'.repeat(12_300) })),
      (error: unknown) => error instanceof CarnetError && error.code === 'PASSPORT_TOO_LARGE' && error.status === 400,
    );
    assert.equal(key.sign(JSON.stringify({ pad: 'x'.repeat(12_000) })).split('.').length, 3);
  });

  it('sign the same payload to the same token, also after they have retired', async () => {
    const { kid } = await activeKey(service.context);
    const before = (await keyOf(service.context, kid)).sign('{"a":1}');
    assertStatus(await service.platform.post(ROTATE), 200);
    assert.notEqual((await activeKey(service.context)).kid, kid);
    assert.equal((await keyOf(service.context, kid)).sign('{"a":1}'), before);
    await assert.rejects(keyOf(service.context, 'no-such-key'), /There is no signing key no-such-key/);
  });

  describe(`POST ${ROTATE}`, () => {
    it('requires authentication, and the platform key', async () => {
      assertProblem(await anonymous().post(ROTATE), 'UNAUTHENTICATED');
      const operatorId = await insertOperator(service.context);
      const { secret } = await insertKey(service.context, { operatorId });
      assertProblem(await service.as(secret).post(ROTATE), 'ADMIN_REQUIRED');
      assertProblem(await requester('svc_live_nobody_has_this_key_at_all').post(ROTATE), 'UNAUTHENTICATED');
    });

    it('refuses unknown members', async () => {
      assertProblem(await platform().post(ROTATE, { immediate: 'yes' }), 'VALIDATION_ERROR', 'immediate');
      assertProblem(await platform().post(ROTATE, { now: true }), 'VALIDATION_ERROR', 'now');
    });

    it('lets the next key sign and the active one retire: its passports still count', async () => {
      const { token } = await newPassport(service);
      const [active, next] = [
        (await activeKey(service.context)).kid,
        (await rowsOf(service)).find(({ status }) => status === 'next')?.kid,
      ];
      const answer = assertStatus(await service.platform.post(ROTATE), 200);
      assert.equal(answer.active, next);
      assert.deepEqual(answer.retired, [active]);
      assert.deepEqual(answer.withdrawn, []);
      assert.equal((await activeKey(service.context)).kid, next);
      assert.deepEqual(new Set(await kidsShown(service)), new Set([active, answer.active, answer.next]));
      assert.equal(assertStatus(await service.anonymous.post('/v1/passports/verify', { token }), 200).valid, true);
    });

    it('with immediate withdraws the active key: gone from the JWKS, and its passports refused at once by every process', async () => {
      const other = await services.open();
      const { token } = await newPassport(service);
      const withdrawn = (await activeKey(other.context)).kid;
      assert.equal(assertStatus(await other.anonymous.post('/v1/passports/verify', { token }), 200).valid, true);
      const answer = assertStatus(await service.platform.post(ROTATE, { immediate: true }), 200);
      for (const process of [other, service]) {
        const verdict = assertStatus(await process.anonymous.post('/v1/passports/verify', { token }), 200);
        assert.deepEqual(verdict, { valid: false, reason: 'unknown_key' });
      }
      assert.deepEqual(answer.withdrawn, [withdrawn]);
      assert.deepEqual(new Set(await kidsShown(service)), new Set([answer.active, answer.next]));
      await eventually(
        'the other process to show the new keys',
        async () => !(await kidsShown(other)).includes(withdrawn),
      );
    });

    it('with immediate ends every use of the passports of the key', async () => {
      const { payload } = await newPassport(service);
      await service.context.pool.query(sql.type(z.object({}))`
        insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, started_at, latest_expiry)
        select jti, session_id, operator_id, agent_id, agent_id, 0, 'standard', issued_at, expires_at from passports where jti = ${payload.jti}`);
      const named = () =>
        service.context.pool.query(sql.type(z.object({}))`
        select assert_passport_usable(operator_id, jti) from passports where jti = ${payload.jti}`);
      await named();
      assertStatus(await service.platform.post(ROTATE, { immediate: true }), 200);
      await assert.rejects(named(), (error: unknown) => {
        const refusal = translateDatabaseError(error);
        return refusal instanceof CarnetError && refusal.code === 'INVALID_PASSPORT';
      });
    });

    it('rotates for each of several callers at the same time', async () => {
      await activeKey(service.context);
      const answers = await Promise.all([1, 2, 3, 4].map(() => service.platform.post<{ active: string }>(ROTATE)));
      assert.equal(new Set(answers.map((answer) => assertStatus(answer, 200).active)).size, 4);
      assert.equal((await rowsOf(service)).length, 6);
    });

    it('rotates once for one Idempotency-Key, and leaves an audit event', async () => {
      const first = await service.platform.post(ROTATE, {}, { 'idempotency-key': 'rotate-1' });
      const again = await service.platform.post(ROTATE, {}, { 'idempotency-key': 'rotate-1' });
      assert.deepEqual(again.body, first.body);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      const { audit_events: events } = assertStatus(
        await service.platform.get<{ audit_events: { action: string; target: string }[] }>('/v1/audit-events'),
        200,
      );
      const rotations = events.filter(({ action }) => action === 'signing_keys.rotated');
      assert.deepEqual(
        rotations.map(({ target }) => target),
        [first.body.active],
      );
    });

    it('verifies with a key of the second rotation by another process, without an announcement', async () => {
      const deaf = await services.open();
      await activeKey(deaf.context);
      assert.notEqual((await signingKeys(deaf.context).ring()).active, undefined);
      for (const _ of [1, 2]) await service.context.pool.query(rotation(service, { immediate: false }));
      await signingKeys(service.context).reread();
      const { token } = await newPassport(service);
      assert.equal(assertStatus(await deaf.anonymous.post('/v1/passports/verify', { token }), 200).valid, true);
    });

    it('applies at the next verify in a process that got no announcement', async () => {
      const { token } = await newPassport(service);
      assert.equal(assertStatus(await service.anonymous.post('/v1/passports/verify', { token }), 200).valid, true);
      await service.context.pool.query(rotation(service, { immediate: true }));
      assert.deepEqual(assertStatus(await service.anonymous.post('/v1/passports/verify', { token }), 200), {
        valid: false,
        reason: 'unknown_key',
      });
    });
  });

  it('count for two hours after they retire; then their tokens are of an unknown key', async () => {
    const { token } = await newPassport(service, { ttl: 3_600 });
    const retired = (await activeKey(service.context)).kid;
    assertStatus(await service.platform.post(ROTATE), 200);
    await age(service, 'ended_at', '1 hour 59 minutes');
    await signingKeys(service.context).reread();
    assert((await kidsShown(service)).includes(retired));
    assert.equal(assertStatus(await service.anonymous.post('/v1/passports/verify', { token }), 200).valid, true);
    await age(service, 'ended_at', '2 hours');
    await signingKeys(service.context).reread();
    assert(!(await kidsShown(service)).includes(retired));
    assert.deepEqual(assertStatus(await service.anonymous.post('/v1/passports/verify', { token }), 200), {
      valid: false,
      reason: 'unknown_key',
    });
  });

  describe('by schedule', () => {
    it('rotate once the active key has signed for 90 days, and once however many runs there are', async () => {
      const { kid } = await activeKey(service.context);
      await age(service, 'activated_at', '89 days 23 hours');
      assert.deepEqual(await rotateSigningKeysWhenDue(service.context), { rotated: false });
      await age(service, 'activated_at', '90 days');
      const other = await services.open();
      const runs = await Promise.all(
        [service, other, service, other].map(({ context }) => rotateSigningKeysWhenDue(context)),
      );
      assert.equal(runs.filter(({ rotated }) => rotated).length, 1);
      const rows = await rowsOf(service);
      assert.equal(rows.length, 3);
      assert.equal(rows.find((row) => row.kid === kid)?.status, 'retired');
    });
  });
});

/** As another process rotates, but without announcing it. */
const rotation = ({ context }: OwnService, { immediate }: { immediate: boolean }) => {
  const { kid, x, privateKey } = newSigningKey(context.encryption);
  return sql.type(
    z.object({}),
  )`select rotate_signing_keys(${immediate}, null, ${kid}, ${x}, ${privateKey}, 'test', null)`;
};
