import assert from 'node:assert/strict';
import { pino } from 'pino';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { metricsText } from '../../src/metrics/metrics.ts';
import { createDelivery } from '../../temporal/delivery.ts';
import { lives } from '../../temporal/lives.ts';
import { takeRound } from '../../temporal/rounds.ts';
import { eventually } from '../support/eventually.ts';
import { startRig, type Rig } from './rig.ts';

describe('Rounds of looking after rows', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.stop());

  it('are done by one worker at a time, however many there are', async () => {
    const { pool } = rig.context;
    const takers = (): Promise<boolean[]> => Promise.all(Array.from({ length: 8 }, () => takeRound(pool, 'test', 60)));
    assert.equal((await takers()).filter(Boolean).length, 1);
    assert.equal((await takers()).filter(Boolean).length, 0, 'not again before its time');
    assert(await takeRound(pool, 'another', 60), 'tasks do not wait for each other');
    await pool.query(sql.unsafe`update rounds set next_at = clock_timestamp() where task = 'test'`);
    assert.equal((await takers()).filter(Boolean).length, 1);
  });

  it('go on where one of them fails: it is counted, and stops no other', async () => {
    await rig.context.pool.query(sql.unsafe`
      insert into idempotency_keys (operator_id, agent_id, key, fingerprint, status, answer, created_at)
      values ('op_1', '', 'old', '', 200, '{}', now() - interval '25 hours')`);
    const watched = {
      ...lives,
      session: { ...lives.session, look: () => Promise.reject(new Error('made by the test')) },
    };
    const { pool } = rig.context;
    await pool.query(sql.unsafe`
      insert into lives (life, due_at, ready) values ('session:ses_1', clock_timestamp(), false)`);
    const log = pino({ level: 'silent' });
    const delivery = createDelivery({ temporal: rig.temporal, log, lives: watched });
    await delivery.start(rig.context, { sweep: true });
    try {
      const kept = sql.type(
        z.object({ count: z.number() }),
      )`select count(*)::int from idempotency_keys where key = 'old'`;
      await eventually('the old answer to be gone', async () => (await rig.context.pool.oneFirst(kept)) === 0);
      await eventually('the failed round to be counted', async () =>
        /^carnet_rounds_failed_total\{task="lives"[^}]*\} [1-9]/m.test(await metricsText()),
      );
    } finally {
      await delivery.stop();
    }
  });
});
