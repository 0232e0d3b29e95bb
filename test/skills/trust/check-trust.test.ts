import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assuranceRank } from '../../../src/authority/index.ts';
import { PASSPORT_CLAIM, type PassportClaims } from '../../../src/passports/token.ts';
import { evaluateTrust } from '../../../src/skills/trust/check-trust.ts';
import type { TrustEvaluation } from '../../../src/skills/trust/schema.ts';
import { issued } from '../../http/auth/support/belongings.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform } from '../../support/service.ts';
import { publish, sealedSkill } from '../support.ts';

const levels = ['L0', 'L1', 'L2'] as const;
const names = [
  'none',
  'L0',
  'L1',
  'low',
  'basic',
  'IAL1',
  'L2',
  'substantial',
  'medium',
  'IAL2',
  'L3',
  'high',
  'IAL3',
  'gold',
  0,
  1,
  2,
  3,
  4,
  -1,
];

describe('POST /v1/skills/:id/check-trust', () => {
  let owner: TestOperator;
  let caller: TestOperator;

  before(async () => {
    [owner, caller] = await Promise.all([buildOperator(), buildOperator()]);
  });

  const check = async (required: string, claims: unknown[]): Promise<TrustEvaluation> => {
    const { id } = await publish(owner, { trust_level_required: required });
    return assertStatus(
      await caller.post<TrustEvaluation>(`/v1/skills/${id}/check-trust`, { passport_claims: claims }),
      200,
    );
  };

  it('requires authentication', async () =>
    assertProblem(await anonymous().post('/v1/skills/skl_x/check-trust', { passport_claims: [] }), 'UNAUTHENTICATED'));
  it('answers 404 for a skill that the caller may not see', async () => {
    for (const id of ['skl_x', (await publish(owner, sealedSkill)).id]) {
      assertProblem(await caller.post(`/v1/skills/${id}/check-trust`, { passport_claims: [] }), 'NOT_FOUND');
    }
  });
  const faults: [body: Record<string, unknown>, path: string][] = [
    [{}, 'passport_claims'],
    [{ passport_claims: {} }, 'passport_claims'],
    [{ passport_claims: [{ claim_type: 'kyc' }] }, 'passport_claims.0.assurance_level'],
    [{ passport_claims: [{ assurance_level: 'L1' }] }, 'passport_claims.0.claim_type'],
    [{ passport_claims: [{ claim_type: 'kyc', assurance_level: 'L1', level: 2 }] }, 'passport_claims.0.level'],
  ];
  for (const [body, path] of faults) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      assertProblem(
        await caller.post(`/v1/skills/${(await publish(owner)).id}/check-trust`, body),
        'VALIDATION_ERROR',
        path,
      );
    });
  }

  it('takes the claims of a passport as the passport carries them', async () => {
    const agent = await buildAgent(caller);
    const claim = {
      agent_id: agent.id,
      provider: 'eid',
      layer: 'agent',
      claim_type: 'vetted',
      assurance_level: 'substantial',
    };
    assertStatus(await platform().post('/v1/identity-claims', claim), 201);
    const { token } = await issued(caller, agent.id);
    const [, payload = ''] = token.split('.');
    const { [PASSPORT_CLAIM]: claims } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<
      typeof PASSPORT_CLAIM,
      PassportClaims
    >;
    assert.equal(claims.identity_claims[0]?.expires_at, null);
    assert.equal((await check('L2', claims.identity_claims)).allowed, true);
  });

  it('allows by the highest claim, no matter what it is about', async () => {
    const { reasons, ...evaluation } = await check('L2', [
      { claim_type: 'e-mail', assurance_level: 'low' },
      { claim_type: 'kyc', assurance_level: 'substantial' },
    ]);
    assert.deepEqual(evaluation, { allowed: true, required: 'L2', effective: 'L2' });
    assert.match(reasons.join(' '), /kyc at substantial counts as L2/);
  });
  it('refuses below, and says what is missing', async () => {
    const { reasons, ...evaluation } = await check('L2', [{ claim_type: 'kyc', assurance_level: 1 }]);
    assert.deepEqual(evaluation, { allowed: false, required: 'L2', effective: 'L1' });
    assert.match(reasons.at(-1) ?? '', /present a claim of L2/);
  });
  it('counts an empty list as nothing', async () => {
    assert.equal((await check('L0', [])).allowed, true);
    assert.equal((await check('L1', [])).allowed, false);
  });
  it('leaves expired claims out', async () => {
    const claim = { claim_type: 'kyc', assurance_level: 'high' };
    assert.equal((await check('L1', [{ ...claim, expires_at: 1 }])).allowed, false);
    assert.equal((await check('L1', [{ ...claim, expires_at: 4_102_444_800 }])).allowed, true);
  });
  it('takes claims as a passport carries them', async () => {
    const claim = {
      claim_id: 'idc_1',
      provider: 'acme',
      layer: 'L1',
      claim_type: 'kyc',
      assurance_level: 'IAL2',
      verified_at: 1,
      expires_at: 4_102_444_800,
      humanity_verified: true,
    };
    assert.equal((await check('L2', [claim])).effective, 'L2');
  });

  it('is the maximum of what has not expired, for any claims', () => {
    const claim = fc.record({
      claim_type: fc.constant('kyc'),
      assurance_level: fc.constantFrom(...names),
      expires_at: fc.option(fc.integer({ min: 50, max: 150 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.constantFrom(...levels), fc.array(claim), (required, claims) => {
        const valid = claims.filter(({ expires_at: expiry }) => expiry === undefined || expiry > 100);
        const effective = Math.max(0, ...valid.map(({ assurance_level: level }) => assuranceRank(level)));
        const evaluation = evaluateTrust(required, claims, 100);
        assert.deepEqual(
          [evaluation.allowed, evaluation.effective],
          [effective >= Number(required[1]), `L${effective}`],
        );
        assert.equal(evaluation.reasons.length, claims.length + 1);
      }),
    );
  });
});
