import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import type { Skill } from '../../../src/skills/schema.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { approve, refusedWith, withApproval } from '../../governance/support.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  publication,
  unique,
  type TestOperator,
} from '../../support/factories.ts';
import { signIn, type Person } from '../../support/people.ts';
import { assertProblem, assertStatus, database, requester, type Requester } from '../../support/service.ts';
import { publish, publishApproved, sellersSkill } from '../support.ts';

describe('A skill that is answered by its seller’s key', () => {
  let operator: TestOperator;
  let owner: Person;
  let low: [name: string, as: Requester][];
  before(async () => {
    operator = await buildOperator();
    owner = await signIn(operator.email);
    low = [
      ['an agent', await buildAgentKey(operator, (await buildAgent(operator)).id)],
      ['a member', await buildMemberKey(operator)],
    ];
  });
  const tryPublish = (as: Requester, more: object, headers?: Record<string, string>) =>
    as.post<Skill>('/v1/skills', publication({ ...sellersSkill, ...more }), headers);

  for (const execution_mode of ['sealed', 'source'])
    for (const credential_mode of ['seller_provides', 'both'])
      it(`has a limit of calls or of cost: ${execution_mode}, ${credential_mode}`, async () => {
        const modes = { execution_mode, credential_mode };
        for (const seller_credential_limit of [undefined, {}]) {
          const refused = await tryPublish(operator, { ...modes, seller_credential_limit });
          assertProblem(refused, 'VALIDATION_ERROR', 'seller_credential_limit');
        }
        for (const seller_credential_limit of [{ max_calls: 0 }, { max_cost_cents: 100 }])
          assertStatus(await tryPublish(operator, { ...modes, seller_credential_limit }), 201);
      });

  it('is published by an administrator’s key or a person, and by no agent’s or member’s key', async () => {
    for (const as of [operator, owner]) assertStatus(await tryPublish(as, {}), 201);
    for (const [, as] of low) {
      assertProblem(await tryPublish(as, {}), 'ADMIN_REQUIRED');
      for (const more of [
        { credential_mode: 'buyer_provides' },
        { execution_mode: 'open', execution_steps: undefined },
      ])
        assertStatus(await tryPublish(as, { ...more, seller_credential_limit: undefined }), 201);
    }
  });

  it('is published by a key that ends only with an approval, which a taken name does not make', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: unique('ending'), kind: 'operator', role: 'admin', expires_at };
    const made = assertStatus(await owner.post<{ key: string }>('/v1/api-keys', body), 201);
    const ending = requester(made.key);
    const { name: taken } = await publish(operator);
    assertProblem(await tryPublish(ending, { name: taken }), 'SKILL_NAME_TAKEN');
    const one = { name: unique('one').toLowerCase() };
    const refused = await tryPublish(ending, one);
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    const { approval_id: id } = refusedWith(refused);
    const listed = await owner.get<{ total: number }>('/v1/governance/approvals');
    assert.equal(assertStatus(listed, 200).total, 1);
    assertStatus(await approve(owner, id), 200);
    const { id: skill } = assertStatus(await tryPublish(ending, one, withApproval(id)), 201);
    assertStatus(await operator.get(`/v1/skills/${skill}`), 200);
    assertStatus(await ending.post('/v1/skills', publication()), 201);
  });

  it('gets another price by an administrator alone', async () => {
    const { id } = await publish(operator, { ...sellersSkill, price_per_invocation: 50 });
    const path = `/v1/skills/${id}`;
    for (const [name, as] of low) {
      assertProblem(await as.patch(path, { price_per_invocation: 0 }), 'ADMIN_REQUIRED');
      assertStatus(await as.patch(path, { tags: [name], price_per_invocation: 50 }), 200);
    }
    for (const [nth, as] of [operator, owner].entries())
      assertStatus(await as.patch(path, { price_per_invocation: nth }), 200);
    const other = await publish(operator, { price_per_invocation: 50 });
    for (const [, as] of low) assertStatus(await as.patch(`/v1/skills/${other.id}`, { price_per_invocation: 0 }), 200);
  });

  it('is brought back by an administrator alone where it was suspended, and suspended by every key', async () => {
    const { id } = await publishApproved(operator, sellersSkill);
    const path = `/v1/skills/${id}`;
    for (const [, as] of low) {
      assertStatus(await as.post(`${path}/suspend`), 200);
      assertProblem(await as.post(`${path}/activate`), 'ADMIN_REQUIRED');
      assertStatus(await owner.post(`${path}/activate`), 200);
      for (const action of ['activate', 'unlist', 'activate']) assertStatus(await as.post(`${path}/${action}`), 200);
    }
  });

  it('stays as it is where it was published without a limit before', async () => {
    const { id } = await publish(operator, sellersSkill);
    await run(await database(), sql.fragment`update skills set seller_credential_limit = null where id = ${id}`);
    const changed = assertStatus(await operator.patch<Skill>(`/v1/skills/${id}`, { price_per_invocation: 7 }), 200);
    assert.equal(changed.seller_credential_limit, null);
  });
});
