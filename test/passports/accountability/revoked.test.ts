import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { signIn } from '../../support/people.ts';
import { assertProblem, assertStatus, database, platform, type Reply } from '../../support/service.ts';
import { flagTypes, timePasses, type Lineage } from '../lineages.ts';

interface Issued {
  jti: string;
  token: string;
}

const GRACE_SECONDS = 900;
const reason = { reason: 'I would rather not report' };

/** Calls that an operator's own key may make to end the passports of its agent. */
const ways: [what: string, revoke: (operator: TestOperator, lineage: Lineage) => Promise<unknown>][] = [
  ['revoke', (operator, { jti }) => operator.post('/v1/passports/revoke', { jti, ...reason })],
  ['revoke-agent', (operator, { agent }) => operator.post(`/v1/passports/revoke-agent/${agent}`, reason)],
  ['revoke-session', (operator, { session }) => operator.post(`/v1/passports/revoke-session/${session}`, reason)],
  ['revoke-all', (operator) => operator.post('/v1/passports/revoke-all', { confirm: true, ...reason })],
  [
    'disabling and enabling the agent',
    async (operator, { agent }) => {
      assertStatus(await operator.patch(`/v1/agents/${agent}`, { status: 'disabled' }), 200);
      const person = await signIn(operator.email);
      assertStatus(await person.patch(`/v1/agents/${agent}`, { status: 'active' }), 200);
    },
  ],
  [
    'suspending and activating the operator',
    async ({ operatorId }) => {
      const path = `/v1/admin/operators/${operatorId}`;
      assertStatus(await platform().patch(path, { status: 'suspended' }), 200);
      assertStatus(await platform().patch(path, { status: 'active' }), 200);
    },
  ],
];

describe('Accountability after a revocation', () => {
  let db: DatabasePool;
  before(async () => {
    db = await database();
  });

  const issue = (operator: TestOperator, agentId: string): Promise<Reply> =>
    operator.post('/v1/passports/issue', { agent_id: agentId });
  const enforced = async (operator: TestOperator): Promise<Lineage & Issued> => {
    const { id: agent } = await buildAgent(operator, { accountability: 'enforced' });
    const { jti, token } = assertStatus(await issue(operator, agent), 201) as unknown as Issued;
    const shown = assertStatus(await operator.get<{ session_id: string }>(`/v1/passports/${jti}`), 200);
    return { jti, token, agent, operator: operator.operatorId, session: shown.session_id };
  };
  /** As the life of the session would; it may have done so already. */
  const advance = ({ session }: Lineage): Promise<unknown> =>
    db.query(sql.type(z.object({}))`select from advance_session(${session}, ${GRACE_SECONDS})`);

  for (const [what, revoke] of ways) {
    it(`stays: ${what} neither spares the checkout nor the hold of one that never comes`, async () => {
      const operator = await buildOperator();
      const lineage = await enforced(operator);
      await revoke(operator, lineage);
      assertStatus(await issue(operator, lineage.agent), 201);
      await timePasses(db, lineage, GRACE_SECONDS + 1);
      await advance(lineage);
      assert.deepEqual(await flagTypes(db, lineage), ['missed_checkpoint', 'missed_checkpoint', 'missed_checkout']);
      const { reviews } = assertStatus(
        await operator.get<{ reviews: { jti: string; risk: string; missed: boolean; status: string }[] }>(
          '/v1/passports/reviews',
        ),
        200,
      );
      assert.deepEqual(
        reviews.map(({ jti, risk, missed, status }) => ({ jti, risk, missed, status })),
        [{ jti: lineage.jti, risk: 'critical', missed: true, status: 'pending' }],
      );
      assertProblem(await issue(operator, lineage.agent), 'AGENT_REVIEW_PENDING');
    });
  }

  it('stays: a critical flag that was raised before leads to a critical review', async () => {
    const operator = await buildOperator();
    const lineage = await enforced(operator);
    const report = { services_used: ['undeclared'], actions_count: 1 };
    assertStatus(await operator.post(`/v1/passports/${lineage.jti}/checkpoint`, report), 201);
    assertStatus(await operator.post('/v1/passports/revoke', { jti: lineage.jti, ...reason }), 200);
    const { review } = assertStatus(
      await operator.post<{ review: { risk: string } }>(`/v1/passports/${lineage.jti}/checkout`, {
        services_used: [],
        actions_count: 0,
      }),
      201,
    );
    assert.equal(review.risk, 'critical');
    assertProblem(await issue(operator, lineage.agent), 'AGENT_REVIEW_PENDING');
  });

  it('stays with a passport that was delegated and revoked with its parent', async () => {
    const operator = await buildOperator();
    const parent = await enforced(operator);
    const { id: helper } = await buildAgent(operator);
    const child = assertStatus(
      await operator.post<Issued & Record<string, unknown>>('/v1/passports/delegate', {
        parent_passport_token: parent.token,
        child_agent_id: helper,
        scopes: [],
      }),
      201,
    );
    assertStatus(await operator.post('/v1/passports/revoke', { jti: parent.jti, ...reason }), 200);
    await timePasses(db, { ...parent, jti: child.jti }, GRACE_SECONDS + 1);
    await advance(parent);
    assertProblem(await issue(operator, helper), 'AGENT_REVIEW_PENDING');
    assertStatus(await issue(operator, parent.agent), 201);
  });
});
