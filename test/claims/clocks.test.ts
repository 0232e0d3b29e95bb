import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { issued } from '../http/auth/support/belongings.ts';
import { buildAgent, buildAgentKey, buildOperator, unique, type TestOperator } from '../support/factories.ts';
import { assertProblem, assertStatus, database, requester } from '../support/service.ts';
import { coSign, jwkOf } from './co-signatures/support.ts';
import { digestOf, envelopeOf, intent, placed } from './support.ts';

const HOUR = 3_600;
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

describe('A claim whose submitter has the wrong time', () => {
  let operator: TestOperator;
  let agentId: string;
  let agentsKey: KeyObject;
  before(async () => {
    operator = await buildOperator();
    ({ id: agentId } = await buildAgent(operator));
    agentsKey = generateKeyPairSync('ed25519').privateKey;
    assertStatus(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: jwkOf(agentsKey) }), 200);
  });

  const stated = (at: number) =>
    envelopeOf(operator, {
      subject: `carnet://agent/${agentId}`,
      claim_type: 'intent_claim',
      issued_at: at,
      payload: intent({ agent_id: agentId, submitted_at: at, reason: unique('reason') }),
    });

  for (const [what, offset] of [
    ['an hour behind', -HOUR],
    ['an hour ahead', HOUR],
  ] as const) {
    it(`is recorded and signed as it came, ${what}; when it was recorded is the time of the service`, async () => {
      const at = nowSeconds() + offset;
      const envelope = stated(at);
      const body = { ...envelope, co_signatures: [coSign(envelope, agentsKey, { role: 'agent_self' })] };
      const claim = assertStatus(await (await buildAgentKey(operator, agentId)).post<Claim>('/v1/claims', body), 201);
      assert.deepEqual([claim.digest, claim.warnings], [digestOf(envelope), []]);
      assert.deepEqual(
        claim.co_signatures.map(({ verified }) => verified),
        [true],
      );
      const { receipt, created_at: createdAt, envelope: kept } = await placed(operator, claim.id);
      assert.equal((kept as { issued_at: number }).issued_at, at);
      // Half an hour is far from both the clock of the client and any pause of a slow machine.
      const near = (seconds: number): boolean => Math.abs(seconds - nowSeconds()) < HOUR / 2;
      assert(near(Date.parse(createdAt) / 1_000), createdAt);
      assert(near((receipt as { registered_at: number }).registered_at), JSON.stringify(receipt));
    });
  }

  it('is found by the time that it states, and not by that of its record', async () => {
    const envelope = stated(nowSeconds() + HOUR);
    const { id } = assertStatus(await operator.post<Claim>('/v1/claims', envelope), 201);
    const since = async (seconds: number): Promise<string[]> =>
      assertStatus(
        await operator.get<{ claims: Claim[] }>(`/v1/claims?since=${new Date(seconds * 1_000).toISOString()}`),
        200,
      ).claims.map((claim) => claim.id);
    assert((await since(nowSeconds() + HOUR / 2)).includes(id));
    assert(!(await since(nowSeconds() + 2 * HOUR)).includes(id));
  });

  describe('with a passport in the place of a key', () => {
    it('is refused: 403 while the passport is valid, 401 when it has expired, and nothing is recorded', async () => {
      const { token, jti } = await issued(operator, agentId);
      const envelope = stated(nowSeconds());
      const submitted = () => requester(token).post('/v1/claims', envelope);
      assertProblem(await submitted(), 'AGENT_CREDENTIAL_FORBIDDEN');
      const pool = await database();
      await pool.query(
        sql.type(z.object({}))`update passports set expires_at = now() - interval '1 second' where jti = ${jti}`,
      );
      const refused = await submitted();
      assertProblem(refused, 'UNAUTHENTICATED');
      assert.match(refused.text, /expired/);
      const count = sql.type(z.object({ count: z.number() }))`
        select count(*) from claims where digest = ${digestOf(envelope)}`;
      assert.equal(await pool.oneFirst(count), 0);
    });
  });
});
