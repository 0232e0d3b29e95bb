import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { sizesOf, waitingLog } from '../../claims/log/support.ts';
import { eventually } from '../../support/eventually.ts';
import type { Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

const wake = async ({ context }: Rig, life: string): Promise<void> => {
  await context.pool.query(sql.unsafe`select wake_life(${life})`);
  context.delivery.messagesCommitted();
};

/** A claim is appended, and then the log is gone: that of a service never is, and its life never ends. */
const appended: Case = async (rig) => {
  const life = await waitingLog(rig.context);
  await eventually('the claim to be in the log', async () => {
    const { published_size: published, pending } = await sizesOf(rig.context);
    return published > 0 && pending === 0;
  });
  const run: Run = runOf(rig, life);
  await run.showing(/^Waits for claims/);
  await rig.context.pool.query(sql.unsafe`delete from claim_log`);
  await wake(rig, life);
  return run;
};

const gone: Case = async (rig) => {
  const life = lifeId['log-sequencer'](newId('log'));
  await wake(rig, life);
  return runOf(rig, life);
};

export const logs: Cases = {
  'logSequencer/gone': gone,
  'logSequencer/appended': appended,
};
