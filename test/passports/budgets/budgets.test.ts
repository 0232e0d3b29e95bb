import assert from 'node:assert/strict';
import type { SignedPassport } from '../../../src/passports/schema.ts';
import { eachWithinOneMonth } from '../../billing/metering/counters.ts';
import { assertProblem, assertStatus, type Reply } from '../../support/service.ts';
import { delegate, expire, issue, refresh, tryDelegate, tryIssue } from '../holders.ts';
import { faultsOf, of, openBudgetWorld, spend, toNewAgent, usedOf, type BudgetWorld } from './world.ts';

/** Asserts the refusal, and the hop that it names. */
function assertExceeded(
  reply: Reply,
  jti: string,
  [amount, remaining, required]: readonly [number, number, number],
): void {
  assertProblem(reply, 'PASSPORT_BUDGET_EXCEEDED');
  const { body } = reply;
  assert.deepEqual(
    [body.jti, body.amount_cents, body.remaining_cents, body.required_cents],
    [jti, amount, remaining, required],
  );
}

describe('The budget of a passport', () => {
  eachWithinOneMonth();
  let world: BudgetWorld;
  let root: SignedPassport;
  beforeEach(async () => {
    world = await openBudgetWorld();
    root = await issue(world, of(12));
  });

  const balance = async (): Promise<unknown> => assertStatus(await world.as.get('/v1/billing/balance'), 200);

  it('refuses what is more than remains of it, and moves no money', async () => {
    assertStatus(await spend(world, root), 201);
    assertStatus(await spend(world, root), 201);
    const before = await balance();
    assertExceeded(await spend(world, root), root.jti, [12, 2, 5]);
    assert.deepEqual([await balance(), await usedOf(root), await faultsOf(root)], [before, [10], []]);
  });

  it('takes whole cents from 0 on', async () => {
    for (const budget of [
      { amount_cents: -1 },
      { amount_cents: 1.5 },
      { amount_cents: 2 ** 53 },
      { amount_cents: 1e30 },
      { amount_cents: '5' },
      { amount_cents: null },
      { amount_cents: 5, currency: 'eur' },
      {},
      5,
      null,
    ]) {
      assertProblem(await tryIssue(world, { budget }), 'VALIDATION_ERROR');
      assertProblem(await tryDelegate(world, root.token, { scopes: [], budget }), 'VALIDATION_ERROR');
    }
    const nothing = await issue(world, of(0));
    assertExceeded(await spend(world, nothing), nothing.jti, [0, 0, 5]);
    assertStatus(await spend(world, await issue(world, of(Number.MAX_SAFE_INTEGER))), 201);
  });

  it('counts what was delegated against every hop above', async () => {
    const child = await delegate(world, root, await toNewAgent(world, 10));
    const unnamed = await delegate(world, child, await toNewAgent(world));
    const last = await delegate(world, unnamed, await toNewAgent(world, 5));
    assertStatus(await spend(world, last), 201);
    assert.deepEqual(await usedOf(root, child, unnamed, last), [5, 5, null, 5]);
    assertExceeded(await spend(world, last), last.jti, [5, 0, 5]);
    assertStatus(await spend(world, unnamed), 201);
    assertExceeded(await spend(world, unnamed), child.jti, [10, 0, 5]);
    assertExceeded(await spend(world, root), root.jti, [12, 2, 5]);
    assert.deepEqual([await usedOf(root, child, last), await faultsOf(root, child, last)], [[10, 10, 5], []]);
  });

  it('of a child is at most what remains of each above', async () => {
    assertStatus(await spend(world, root), 201);
    assertExceeded(await tryDelegate(world, root.token, await toNewAgent(world, 8)), root.jti, [12, 7, 8]);
    const child = await delegate(world, root, await toNewAgent(world, 7));
    const unnamed = await delegate(world, child, await toNewAgent(world));
    assertStatus(await spend(world, root), 201);
    assertExceeded(await tryDelegate(world, unnamed.token, await toNewAgent(world, 3)), root.jti, [12, 2, 3]);
    await delegate(world, unnamed, await toNewAgent(world, 2));
  });

  it('may begin at any hop', async () => {
    const free = await issue(world);
    const child = await delegate(world, free, await toNewAgent(world, 5));
    assertStatus(await spend(world, child), 201);
    assertExceeded(await spend(world, child), child.jti, [5, 0, 5]);
    assertStatus(await spend(world, free), 201);
    assert.deepEqual(await usedOf(free, child), [null, 5]);
  });

  it('is continued by a refresh, which adds nothing', async () => {
    assertStatus(await spend(world, root), 201);
    const next = await refresh(world, root);
    assertStatus(await spend(world, next), 201);
    assertExceeded(await spend(world, next), root.jti, [12, 2, 5]);
    assertExceeded(await spend(world, root), root.jti, [12, 2, 5]);
    const child = await delegate(world, next, await toNewAgent(world, 1));
    assertExceeded(await spend(world, await refresh(world, child)), child.jti, [1, 1, 5]);
    assert.deepEqual([await usedOf(root, next), await faultsOf(root, child)], [[10, null], []]);
  });

  it('gets back what a cancelled or failed invocation held, and keeps what a completed one cost', async () => {
    const child = await delegate(world, root, await toNewAgent(world, 10));
    const [one, two] = [assertStatus(await spend(world, child), 201), assertStatus(await spend(world, child), 201)];
    assert.deepEqual(await usedOf(root, child), [10, 10]);
    const path = (id: unknown, act: string) => `/v1/skills/invocations/${String(id)}/${act}`;
    assertStatus(await world.as.post(path(one.id, 'cancel')), 200);
    assertStatus(await world.as.post(path(one.id, 'cancel')), 200);
    assert.deepEqual(await usedOf(root, child), [5, 5], 'the same again gives nothing back');
    assertStatus(await world.provider.post(path(two.id, 'claim')), 200);
    assertStatus(await world.provider.post(path(two.id, 'complete'), { output: { text: 'x' } }), 200);
    assert.deepEqual(await usedOf(root, child), [5, 5]);
    const three = assertStatus(await spend(world, child), 201);
    assertStatus(await world.provider.post(path(three.id, 'claim')), 200);
    const error = { code: 'NO', message: 'not now' };
    assertStatus(await world.provider.post(path(three.id, 'fail'), { error }), 200);
    assert.deepEqual([await usedOf(root, child), await faultsOf(root, child)], [[5, 5], []]);
  });

  it('counts a repeated call once', async () => {
    const key = { 'idempotency-key': 'invoked-once' };
    const once = assertStatus(await spend(world, root, key), 201);
    assert.deepEqual(assertStatus(await spend(world, root, key), 201), once);
    assert.deepEqual(await usedOf(root), [5]);
    const issued = { agent_id: world.agentId, ...of(5) };
    const other = { 'idempotency-key': 'issued-once' };
    const first = assertStatus(await world.as.post<SignedPassport>('/v1/passports/issue', issued, other), 201);
    assert.deepEqual(assertStatus(await world.as.post('/v1/passports/issue', issued, other), 201), first);
    const more = await world.as.post('/v1/passports/issue', { ...issued, ...of(500) }, other);
    assertProblem(more, 'IDEMPOTENCY_KEY_REUSED');
  });

  it('is not delegated of a passport that was revoked or has expired', async () => {
    const child = await delegate(world, root, await toNewAgent(world, 5));
    assertStatus(await world.as.post('/v1/passports/revoke', { jti: root.jti }), 200);
    for (const passport of [root, child]) {
      assertProblem(await tryDelegate(world, passport.token, await toNewAgent(world, 1)), 'PASSPORT_REVOKED');
      assertProblem(await spend(world, passport), 'PASSPORT_REVOKED');
    }
    const old = await issue(world, of(5));
    await expire(old);
    assertProblem(await tryDelegate(world, old.token, await toNewAgent(world, 1)), 'PASSPORT_EXPIRED');
  });

  it('twelve delegates of four hops in parallel never spend more than the root has', async () => {
    const wide = await issue(world, of(60));
    const chains: SignedPassport[][] = await Promise.all(
      Array.from({ length: 12 }, async (_, nth) => {
        const chain = [wide];
        for (let hop = 1; hop <= 4; hop += 1) {
          const above = chain.at(-1) ?? wide;
          chain.push(await delegate(world, above, await toNewAgent(world, hop === 3 ? undefined : 60 - nth)));
        }
        return chain;
      }),
    );
    const leaves = chains.map((chain) => chain.at(-1) ?? wide);
    const replies = await Promise.all(leaves.flatMap((leaf) => [spend(world, leaf), spend(world, leaf)]));
    const refused = replies.filter(({ status }) => status !== 201);
    for (const reply of refused) assertExceeded(reply, wide.jti, [60, 0, 5]);
    assert.equal(refused.length, 12);
    const invoked = replies.filter(({ status }) => status === 201);
    const cancels = invoked
      .slice(0, 6)
      .map(({ body }) => world.as.post(`/v1/skills/invocations/${String(body.id)}/cancel`));
    const mixed = await Promise.all([...cancels, ...leaves.map((leaf) => spend(world, leaf))]);
    for (const { status, text } of mixed) assert([200, 201, 403].includes(status), text);
    const [used] = await usedOf(wide);
    assert.equal(used, 5 * (6 + mixed.filter(({ status }) => status === 201).length));
    assert.deepEqual(await faultsOf(wide, ...chains.flat()), []);
  });
});
