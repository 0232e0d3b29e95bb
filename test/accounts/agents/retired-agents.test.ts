import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Agent } from '../../../src/accounts/agents/schema.ts';
import { migrate } from '../../../src/database/migrations.ts';
import { sql } from '../../../src/database/pool.ts';
import { ownDatabase } from '../../billing/wallet/own-database.ts';
import { newId } from '../../../src/ids/ids.ts';
import { newOperator, run } from '../../passports/lineages.ts';
import { buildAgent, buildAgentKey, buildOperator, type TestOperator } from '../../support/factories.ts';
import { signIn, unblock, type Person } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, type Reply } from '../../support/service.ts';

const ROUNDS = 40;

describe('An agent that is retired and blocked', function () {
  this.timeout(120_000);
  let operator: TestOperator;
  let person: Person;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    person = await signIn(operator.email);
  });

  const pathOf = (agentId: string): string => `/v1/agents/${agentId}`;
  const read = async (agentId: string): Promise<Agent> => assertStatus(await operator.get<Agent>(pathOf(agentId)), 200);
  const retire = (agentId: string): Promise<Reply<Agent>> =>
    operator.patch<Agent>(pathOf(agentId), { status: 'disabled' });
  const block = (agentId: string): Promise<Reply<Agent>> => operator.post<Agent>(`${pathOf(agentId)}/block`, {});
  const blockByReview = async (jti: string): Promise<void> => {
    const made = await operator.post<{ checkout: { id: string } }>(`/v1/passports/${jti}/checkout`, {
      services_used: [],
      actions_count: 1,
    });
    const review = assertStatus(made, 201).checkout.id;
    const decision = { decision: 'blocked', block_future: true };
    assertStatus(await operator.post(`/v1/passports/reviews/${review}/decide`, decision), 200);
  };
  const issue = (agentId: string): Promise<Reply<{ jti: string; token: string }>> =>
    operator.post('/v1/passports/issue', { agent_id: agentId });

  it('is retired while the block lasts, and after it, until a person brings it back', async () => {
    const { id } = await buildAgent(operator, { accountability: 'enforced' });
    const key = await buildAgentKey(operator, id);
    const { jti } = assertStatus(await issue(id), 201);
    const { retired_at: retiredAt } = assertStatus(await retire(id), 200);
    assert.notEqual(retiredAt, null);
    await blockByReview(jti);
    const standing = async () => {
      const { status, retired_at } = await read(id);
      return [status, retired_at];
    };
    const keysAreRefused = async (): Promise<void> => {
      assertProblem(await key.get('/v1/skills'), 'UNAUTHENTICATED');
      const body = { name: 'again', kind: 'agent', agent_id: id };
      assertProblem(await operator.post('/v1/api-keys', body), 'INVALID_STATE');
    };
    assert.deepEqual(await standing(), ['blocked', retiredAt]);
    await keysAreRefused();
    assertProblem(await issue(id), 'AGENT_BLOCKED');
    assertProblem(await operator.patch(pathOf(id), { status: 'active' }), 'INVALID_STATE');
    const conduct = await person.get<{ agent: Agent }>(`${pathOf(id)}/conduct`);
    assert.equal(assertStatus(conduct, 200).agent.retired_at, retiredAt);

    assert.equal(assertStatus(await unblock(person, id), 200).status, 'disabled');
    assert.deepEqual(await standing(), ['disabled', retiredAt]);
    await keysAreRefused();
    assertProblem(await issue(id), 'INVALID_STATE');
    assertProblem(await operator.patch(pathOf(id), { status: 'active' }), 'GOVERNANCE_APPROVAL_REQUIRED');
    assertStatus(await person.patch(pathOf(id), { status: 'active' }), 200);
    assert.deepEqual(await standing(), ['active', null]);
    assertStatus(await key.get('/v1/skills'), 200);
  });

  it('may be retired after it was blocked, which ends its passports and its keys', async () => {
    const { id } = await buildAgent(operator);
    const key = await buildAgentKey(operator, id);
    const { token } = assertStatus(await issue(id), 201);
    assertStatus(await block(id), 200);
    assertStatus(await key.get('/v1/skills'), 200);
    const retired = assertStatus(await retire(id), 200);
    assert.equal(retired.status, 'blocked');
    assert.equal(assertStatus(await retire(id), 200).retired_at, retired.retired_at, 'the moment stays');
    assertProblem(await key.get('/v1/skills'), 'UNAUTHENTICATED');
    const verdict = await anonymous().post<{ valid: boolean }>('/v1/passports/verify', { token });
    assert.equal(assertStatus(verdict, 200).valid, false);
    assert.equal(assertStatus(await unblock(person, id), 200).status, 'disabled');
  });

  it('is both, whichever came first, where the two meet', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await buildAgent(operator);
      for (const reply of await Promise.all([block(id), retire(id)])) assertStatus(reply, 200);
      const { status, retired_at: retiredAt } = await read(id);
      assert.equal(status, 'blocked', `round ${round}`);
      assert.notEqual(retiredAt, null, `round ${round}`);
    }
  });

  it('is still retired where it is retired at the moment at which it is unblocked', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await buildAgent(operator);
      assertStatus(await block(id), 200);
      const { digest } = assertStatus(await person.get<{ digest: string }>(`${pathOf(id)}/conduct`), 200);
      const [retired, unblocked] = await Promise.all([
        retire(id),
        person.post(`${pathOf(id)}/unblock`, { seen: digest }),
      ]);
      assertStatus(retired, 200);
      if (unblocked.status !== 200) assertProblem(unblocked, 'SUBJECT_CHANGED');
      const { status, retired_at: retiredAt } = await read(id);
      assert.equal(status, unblocked.status === 200 ? 'disabled' : 'blocked', `round ${round}`);
      assert.notEqual(retiredAt, null, `round ${round}`);
    }
  });

  for (const [what, change] of [
    ['disabled it', sql.fragment`status = 'disabled', retired_at = null`],
    ['made it active again', sql.fragment`status = 'active', retired_at = clock_timestamp()`],
  ] as const) {
    it(`is retired too where the release before ${what}, which knows no retired_at`, async () => {
      const { id } = await buildAgent(operator);
      const key = await buildAgentKey(operator, id);
      await (await database()).query(sql.type(z.object({}))`update agents set ${change} where id = ${id}`);
      const shown = await read(id);
      assert.equal(shown.status, 'disabled');
      assert.notEqual(shown.retired_at, null);
      assertProblem(await key.get('/v1/skills'), 'UNAUTHENTICATED');
      assertProblem(await issue(id), 'INVALID_STATE');
      assertStatus(await block(id), 200);
      assert.equal(assertStatus(await unblock(person, id), 200).status, 'disabled');
      assertProblem(await operator.patch(pathOf(id), { status: 'active' }), 'GOVERNANCE_APPROVAL_REQUIRED');
    });
  }
});

