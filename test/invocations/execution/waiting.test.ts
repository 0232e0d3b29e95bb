import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { advanceInvocation, executeSealedStep } from '../../../src/invocations/index.ts';
import { cancel, newWallet } from '../../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../own-context.ts';
import { overdue, returned, worldOn, type World } from './execution-world.ts';

const AT_ONCE = 8;

describe('executions that wait for another of their consumer to end', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let world: World;
  let consumer: string;
  let skill: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    world = worldOn(own.context);
  });
  after(() => own.close());
  beforeEach(async () => {
    consumer = await newWallet(db, 1_000);
    skill = await world.publish(await newWallet(db), {});
    world.doubles.scripts = [];
  });
  afterEach(() => assertLedger(db));

  /** Eight that have begun, and so many that wait and have been looked at. */
  const begun = async (waiting: number): Promise<{ under: string[]; waits: string[] }> => {
    const ids: string[] = [];
    for (let count = 0; count < AT_ONCE + waiting; count += 1) ids.push(await world.invoke(consumer, skill));
    for (const id of ids) await advanceInvocation(world.context, id);
    return { under: ids.slice(0, AT_ONCE), waits: ids.slice(AT_ONCE) };
  };
  const end = async (id: string | undefined): Promise<void> => {
    world.doubles.scripts.push(returned({}));
    await executeSealedStep(world.context, id ?? '');
  };
  const woken = async (ids: string[]): Promise<string[]> => {
    const rows = await db.any(sql.type(z.object({ id: z.string() }))`
      select distinct substr(life, 12) as id from life_messages
      where life = any(${sql.array(
        ids.map((id) => `invocation:${id}`),
        'text',
      )})`);
    return rows.map(({ id }) => id).toSorted();
  };

  it('are woken for each place that is free, also where several end before the first has looked', async () => {
    const { under, waits } = await begun(4);
    assert.deepEqual(await woken(waits), []);
    await end(under[0]);
    assert.deepEqual(await woken(waits), waits.slice(0, 1));
    for (const id of under.slice(1)) await end(id);
    assert.deepEqual(await woken(waits), waits);
  });

  for (const [how, giveUp] of [
    ['is cancelled', (id: string) => cancel(db, consumer, id)],
    [
      'expires',
      async (id: string) => {
        await overdue(world.context, id);
        await advanceInvocation(world.context, id);
      },
    ],
  ] as const) {
    it(`leave the place to the next where the one that was woken ${how}`, async () => {
      const { under, waits } = await begun(2);
      await end(under[0]);
      assert.deepEqual(await woken(waits), waits.slice(0, 1));
      await giveUp(waits[0] ?? '');
      assert((await woken(waits)).includes(waits[1] ?? ''));
    });
  }
});
