import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { ErrorCode } from '../../../src/errors/codes.ts';
import { eventually } from '../../support/eventually.ts';
import { assertProblem, assertStatus, type Reply, type Requester } from '../../support/service.ts';
import { insertAgent, insertKey, insertOperator, newAdmin, openShell, type Shell } from '../support/shell.ts';
import { things } from '../support/things.ts';

const Nothing = z.object({});
const read = (as: Requester): Promise<Reply> => as.get('/v1/things/thg_1');

describe('credentials', () => {
  let shell: Shell;
  const callers: Record<string, Requester> = {};

  before(async () => {
    shell = await openShell({ routes: things });
    const { context } = shell;
    const operatorId = await insertOperator(context);
    const suspended = await insertOperator(context, 'suspended');
    const key = async (options: Parameters<typeof insertKey>[1]): Promise<Requester> =>
      shell.as((await insertKey(context, options)).secret);
    Object.assign(callers, {
      nobody: shell.anonymous,
      admin: await key({ operatorId }),
      member: await key({ operatorId, role: 'member' }),
      agent: await key({ operatorId, agentId: await insertAgent(context, operatorId) }),
      'blocked agent': await key({ operatorId, agentId: await insertAgent(context, operatorId, 'blocked') }),
      'disabled agent': await key({ operatorId, agentId: await insertAgent(context, operatorId, 'disabled') }),
      'expired key': await key({ operatorId, expiresIn: -1 }),
      'suspended operator': await key({ operatorId: suspended }),
      'agent of a suspended operator': await key({
        operatorId: suspended,
        agentId: await insertAgent(context, suspended),
      }),
      platform: shell.platform,
      'unknown key': shell.as(`svc_live_${'x'.repeat(43)}`),
      'text that is no key': shell.as('secret'),
    });
  });
  after(() => shell.close());

  type Outcome = number | ErrorCode;
  const endpoints: [line: string, call: (as: Requester) => Promise<Reply>, outcomes: Record<string, Outcome>][] = [
    ['a read for anyone', read, { admin: 200, member: 200, agent: 200, 'blocked agent': 200, platform: 200 }],
    [
      'a change for anyone',
      (as) => as.post('/v1/things', { name: 'x' }),
      { admin: 201, member: 201, agent: 201, 'blocked agent': 'AGENT_BLOCKED', platform: 201 },
    ],
    [
      'a change for operators',
      (as) => as.post('/v1/things/thg_1/polish'),
      {
        admin: 200,
        member: 200,
        agent: 'AGENT_CREDENTIAL_FORBIDDEN',
        'blocked agent': 'AGENT_CREDENTIAL_FORBIDDEN',
        platform: 200,
      },
    ],
    [
      'a change for administrators',
      (as) => as.patch('/v1/things/thg_1', { name: 'x' }),
      {
        admin: 200,
        member: 'ADMIN_REQUIRED',
        agent: 'AGENT_CREDENTIAL_FORBIDDEN',
        'blocked agent': 'AGENT_CREDENTIAL_FORBIDDEN',
        platform: 200,
      },
    ],
    [
      'a change for the platform',
      (as) => as.delete('/v1/things/thg_1'),
      {
        admin: 'ADMIN_REQUIRED',
        member: 'ADMIN_REQUIRED',
        agent: 'ADMIN_REQUIRED',
        'blocked agent': 'ADMIN_REQUIRED',
        platform: 200,
      },
    ],
  ];
  const refusedEverywhere: Record<string, Outcome> = {
    nobody: 'UNAUTHENTICATED',
    'expired key': 'UNAUTHENTICATED',
    'disabled agent': 'UNAUTHENTICATED',
    'unknown key': 'UNAUTHENTICATED',
    'text that is no key': 'UNAUTHENTICATED',
    'suspended operator': 'OPERATOR_SUSPENDED',
    'agent of a suspended operator': 'OPERATOR_SUSPENDED',
  };
  for (const [line, call, outcomes] of endpoints) {
    describe(line, () => {
      for (const [who, outcome] of Object.entries({ ...outcomes, ...refusedEverywhere })) {
        it(`is ${outcome} to ${who}`, async () => {
          const as = callers[who];
          assert(as !== undefined);
          const reply = await call(as);
          if (typeof outcome === 'number') assertStatus(reply, outcome);
          else assertProblem(reply, outcome);
        });
      }
    });
  }

  it('are not looked at where a route is public', async () => {
    for (const as of Object.values(callers)) assertStatus(await as.post('/v1/open-things/check', { name: 'x' }), 200);
  });

  it('are requested by WWW-Authenticate, with an error only where one was shown (RFC 6750)', async () => {
    assert.equal((await read(shell.anonymous)).headers.get('www-authenticate'), 'Bearer realm="carnet"');
    const shown = await read(shell.as('secret'));
    assert.equal(shown.headers.get('www-authenticate'), 'Bearer realm="carnet", error="invalid_token"');
    const scheme = await shell.anonymous.get('/v1/things/thg_1', { authorization: 'Basic eDp5' });
    assertProblem(scheme, 'UNAUTHENTICATED');
  });

  it('may be introduced by the scheme in any case', async () => {
    const admin = callers.admin?.key ?? '';
    assertStatus(await shell.anonymous.get('/v1/things/thg_1', { authorization: `bearer ${admin}` }), 200);
  });

  it('are refused immediately after their key was deleted and announced', async () => {
    const admin = await newAdmin(shell);
    assertStatus(await read(admin), 200);
    await shell.context.pool.query(sql.type(Nothing)`delete from api_keys where id = ${admin.keyId}`);
    shell.context.rowEvents.changed(admin.keyId);
    assertProblem(await read(admin), 'UNAUTHENTICATED');
  });

  it('are refused immediately after their operator was suspended and announced', async () => {
    const admin = await newAdmin(shell);
    assertStatus(await read(admin), 200);
    await shell.context.pool.query(
      sql.type(Nothing)`update operators set status = 'suspended' where id = ${admin.operatorId}`,
    );
    shell.context.rowEvents.changed(admin.operatorId);
    assertProblem(await read(admin), 'OPERATOR_SUSPENDED');
  });

  it('are refused soon after their key was deleted and nobody announced it', async () => {
    const admin = await newAdmin(shell);
    assertStatus(await read(admin), 200);
    await shell.context.pool.query(sql.type(Nothing)`delete from api_keys where id = ${admin.keyId}`);
    await eventually('the deleted key to be refused', async () => (await read(admin)).status === 401, { seconds: 15 });
  });

  it('are refused immediately when their time is over, remembered or not', async () => {
    const operatorId = await insertOperator(shell.context);
    /** A key that was taken while it was valid; where the machine is too slow for one of 0.4 s, it gets a longer one. */
    const taken = async (expiresIn = 0.4): Promise<{ id: string; secret: string }> => {
      const key = await insertKey(shell.context, { operatorId, expiresIn });
      const reply = await read(shell.as(key.secret));
      if (reply.status === 401 && expiresIn < 10) return taken(expiresIn * 3);
      assertStatus(reply, 200);
      return key;
    };
    const { id, secret } = await taken();
    await eventually('the key to expire', () =>
      shell.context.pool.oneFirst(
        sql.type(
          z.object({ over: z.boolean() }),
        )`select expires_at < clock_timestamp() as over from api_keys where id = ${id}`,
      ),
    );
    assertProblem(await read(shell.as(secret)), 'UNAUTHENTICATED');
  });

  it('are looked up each time while changes cannot be received', async () => {
    const admin = await newAdmin(shell);
    assertStatus(await read(admin), 200);
    const pids = await shell.context.pool.anyFirst(sql.type(z.object({ ended: z.boolean() }))`
      select pg_terminate_backend(pid) as ended from pg_stat_activity
      where application_name = 'carnet-row-events' and datname = current_database()`);
    assert(pids.length > 0);
    await eventually('the connection to be seen as lost', () => !shell.context.rowEvents.listening);
    await shell.context.pool.query(sql.type(Nothing)`delete from api_keys where id = ${admin.keyId}`);
    assertProblem(await read(admin), 'UNAUTHENTICATED');
    await eventually('announcements to arrive again', () => shell.context.rowEvents.listening);
  });

  it('note their last use, once a minute', async () => {
    const admin = await newAdmin(shell);
    const lastUsed = () =>
      shell.context.pool.oneFirst(
        sql.type(
          z.object({ last_used_at: z.string().nullable() }),
        )`select last_used_at from api_keys where id = ${admin.keyId}`,
      );
    assertStatus(await read(admin), 200);
    const first = await eventually('the use to be noted', async () => (await lastUsed()) ?? undefined);
    shell.context.rowEvents.changed(admin.keyId);
    assertStatus(await read(admin), 200);
    assert.equal(await lastUsed(), first);
    await shell.context.pool.query(
      sql.type(Nothing)`update api_keys set last_used_at = now() - interval '61 seconds' where id = ${admin.keyId}`,
    );
    shell.context.rowEvents.changed(admin.keyId);
    assertStatus(await read(admin), 200);
    await eventually('the use to be noted again', async () => ((await lastUsed()) ?? '') >= first);
  });
});
