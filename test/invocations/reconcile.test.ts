import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { advanceInvocation, reconcileInvocations } from '../../src/invocations/index.ts';
import { invoke, newSkill, newWallet, passDeadline, run, walletOf } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from './own-context.ts';

/** On a database of its own: reconciling looks at every row, and those of other tests would be expired with it. */
describe('reconcileInvocations', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let consumer: string;
  let skill: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
  });
  after(() => own.close());
  beforeEach(async () => {
    consumer = await newWallet(db, 100);
    skill = await newSkill(db, await newWallet(db), 25);
  });
  afterEach(() => assertLedger(db));

  const messagesOf = (id: string) =>
    db.oneFirst(
      sql.type(
        z.object({ count: z.number() }),
      )`select count(*)::int from life_messages where life = ${`invocation:${id}`}`,
    );
  const statusOf = (id: string) =>
    db.oneFirst(sql.type(z.object({ status: z.string() }))`select status from invocations where id = ${id}`);

  it('wakes open rows that no life has read, once', async () => {
    const id = await invoke(db, consumer, skill);
    await run(db, sql.fragment`delete from life_messages where life = ${`invocation:${id}`}`);
    assert.deepEqual(
      await reconcileInvocations(own.context),
      { woken: 0, expired: 0, released: 0 },
      'not within 10 seconds',
    );
    await run(
      db,
      sql.fragment`update invocations set created_at = created_at - interval '11 seconds' where id = ${id}`,
    );
    assert.equal((await reconcileInvocations(own.context)).woken, 1);
    assert.deepEqual(await messagesOf(id), 1);
    assert.equal((await reconcileInvocations(own.context)).woken, 0, 'its message still waits');
    await advanceInvocation(own.context, id);
    assert.equal((await reconcileInvocations(own.context)).woken, 0, 'its life has read it');
  });

  it('expires what is long past its deadline, without any life', async () => {
    const [late, soon] = [await invoke(db, consumer, skill), await invoke(db, consumer, skill)];
    await passDeadline(db, late, '31 seconds');
    await passDeadline(db, soon, '15 seconds');
    const before = own.deliveries();
    assert.equal((await reconcileInvocations(own.context)).expired, 1);
    assert.equal(await statusOf(late), 'expired');
    assert.equal(await statusOf(soon), 'pending');
    assert.equal((await walletOf(db, consumer)).held_cents, 25);
    assert.equal(own.deliveries(), before + 1, 'the life is woken');
    await advanceInvocation(own.context, soon);
  });

  it('releases a hold that nothing open needs', async () => {
    const [id, hold] = [newId('inv'), newId('hld')];
    await run(db, sql.fragment`select hold_wallet(${hold}, ${consumer}, 40, ${id})`);
    assert.equal((await reconcileInvocations(own.context)).released, 0, 'not within a minute');
    await run(db, sql.fragment`update holds set created_at = created_at - interval '2 minutes' where id = ${hold}`);
    assert.equal((await reconcileInvocations(own.context)).released, 1);
    assert.deepEqual(await walletOf(db, consumer), { posted_cents: 100, held_cents: 0, last_position: 1 });
    await run(db, sql.fragment`delete from holds where id = ${hold}`); // the test's own fault, not to be left for assertLedger
  });
});
