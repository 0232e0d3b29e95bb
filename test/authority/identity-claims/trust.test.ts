import assert from 'node:assert/strict';
import { z } from 'zod';
import { assuranceRank } from '../../../src/authority/identity-claims/assurance.ts';
import { sql } from '../../../src/database/pool.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { assertStatus, database, platform } from '../../support/service.ts';

const Rank = z.object({ rank: z.number() });

const trustLevelOf = async (operatorId: string, agentId: string | null): Promise<number> =>
  (await database()).oneFirst(sql.type(Rank)`select trust_level_of(${operatorId}, ${agentId}) as rank`);

const attest = async (claim: Record<string, unknown>): Promise<string> => {
  const body = { provider: 'eid', layer: 'person', claim_type: 'legal_name', ...claim };
  return assertStatus(await platform().post<{ id: string }>('/v1/identity-claims', body), 201).id;
};

describe('the rank of an assurance level', () => {
  for (const [rank, levels] of [
    [0, ['L0', 'none', '0', 'L4', '4', '-1', '1.5', 'IAL0', 'gold', ' L3', 'constructor', '']],
    [1, ['L1', 'l1', 'low', 'basic', 'IAL1', '1']],
    [2, ['L2', 'substantial', 'medium', 'ial2', '2']],
    [3, ['L3', 'High', 'IAL3', '3']],
  ] as const) {
    for (const level of levels) {
      it(`of ${JSON.stringify(level)} is ${rank}, in code and in SQL`, async () => {
        assert.equal(assuranceRank(level), rank);
        const inSql = await (await database()).oneFirst(sql.type(Rank)`select assurance_rank(${level}) as rank`);
        assert.equal(inSql, rank);
      });
    }
  }

  it('of an integer is the integer, 1 to 3', () => {
    assert.deepEqual([-1, 0, 1, 2, 3, 4, 1.5].map(assuranceRank), [0, 0, 1, 2, 3, 0, 0]);
  });
});

describe('the trust level of a caller', () => {
  let operator: TestOperator;
  let agentId: string;

  beforeEach(async () => {
    operator = await buildOperator();
    agentId = (await buildAgent(operator)).id;
  });

  it('is 0 without claims', async () => {
    assert.equal(await trustLevelOf(operator.operatorId, agentId), 0);
    assert.equal(await trustLevelOf(operator.operatorId, null), 0);
  });

  it("is the highest of the account's claims and those of the named agent", async () => {
    const other = await buildAgent(operator);
    await attest({ operator_id: operator.operatorId, assurance_level: 'L1' });
    await attest({ agent_id: agentId, assurance_level: 'substantial' });
    await attest({ agent_id: other.id, assurance_level: 'L3' });
    assert.equal(await trustLevelOf(operator.operatorId, null), 1);
    assert.equal(await trustLevelOf(operator.operatorId, agentId), 2);
    assert.equal(await trustLevelOf(operator.operatorId, other.id), 3);
  });

  it('does not count claims of others, expired ones, revoked ones and unknown levels', async () => {
    const stranger = await buildOperator();
    await attest({ operator_id: stranger.operatorId, assurance_level: 'L3' });
    await attest({ operator_id: operator.operatorId, assurance_level: 'L3', expires_at: '2026-01-01T00:00:00Z' });
    await attest({ operator_id: operator.operatorId, assurance_level: 'platinum' });
    const revoked = await attest({ operator_id: operator.operatorId, assurance_level: 'L2' });
    assert.equal(await trustLevelOf(operator.operatorId, agentId), 2);
    assertStatus(await platform().delete(`/v1/identity-claims/${revoked}`), 200);
    assert.equal(await trustLevelOf(operator.operatorId, agentId), 0);
  });
});
