import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import pg from 'pg';
import { z } from 'zod';
import { createEncryption } from '../../../src/context/encryption.ts';
import { translateDatabaseError } from '../../../src/database/errors.ts';
import { sql } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { insertFirstKeys } from '../../../src/passports/keys/queries.ts';
import { rotateSigningKeysWhenDue } from '../../../src/passports/keys/rotate.ts';
import { newSigningKey } from '../../../src/passports/keys/signing-key.ts';
import type { Passport, SignedPassport } from '../../../src/passports/schema.ts';
import { activeKey, keyOf, signingKeys } from '../../../src/passports/keys/signing-keys.ts';
import { insertKey, insertOperator } from '../../http/support/shell.ts';
import { eventually } from '../../support/eventually.ts';
import { blocksOf, paste, type Block } from '../../support/pasted.ts';
import { anonymous, assertProblem, assertStatus, platform, requester } from '../../support/service.ts';
import { issue, openHolder, payloadOf, tryDelegate, tryRefresh, type Holder } from '../holders.ts';
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
    const d = encryption.decrypt(sealed, `signing_keys:${key.kid}`);
    assert.equal(Buffer.from(d, 'base64url').length, 32);
    assert(!sealed.includes(d));
    assert.throws(() => encryption.decrypt(sealed, 'signing_keys:another'), 'a row cannot be given the key of another');
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

    it('with immediate withdraws the active key: gone from the JWKS, and its passports refused immediately by every process', async () => {
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

    it('with the lines of docs/operations.md, gracefully and immediately', async () => {
      const API = service.baseUrl;
      const [gracefully, atOnce] = await blocksOf('docs/operations.md', 'rotation');
      assert(gracefully !== undefined && atOnce !== undefined);
      const withdrawnBy = async (block: Block): Promise<string[]> => {
        const [answer = ''] = await paste([block], { env: { API, PLATFORM_ADMIN_KEY: service.platform.key ?? '' } });
        return (JSON.parse(answer) as { withdrawn: string[] }).withdrawn;
      };
      const first = (await activeKey(service.context)).kid;
      assert.deepEqual(await withdrawnBy(gracefully), []);
      const second = (await activeKey(service.context)).kid;
      assert.notEqual(second, first);
      assert.deepEqual(await withdrawnBy(atOnce), [second]);
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

    describe('withdraws', () => {
      const status = async (kid: string): Promise<string | undefined> =>
        (await rowsOf(service)).find((row) => row.kid === kid)?.status;
      const shown = async ({ as }: Holder, { jti }: SignedPassport) =>
        assertStatus(await as.get<Passport>(`/v1/passports/${jti}`), 200);

      it('a key that has retired, with kids, and leaves the active one', async () => {
        const { token } = await newPassport(service);
        const { kid: old } = await activeKey(service.context);
        const { active } = assertStatus(await service.platform.post(ROTATE), 200);
        const { token: newer } = await newPassport(service);
        const answer = assertStatus(await service.platform.post(ROTATE, { kids: [old] }), 200);
        assert.equal(answer.active, active);
        assert.deepEqual([answer.retired, answer.withdrawn], [[], [old]]);
        assert(!(await kidsShown(service)).includes(old));
        const verdictOfToken = async (text: string) =>
          assertStatus(await service.anonymous.post('/v1/passports/verify', { token: text }), 200);
        assert.deepEqual(await verdictOfToken(token), { valid: false, reason: 'unknown_key' });
        assert.equal((await verdictOfToken(newer)).valid, true);
      });

      it('the next key, which has signed nothing, and makes another', async () => {
        await activeKey(service.context);
        const next = (await rowsOf(service)).find((row) => row.status === 'next')?.kid ?? assert.fail('no next key');
        const answer = assertStatus(await service.platform.post<{ next: string }>(ROTATE, { kids: [next] }), 200);
        assert.equal(await status(next), 'withdrawn');
        assert.notEqual(answer.next, next);
        assert.equal(await status(answer.next), 'next');
      });

      it('every key with all, and two new ones take their places', async () => {
        const passports = [await newPassport(service)];
        assertStatus(await service.platform.post(ROTATE), 200);
        passports.push(await newPassport(service));
        const before = (await rowsOf(service)).map(({ kid }) => kid);
        const answer = assertStatus(
          await service.platform.post<{ active: string; next: string; withdrawn: string[] }>(ROTATE, { all: true }),
          200,
        );
        assert.deepEqual(answer.withdrawn.toSorted(), before.toSorted());
        assert.deepEqual(new Set(await kidsShown(service)), new Set([answer.active, answer.next]));
        assert.equal((await newPassport(service)).token.length > 0, true);
        for (const { token } of passports) {
          const verdict = assertStatus(await service.anonymous.post('/v1/passports/verify', { token }), 200);
          assert.deepEqual(verdict, { valid: false, reason: 'unknown_key' });
        }
      });

      it('nothing where a kid is not ours, or where the body says it in two ways', async () => {
        await activeKey(service.context);
        const before = await rowsOf(service);
        const { active } = { active: before.find((row) => row.status === 'active')?.kid };
        for (const [body, path] of [
          [{ kids: [active, 'nobodys'] }, 'kids.1'],
          [{ kids: [] }, 'kids'],
          [{ kids: [active], all: true }, 'kids'],
          [{ immediate: true, all: true }, 'kids'],
        ] as const)
          assertProblem(await service.platform.post(ROTATE, body), 'VALIDATION_ERROR', path);
        assert.deepEqual(await rowsOf(service), before);
      });

      it('the passports too: revoked when shown, gone from the active ones, their bit set', async () => {
        const holder = await openHolder({}, service.place);
        const passport = await issue(holder);
        const { idx } = payloadOf(passport.token).status?.status_list ?? assert.fail('no status');
        assertStatus(await service.platform.post(ROTATE), 200);
        const kept = await issue(holder);
        const { kid } = decodeProtectedHeader(passport.token);
        assertStatus(await service.platform.post(ROTATE, { kids: [kid] }), 200);
        const { status: shownAs, revoke_reason: why } = await shown(holder, passport);
        assert.deepEqual([shownAs, why], ['revoked', 'The key that signed it was withdrawn']);
        assert.equal((await shown(holder, kept)).status, 'active');
        const active = assertStatus(await holder.as.get<Passport[]>('/v1/passports/active'), 200);
        assert.deepEqual(
          active.map(({ jti }) => jti),
          [kept.jti],
        );
        await eventually('the bit to be set', async () => {
          const { text } = await service.anonymous.get('/v1/passports/status-list');
          const { status_list: list } = decodeJwt<{ status_list: { lst: string } }>(text);
          return ((inflateSync(Buffer.from(list.lst, 'base64url')).readUInt8(idx >> 3) >> (idx & 7)) & 1) === 1;
        });
      });

      it('and a replay hands none of them out: the key signs no more', async () => {
        const holder = await openHolder({}, service.place);
        const key = { 'idempotency-key': 'issue-1' };
        const body = { agent_id: holder.agentId };
        const { token } = assertStatus(await holder.as.post<SignedPassport>('/v1/passports/issue', body, key), 201);
        const child = { parent_passport_token: token, child_agent_id: holder.agentId, scopes: [] };
        const [delegated, refreshed] = [{ 'idempotency-key': 'delegate-1' }, { 'idempotency-key': 'refresh-1' }];
        assertStatus(await holder.as.post('/v1/passports/delegate', child, delegated), 201);
        assertStatus(await holder.as.post('/v1/passports/refresh', { token }, refreshed), 201);
        assertStatus(await service.platform.post(ROTATE, { immediate: true }), 200);
        assertProblem(await holder.as.post('/v1/passports/issue', body, key), 'PASSPORT_REVOKED');
        assertProblem(await holder.as.post('/v1/passports/delegate', child, delegated), 'PASSPORT_REVOKED');
        assertProblem(await holder.as.post('/v1/passports/refresh', { token }, refreshed), 'PASSPORT_REVOKED');
        await issue(holder);
      });

      it('a passport that was being issued at the same moment', async () => {
        const holder = await openHolder({}, service.place);
        await issue(holder);
        const { kid } = await activeKey(service.context);
        // Holds issuing up between the look at the key and the insert.
        const blocker = new pg.Client(services.databaseUrl);
        await blocker.connect();
        await blocker.query('begin; lock table passports in exclusive mode');
        const issuing = issue(holder);
        await eventually('issuing to wait', async () => (await waitingIn(service)) >= 1);
        const rotating = service.platform.post(ROTATE, { immediate: true });
        await eventually('the rotation to wait too', async () => (await waitingIn(service)) >= 2);
        await blocker.query('commit');
        await blocker.end();
        const passport = await issuing;
        assertStatus(await rotating, 200);
        assert.equal(decodeProtectedHeader(passport.token).kid, kid);
        assert.equal((await shown(holder, passport)).status, 'revoked');
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

  describe('that leaked', () => {
    /** A passport with wider scopes than its row has, signed with the very key of the row. */
    const forgedFrom = async (passport: SignedPassport, change: Record<string, unknown>): Promise<string> => {
      const { kid = '' } = decodeProtectedHeader(passport.token);
      const payload = payloadOf(passport.token);
      return (await keyOf(service.context, kid)).sign(
        JSON.stringify({ ...payload, svcns: { ...payload.svcns, ...change } }),
      );
    };
    const widened = async (passport: SignedPassport): Promise<string> => {
      const [first, ...rest] = payloadOf(passport.token).svcns.services;
      return await forgedFrom(passport, { services: [{ ...first, scopes: ['read', 'write', 'admin'] }, ...rest] });
    };
    const narrow = async (): Promise<{ holder: Holder; passport: SignedPassport }> => {
      const holder = await openHolder({}, service.place);
      const scopes = [{ service_connection_id: holder.code.id, scopes: ['read'] }];
      return { holder, passport: await issue(holder, { scopes }) };
    };

    it('forge nothing: what a passport says is what its row has, for verify and introspect', async () => {
      const { holder, passport } = await narrow();
      const forged = await widened(passport);
      assert.deepEqual(assertStatus(await service.anonymous.post('/v1/passports/verify', { token: forged }), 200), {
        valid: false,
        reason: 'revoked',
      });
      assert.deepEqual(assertStatus(await holder.as.post('/v1/passports/introspect', { token: forged }), 200), {
        active: false,
      });
      const { valid } = assertStatus(
        await service.anonymous.post('/v1/passports/verify', { token: passport.token }),
        200,
      );
      assert.equal(valid, true, 'the one that was issued');
    });

    it('are no way to wider passports: delegate and refresh refuse what the row does not have', async () => {
      const { holder, passport } = await narrow();
      const forged = await widened(passport);
      assertProblem(await tryDelegate(holder, forged), 'PASSPORT_REVOKED');
      assertProblem(await tryRefresh(holder, forged), 'PASSPORT_REVOKED');
      assertStatus(await service.platform.post(ROTATE), 200);
      assertProblem(await tryDelegate(holder, forged), 'PASSPORT_REVOKED');
      assertProblem(await tryRefresh(holder, forged), 'PASSPORT_REVOKED');
      assertStatus(await tryRefresh(holder, passport.token), 201);
    });

    it('are no credential either', async () => {
      const { passport } = await narrow();
      const forged = await forgedFrom(passport, { operator_id: 'op_platform' });
      assertProblem(await service.as(forged).get('/v1/agents'), 'UNAUTHENTICATED');
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
  return sql.type(z.object({}))`
    select rotate_signing_keys(case when ${immediate} then array(select kid from signing_keys where status = 'active') end, null,
      array[${kid}], array[${x}], array[${privateKey}], 'test', null)`;
};
