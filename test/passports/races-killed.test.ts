import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { errors } from 'undici';
import type { Passport } from '../../src/passports/schema.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { casesOf } from '../support/cases.ts';
import type { Place } from '../support/factories.ts';
import { startRole } from '../support/role.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { assertStatus, requester } from '../support/service.ts';
import { claimsOf, delegate, issue, openHolder, verdictOf, type Holder } from './holders.ts';
import { serve } from './own-service.ts';

/** A call on a holder with a root and a child, and how many passports are active after it. */
interface Case {
  call(holder: Holder, passports: Awaited<ReturnType<typeof family>>): { path: string; body: unknown };
  status: 200 | 201;
  active: number;
}

async function family(holder: Holder) {
  const root = await issue(holder);
  return { root, child: await delegate(holder, root) };
}

const cases: Record<string, Case> = {
  issuePassport: { call: ({ agentId }) => ({ path: 'issue', body: { agent_id: agentId } }), status: 201, active: 3 },
  delegatePassport: {
    call: ({ agentId }, { root }) => ({
      path: 'delegate',
      body: { parent_passport_token: root.token, child_agent_id: agentId, scopes: [] },
    }),
    status: 201,
    active: 3,
  },
  refreshPassport: {
    call: (_holder, { child }) => ({ path: 'refresh', body: { token: child.token } }),
    status: 201,
    active: 3,
  },
  revokePassport: {
    call: (_holder, { child }) => ({ path: 'revoke', body: { jti: child.jti } }),
    status: 200,
    active: 1,
  },
  revokeAgentPassports: {
    call: ({ agentId }) => ({ path: `revoke-agent/${agentId}`, body: {} }),
    status: 200,
    active: 0,
  },
  revokeSessionPassports: {
    call: (_holder, { root }) => ({ path: `revoke-session/${claimsOf(root).session_id}`, body: {} }),
    status: 200,
    active: 0,
  },
  revokeAllPassports: { call: () => ({ path: 'revoke-all', body: { confirm: true } }), status: 200, active: 0 },
};

describe('kill -9 of a process that issues or revokes', function () {
  this.timeout(120_000);
  const itBeside = sideBySide();
  let own: OwnContext;
  let place: Place;
  /** Where the process that is killed works beside this process: in a database of the suite's own, since it may have messages in hand when it dies. */
  let settings: Record<string, string>;
  let stop: () => Promise<void>;

  before(async () => {
    own = await ownContext();
    const { config } = own.context;
    const served = await serve(own.context);
    ({ stop } = served);
    place = { baseUrl: served.baseUrl, adminKey: config.platformAdminKey };
    settings = {
      DATABASE_URL: config.databaseUrl,
      TEMPORAL_ADDRESS: config.temporal.address,
      PLATFORM_ADMIN_KEY: config.platformAdminKey,
      ENCRYPTION_KEY: config.encryptionKeys[0]?.toString('base64') ?? '',
      PUBLIC_BASE_URL: config.publicBaseUrl, // the passports name one issuer
      LOCAL_PROVIDERS: 'true',
    };
  });
  after(async () => {
    await stop();
    await own.close();
  });

  const points = Object.entries(cases).flatMap(([operation, one]) =>
    (['before', 'committed'] as const).map((point) => ({ operation, point, ...one })),
  );
  // All pass `runCommand`: `npm test` tries one that issues and one that revokes, where they are done and nobody knows.
  const isUsual = ({ operation, point }: (typeof points)[number]): boolean =>
    point === 'committed' && (operation === 'issuePassport' || operation === 'revokePassport');
  for (const { operation, point, call, status, active } of casesOf(points, isUsual)) {
    itBeside(`${operation} at ${point}: the same call, made again elsewhere, has its effect once`, async () => {
      const dying = await startRole('api', { ...settings, FAULT_AT: `${operation}:${point}` });
      const holder = await openHolder({}, place);
      const passports = await family(holder);
      const { path, body } = call(holder, passports);
      const key = { 'idempotency-key': randomUUID() };
      const activeNow = async (): Promise<string[]> =>
        assertStatus(await holder.as.get<Passport[]>('/v1/passports/active'), 200).map(({ jti }) => jti);

      await assert.rejects(
        requester(holder.as.key, dying.baseUrl).post(`/v1/passports/${path}`, body, key),
        errors.SocketError,
        'nobody is left to answer',
      );
      assert.equal(await dying.ended, 'SIGKILL');
      assert.equal((await activeNow()).length, point === 'committed' ? active : 2);

      const again = await holder.as.post(`/v1/passports/${path}`, body, key);
      const once = assertStatus(again, status);
      assert.equal(again.headers.get('idempotency-replayed'), point === 'committed' ? 'true' : null);
      assert.deepEqual(assertStatus(await holder.as.post(`/v1/passports/${path}`, body, key), status), once);
      const left = await activeNow();
      assert.equal(left.length, active);
      for (const passport of [passports.root, passports.child]) {
        assert.equal((await verdictOf(passport, place)) === 'valid', left.includes(passport.jti));
      }
      if (status === 201) assert.equal(await verdictOf(once as never, place), 'valid');
    });
  }
});