describe('The migration to retirement as a fact of its own', () => {
  it('has every agent that was disabled retired since it was changed last, and no other', async () => {
    const own = await ownDatabase();
    const { pool } = own;
    const operator = await newOperator(pool);
    const retired = newId('ag');
    for (const [id, status] of [
      [retired, 'disabled'],
      [newId('ag'), 'active'],
      [newId('ag'), 'blocked'],
    ] as const)
      await run(
        pool,
        sql.fragment`insert into agents (id, operator_id, name, status) values (${id}, ${operator}, 'before', ${status})`,
      );
    await run(
      pool,
      sql.fragment`create or replace view public.agent_identities as
        select a.id, a.operator_id, a.name, a.status, a.accountability, a.checkpoint_interval_seconds, a.key_thumbprint, o.status as operator_status
        from agents a join operators o on o.id = a.operator_id`,
    );
    await run(pool, sql.fragment`alter table agents drop column retired_at`);
    const MIGRATION = '0033-accounts-agents-retired.sql';
    await run(pool, sql.fragment`delete from migrations where name = ${MIGRATION}`);
    assert.deepEqual(await migrate(own.url), [MIGRATION]);
    const kept = await pool.anyFirst(sql.type(z.object({ id: z.string() }))`
      select id from agents where retired_at = updated_at and operator_id = ${operator}`);
    assert.deepEqual(kept, [retired]);
    const others = await pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) from agents where retired_at is not null and operator_id = ${operator}`);
    assert.equal(others, 1);
    await own.drop();
  });
});
