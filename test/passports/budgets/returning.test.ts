import assert from 'node:assert/strict';
import pg from 'pg';
import { z } from 'zod';
import { ownRelease, searchPathOf } from '../../../src/database/functions.ts';
import { sql } from '../../../src/database/pool.ts';
import type { SignedPassport } from '../../../src/passports/schema.ts';
import { passDeadline } from '../../billing/ledger/ledger-world.ts';
import { eachWithinOneMonth } from '../../billing/metering/counters.ts';
import { eventually } from '../../support/eventually.ts';
import { assertStatus, database, service, type Reply } from '../../support/service.ts';
import { delegate, issue } from '../holders.ts';
import { faultsOf, of, openBudgetWorld, spend, toNewAgent, usedOf, type BudgetWorld } from './world.ts';

describe('A budget that another transaction gives back to', () => {
  eachWithinOneMonth();
  let world: BudgetWorld;
  let root: SignedPassport;
  let other: SignedPassport;
  beforeEach(async () => {
    world = await openBudgetWorld();
    root = await issue(world, of(10));
    other = await delegate(world, root, await toNewAgent(world)); // another agent, so that only the budget of the root is shared
  });

  /** Cancels in a transaction that commits once `act` waits for it. @returns the answer of `act` */
  async function whileCancelling({ body }: Reply, act: () => Promise<Reply>): Promise<Reply> {
    const cancelling = new pg.Client({
      connectionString: service().databaseUrl,
      options: `-c search_path=${searchPathOf(ownRelease())}`,
    });
    await cancelling.connect();
    try {
      const { rows } = await cancelling.query<{ pid: number }>('select pg_backend_pid() as pid');
      await cancelling.query('begin');
      await cancelling.query(
        `select from cancel_invocation(p_authority => $1, p_key_operator => null, p_agent_part => null, p_actor => 'test', p_key => null,
          p_fingerprint => null, p_request => null, p_invocation => $2)`,
        [world.as.operatorId, body.id],
      );
      let over = false;
      const answer = act().finally(() => (over = true));
      const pool = await database();
      await eventually(
        'somebody to wait for the budget, or to be done',
        async () =>
          over ||
          (await pool.oneFirst(sql.type(z.object({ waiting: z.boolean() }))`
            select exists (select from pg_stat_activity where ${rows[0]?.pid ?? 0} = any (pg_blocking_pids(pid))) as waiting`)),
      );
      assert.equal(over, false, 'nobody waited');
      await cancelling.query('commit');
      return await answer;
    } finally {
      await cancelling.end();
    }
  }

  const invoke = async (passport: SignedPassport): Promise<Reply> => {
    const reply = await spend(world, passport);
    assertStatus(reply, 201);
    return reply;
  };
  const cancel = ({ body }: Reply): Promise<Reply> => world.as.post(`/v1/skills/invocations/${String(body.id)}/cancel`);

  it('counts the invocation that has waited for it', async () => {
    const [first, second] = [await invoke(root), await invoke(root)];
    const third = await whileCancelling(first, () => spend(world, other));
    assertStatus(third, 201);
    assert.deepEqual([await usedOf(root), await faultsOf(root)], [[10], []]);
    for (const one of [second, third]) assertStatus(await cancel(one), 200);
    assert.deepEqual([await usedOf(root), await faultsOf(root)], [[0], []]);
  });

  it('gets back what a cancellation that has waited for it gives back', async () => {
    const [first, second] = [await invoke(root), await invoke(other)];
    assertStatus(await whileCancelling(first, () => cancel(second)), 200);
    assert.deepEqual([await usedOf(root), await faultsOf(root)], [[0], []]);
  });

  it('gets back what an invocation held that expired, before anybody worked and while somebody did', async () => {
    const [waiting, begun] = [await invoke(root), await invoke(other)];
    const path = `/v1/skills/invocations/${String(begun.body.id)}`;
    assertStatus(await world.provider.post(`${path}/claim`), 200);
    const pool = await database();
    for (const { body } of [waiting, begun]) await passDeadline(pool, String(body.id));
    for (const { body } of [waiting, begun])
      await eventually('the life to end the invocation', async () => {
        const { status } = assertStatus(await world.as.get(`/v1/skills/invocations/${String(body.id)}`), 200);
        return status === 'expired';
      });
    assert.deepEqual([await usedOf(root), await faultsOf(root)], [[0], []]);
    assertStatus(await cancel(await invoke(root)), 200);
    assert.deepEqual(await usedOf(root), [0], 'nothing is given back a second time');
  });
});
