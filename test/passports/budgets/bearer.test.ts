import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { SignedPassport } from '../../../src/passports/schema.ts';
import { block } from '../../authority/support.ts';
import { eachWithinOneMonth } from '../../billing/metering/counters.ts';
import { publish, sealedSkill } from '../../skills/support.ts';
import { buildAgent, buildInvocation, buildOperator, publication } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, requester, service } from '../../support/service.ts';
import { checkOut, delegate, expire, hold, issue, payloadOf, refresh, tryDelegate, tryIssue } from '../holders.ts';
import { faultsOf, of, openBudgetWorld, toNewAgent, usedOf, type BudgetWorld } from './world.ts';

const change = async (statement: ReturnType<typeof sql.fragment>): Promise<void> => {
  await (await database()).query(sql.type(z.object({}))`${statement}`);
};

const letInvoke = ({ as }: BudgetWorld, allowed: boolean): Promise<void> =>
  change(sql.fragment`update operators set passports_may_invoke = ${allowed} where id = ${as.operatorId}`);

/** For this service alone. */
const here = (): Record<string, unknown> => ({ audience: [service().baseUrl] });

describe('A passport as the credential of an invocation', () => {
  eachWithinOneMonth();
  let world: BudgetWorld;
  let passport: SignedPassport;
  beforeEach(async () => {
    world = await openBudgetWorld();
    await letInvoke(world, true);
    passport = await issue(world, { ...of(12), ...here() });
  });

  const as = ({ token }: SignedPassport) => requester(token);
  const invoke = (by: SignedPassport, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    as(by).post(`/v1/skills/${world.skillId}/invoke`, { input: { text: 'hello' }, ...body }, headers);

  it('invokes for its agent, reads and cancels', async () => {
    const made = assertStatus(await invoke(passport), 201);
    assert.deepEqual([made.agent_id, made.passport_id], [world.agentId, passport.jti]);
    const path = `/v1/skills/invocations/${String(made.id)}`;
    assert.equal(assertStatus(await as(passport).get(path), 200).status, 'pending');
    assert.deepEqual(await usedOf(passport), [5]);
    assert.equal(assertStatus(await as(passport).post(`${path}/cancel`), 200).status, 'failed');
    assert.deepEqual(await usedOf(passport), [0]);
    assertStatus(await invoke(passport, { agent_id: world.agentId, passport_id: passport.jti }), 201);
  });

  it('carries no services unless they are requested, and no service accepts it', async () => {
    assert.deepEqual(payloadOf(passport.token).svcns.services, []);
    const verdict = await anonymous().post('/v1/passports/verify', { token: passport.token, service_id: 'github' });
    assert.deepEqual(assertStatus(verdict, 200), { valid: false, reason: 'wrong_audience' });
  });

  it('is refused where its operator does not let passports invoke, from the next call on', async () => {
    const { id } = assertStatus(await invoke(passport), 201);
    await letInvoke(world, false);
    const path = `/v1/skills/invocations/${String(id)}`;
    for (const reply of [
      await invoke(passport),
      await as(passport).get(path),
      await as(passport).post(`${path}/cancel`),
    ])
      assertProblem(reply, 'AGENT_CREDENTIAL_FORBIDDEN');
    assert.deepEqual(await usedOf(passport), [5]);
  });

  it('is refused without a budget in its chain', async () => {
    const poor = await issue(world, here());
    assertProblem(await invoke(poor), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await invoke(await delegate(world, poor, await toNewAgent(world))), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertStatus(await invoke(await delegate(world, poor, await toNewAgent(world, 5))), 201);
  });

  it('is refused where a service could have been shown it', async () => {
    assertProblem(await invoke(await issue(world, of(12))), 'AGENT_CREDENTIAL_FORBIDDEN');
    for (const audience of [['github'], ['github', service().baseUrl], [service().baseUrl, 'slack']])
      assertProblem(await invoke(await issue(world, { ...of(12), audience })), 'UNAUTHENTICATED');
  });

  it('is delegated by an audience that narrows, and stays for this service', async () => {
    const child = await delegate(world, passport, await toNewAgent(world, 5));
    assert.deepEqual(payloadOf(child.token).aud, [service().baseUrl]);
    const made = assertStatus(await invoke(child), 201);
    assert.notEqual(made.agent_id, world.agentId);
    assertProblem(await invoke(child), 'PASSPORT_BUDGET_EXCEEDED');
    assert.deepEqual(await usedOf(passport, child), [5, 5]);
    assertStatus(await invoke(await refresh(world, passport)), 201);
    const toGithub = await issue(world, { ...of(5), audience: ['github'] });
    const widened = { ...(await toNewAgent(world)), ...here() };
    assertProblem(await tryDelegate(world, toGithub.token, widened), 'SCOPE_ESCALATION', 'audience.0');
    assertProblem(await tryIssue(world, { audience: [`${service().baseUrl}/`] }), 'SCOPE_NOT_GRANTED', 'audience.0');
  });

  it('sees and cancels nothing of another agent, and nothing of the skills of its operator', async () => {
    const other = await buildAgent(world.as);
    const foreign = await buildInvocation(world.as, world.skillId, { agent_id: other.id });
    const nobodys = await buildInvocation(world.as, world.skillId);
    const own = assertStatus(await world.as.post('/v1/skills', publication()), 201);
    const sold = await buildInvocation(await buildOperator({ cents: 100 }), String(own.id));
    for (const { id } of [foreign, nobodys, sold, { id: 'inv_nothing' }]) {
      assertProblem(await as(passport).get(`/v1/skills/invocations/${id}`), 'NOT_FOUND');
      assertProblem(await as(passport).post(`/v1/skills/invocations/${id}/cancel`), 'NOT_FOUND');
    }
  });

  it('reads the market as others do, the skills of its operator too', async () => {
    const hidden = await publish(world.as, sealedSkill);
    assert.equal(hidden.status, 'pending_review');
    const { name } = assertStatus(await as(passport).get(`/v1/skills/${world.skillId}`), 200);
    const found = assertStatus(
      await as(passport).get<{ skills: { id: string }[] }>(`/v1/skills?q=${String(name)}`),
      200,
    );
    assert(found.skills.some(({ id }) => id === world.skillId));
    assertProblem(await as(passport).get(`/v1/skills/${hidden.id}`), 'NOT_FOUND');
    const others = assertStatus(await as(passport).get<{ total: number }>('/v1/skills?status=pending_review'), 200);
    assert.equal(others.total, 0);
    await letInvoke(world, false);
    for (const path of ['/v1/skills', `/v1/skills/${world.skillId}`])
      assertProblem(await as(passport).get(path), 'AGENT_CREDENTIAL_FORBIDDEN');
  });

  it('does nothing else', async () => {
    const { id } = assertStatus(await invoke(passport), 201);
    const path = `/v1/skills/invocations/${String(id)}`;
    for (const reply of [
      await as(passport).post(`/v1/skills/${world.skillId}/try`, { input: { text: 'hello' } }),
      await as(passport).post(`${path}/claim`),
      await as(passport).get('/v1/skills/invocations/mine'),
      await as(passport).get('/v1/billing/balance'),
      await as(passport).post('/v1/passports/issue', { agent_id: world.agentId }),
      // It would get the passport of another agent, whose invocations it could read then.
      await as(passport).post('/v1/passports/delegate', {
        parent_passport_token: passport.token,
        ...(await toNewAgent(world, 5)),
      }),
      await as(passport).patch('/v1/operators/me', { name: 'mine' }),
    ])
      assertProblem(reply, 'AGENT_CREDENTIAL_FORBIDDEN');
  });

  it('invokes for no other agent and as no other passport', async () => {
    const other = await buildAgent(world.as);
    assertProblem(await invoke(passport, { agent_id: other.id }), 'AGENT_CREDENTIAL_FORBIDDEN');
    const another = await issue(world, { ...of(100), ...here() });
    assertProblem(await invoke(passport, { passport_id: another.jti }), 'AGENT_CREDENTIAL_FORBIDDEN');
  });

  it('is refused once it was revoked, also above it, or has expired', async () => {
    const child = await delegate(world, passport, await toNewAgent(world, 5));
    const old = await issue(world, { ...of(5), ...here() });
    await expire(old);
    assertProblem(await invoke(old), 'UNAUTHENTICATED');
    assertStatus(await world.as.post('/v1/passports/revoke', { jti: passport.jti }), 200);
    for (const one of [passport, child]) assertProblem(await invoke(one), 'UNAUTHENTICATED');
    assert.deepEqual(await usedOf(passport, child), [0, 0]);
  });

  it('is refused while its agent or one above is held or blocked, and once it was checked out', async () => {
    const child = await delegate(world, passport, await toNewAgent(world, 5));
    const out = await issue(world, { ...of(5), ...here() });
    await checkOut(out);
    assertProblem(await invoke(out), 'ALREADY_CHECKED_OUT');
    await hold(world);
    assertProblem(await invoke(passport), 'AGENT_REVIEW_PENDING');
    assertProblem(await invoke(child), 'AGENT_REVIEW_PENDING');
    await block(world.agentId);
    assertProblem(await invoke(passport), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await invoke(child), 'AGENT_REVIEW_PENDING');
    assert.deepEqual(await usedOf(passport, child), [0, 0]);
  });

  it('is bound by the monthly limit of its agent as well', async () => {
    const limited = { ...world, agentId: (await buildAgent(world.as, { monthly_limit_cents: 5 })).id };
    const held = await issue(limited, { ...of(50), ...here() });
    assertStatus(await invoke(held), 201);
    assertProblem(await invoke(held), 'AGENT_BUDGET_EXCEEDED');
    assert.deepEqual(await usedOf(held), [5]);
  });

  it('counts a repeated call once, and answers it from then on', async () => {
    const key = { 'idempotency-key': 'by-passport' };
    const once = assertStatus(await invoke(passport, {}, key), 201);
    assert.deepEqual(assertStatus(await invoke(passport, {}, key), 201), once);
    assert.deepEqual(await usedOf(passport), [5]);
  });

  it('four bearers of one chain in parallel spend what their budgets allow, and not a cent more or less', async () => {
    const root = await issue(world, { ...of(40), ...here() });
    const child = await delegate(world, root, await toNewAgent(world, 25));
    const unnamed = await delegate(world, child, await toNewAgent(world));
    const leaf = await delegate(world, unnamed, await toNewAgent(world, 10));
    const bearers = [root, child, unnamed, leaf];
    const many = (calls: number) => bearers.flatMap((by) => Array.from({ length: calls }, () => by));
    const replies = await Promise.all(many(5).map(async (by) => ({ by, reply: await invoke(by) })));
    const made = replies.filter(({ reply }) => reply.status === 201);
    for (const { by, reply } of replies.filter((one) => !made.includes(one))) {
      assertProblem(reply, 'PASSPORT_BUDGET_EXCEEDED');
      const above = bearers.slice(0, bearers.indexOf(by) + 1).map(({ jti }) => jti);
      assert(above.includes(String(reply.body.jti)), 'a hop is named that the bearer is not bound by');
    }
    // The root alone can use up what the others leave, so it ends full.
    assert.equal(made.length, 8);
    const [, ofChild, , ofLeaf] = await usedOf(root, child, unnamed, leaf);
    const by = (...whom: SignedPassport[]) => 5 * made.filter((one) => whom.includes(one.by)).length;
    assert.deepEqual([await usedOf(root), ofChild, ofLeaf], [[40], by(child, unnamed, leaf), by(leaf)]);
    assert.deepEqual(await faultsOf(...bearers), []);

    const withdraw = ({ by: whose, reply }: (typeof made)[number]) =>
      as(whose).post(`/v1/skills/invocations/${String(reply.body.id)}/cancel`);
    const mixed = await Promise.all([...made.map(withdraw), ...many(2).map((one) => invoke(one))]);
    for (const { status, text } of mixed) assert([200, 201, 403].includes(status), text);
    const left = mixed.filter(({ status }) => status === 201).length;
    assert.deepEqual([await usedOf(root), await faultsOf(...bearers)], [[5 * left], []]);
  });

  it('shows what remains by verify, by introspect and by its jti', async () => {
    const child = await delegate(world, passport, await toNewAgent(world, 10));
    assertStatus(await invoke(passport), 201);
    const [above, below] = [
      { amount_cents: 12, remaining_cents: 7 },
      { amount_cents: 10, remaining_cents: 7 },
    ];
    for (const [{ token, jti }, budget] of [
      [passport, above],
      [child, below],
      [await delegate(world, child, await toNewAgent(world)), below],
      [await issue(world), null],
    ] as const) {
      for (const reply of [
        await anonymous().post('/v1/passports/verify', { token }),
        await world.as.post('/v1/passports/introspect', { token }),
        await world.as.get(`/v1/passports/${jti}`),
      ])
        assert.deepEqual(assertStatus(reply, 200).budget, budget);
    }
  });
});

describe('PATCH /v1/operators/me with passports_may_invoke', () => {
  it('is off until a person allows it, and is taken back by a key', async () => {
    const operator = await buildOperator();
    assert.equal(assertStatus(await operator.get('/v1/operators/me'), 200).passports_may_invoke, false);
    const asked = await operator.patch('/v1/operators/me', { passports_may_invoke: true });
    assertProblem(asked, 'GOVERNANCE_APPROVAL_REQUIRED');
    assert.equal(assertStatus(await operator.get('/v1/operators/me'), 200).passports_may_invoke, false);
    await change(sql.fragment`update operators set passports_may_invoke = true where id = ${operator.operatorId}`);
    assertStatus(await operator.patch('/v1/operators/me', { passports_may_invoke: true }), 200);
    const off = assertStatus(await operator.patch('/v1/operators/me', { passports_may_invoke: false }), 200);
    assert.equal(off.passports_may_invoke, false);
  });
});
