import assert from 'node:assert/strict';
import type pg from 'pg';
import { appendBatch, publishLog } from '../../../src/claims/log/append.ts';
import { lookAfterLog } from '../../../src/claims/log/life.ts';
import { openedLogOf } from '../../../src/claims/log/log-key.ts';
import { logMetrics } from '../../../src/claims/log/stopped.ts';
import type { Context } from '../../../src/context/context.ts';
import { sql } from '../../../src/database/pool.ts';
import { eachChangedLog, sizesOf } from './support.ts';

describe('A log of which old nodes that nobody reads were changed', function () {
  this.timeout(120_000);
  let { context, client } = {} as { context: Context; client: pg.Client };
  const { append, stopped, assertStopped, assertRuns } = eachChangedLog((made) => ({ context, client } = made));

  const SLICE = 16_384;
  const fill = async (count: number): Promise<void> => {
    await openedLogOf(context);
    await context.pool.query(sql.unsafe`
        insert into log_pending (claim_id, leaf_hash) select 'pc_' || n, sha256(n::text::bytea) from generate_series(1, ${count}) n`);
    while ((await sizesOf(context)).pending > 0) await appendBatch(context);
    await publishLog(context);
  };
  /** A slice, as if it were time for one. */
  const walk = async (at = 'null'): Promise<void> => {
    await client.query(`update claim_log set walked_at = ${at}`);
    await lookAfterLog(context);
  };
  const walked = async (): Promise<[number, number]> => {
    const text = await logMetrics(context);
    const valueOf = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    return [valueOf('carnet_log_walked_entries'), valueOf('carnet_log_walk_rounds_total')];
  };

  it('is found by a walk, a slice a time, and goes on when they are as they were', async () => {
    await fill(SLICE + 1_000);
    await walk();
    assert.deepEqual(await walked(), [SLICE, 0]);
    await lookAfterLog(context);
    assert.deepEqual(await walked(), [SLICE, 0], 'not at once again');
    await walk(`clock_timestamp() + interval '1 hour'`);
    assert.deepEqual(await walked(), [0, 1], 'wherever its clock was set');
    for (const [level, index, from] of [
      [0, 5, 0],
      [3, 700, 0],
      [14, 0, 0],
      [0, SLICE + 3, SLICE],
      [5, 520, SLICE],
    ] as const) {
      assert.equal(await stopped(), null);
      await client.query(
        `create temporary table kept as select * from log_nodes where level = ${level} and index = ${index}`,
      );
      await client.query(`update log_nodes set hash = sha256('forged') where level = ${level} and index = ${index}`);
      await client.query(`update claim_log set walked_size = ${from}`);
      await walk();
      const why =
        level === 14
          ? /rows of log_nodes/
          : new RegExp(`nodes of the log from entry ${from} to \\d+ do not make the root`);
      await assertStopped(why);
      await client.query(
        `update log_nodes n set hash = k.hash from kept k where n.level = k.level and n.index = k.index`,
      );
      await client.query(`drop table kept`);
      await assertRuns();
    }
  });

  it('is walked from its beginning where it is shorter than what was walked, and at every size', async () => {
    await openedLogOf(context);
    await client.query(`update claim_log set walked_size = ${SLICE}`);
    for (const count of [1, 2, 4, 9]) {
      await append(count);
      await walk();
      assert.equal(await stopped(), null);
    }
    assert.deepEqual(await walked(), [0, 4]);
    await client.query(`delete from log_nodes where level = 0 and index = 1`);
    await walk();
    await assertStopped(/from entry 0 to 15 do not make the root/);
  });
});
