import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { buildConnection, grant } from '../../authority/support.ts';
import { buildAgent, buildOperator, suspend, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, database, requester, service, type Reply } from '../../support/service.ts';
import { issued } from './support/belongings.ts';

describe('A passport shown as a bearer credential', () => {
  let operator: TestOperator;
  let token: string;
  let jti: string;

  before(async () => {
    operator = await buildOperator();
  });
  beforeEach(async () => {
    ({ token, jti } = await issued(operator, (await buildAgent(operator)).id));
  });

  const read = (shown = token): Promise<Reply> => requester(shown).get('/v1/skills');
  const assertRefused = (reply: Reply, reason: RegExp): void => {
    assertProblem(reply, 'UNAUTHENTICATED');
    assert.match(String(reply.body.detail), reason);
  };

  it('is known, and may do nothing', async () => {
    assertProblem(await read(), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await requester(token).post('/v1/skills', {}), 'AGENT_CREDENTIAL_FORBIDDEN');
  });

  it('is 401 where it has an audience: a service in it, which it was shown to, cannot act with it here', async () => {
    const { id: agentId } = await buildAgent(operator);
    const { id: connectionId } = await buildConnection(operator);
    await grant(operator, { agentId, connectionId });
    const passport = assertStatus(
      await operator.post<{ token: string }>('/v1/passports/issue', { agent_id: agentId, audience: ['github'] }),
      201,
    );
    assertRefused(await read(passport.token), /audience/);
    const endpoint = '/v1/operator/inbound-webhooks/iwh_01K0000000000000000000000A';
    assertRefused(await requester(passport.token).delete(endpoint), /audience/);
  });

  it('is not needed where nothing is', async () => {
    assertStatus(await requester(token).post('/v1/passports/verify', { token }), 200);
  });

  it('is 401 from the moment that it is revoked, however often it was shown', async () => {
    for (let times = 0; times < 3; times += 1) assertProblem(await read(), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertStatus(await operator.post('/v1/passports/revoke', { jti }), 200);
    assertRefused(await read(), /revoked/);
  });

  it('is 401 when its operator is suspended', async () => {
    const other = await buildOperator();
    const passport = await issued(other, (await buildAgent(other)).id);
    assertProblem(await read(passport.token), 'AGENT_CREDENTIAL_FORBIDDEN');
    await suspend(other.operatorId);
    assertRefused(await read(passport.token), /revoked/);
  });

  it('is 401 when it has expired', async () => {
    const pool = await database();
    await pool.query(
      sql.type(z.object({}))`update passports set expires_at = now() - interval '1 second' where jti = ${jti}`,
    );
    assertRefused(await read(), /expired/);
  });

  it('is 401 with another signature or payload', async () => {
    const [header, payload = '', signature = ''] = token.split('.');
    const { token: other } = await issued(operator, (await buildAgent(operator)).id);
    const [, otherPayload] = other.split('.');
    const spoiled = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    assertRefused(await read(`${header}.${payload}.${spoiled}`), /bad signature/);
    assertRefused(await read(`${header}.${otherPayload}.${signature}`), /bad signature/);
  });

  it('is 401 as a token of somebody else', async () => {
    const [header, payload = '', signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    assert.equal(claims.iss, service().baseUrl);
    for (const iss of [`${service().baseUrl}/`, 'https://elsewhere.example.test', [service().baseUrl]]) {
      const foreign = Buffer.from(JSON.stringify({ ...claims, iss })).toString('base64url');
      assertProblem(await read(`${header}.${foreign}.${signature}`), 'UNAUTHENTICATED');
    }
  });
});
