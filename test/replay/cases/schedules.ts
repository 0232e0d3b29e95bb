import type { Workflow } from '@temporalio/common';
import { sql } from '../../../src/database/pool.ts';
import { activeKey } from '../../../src/passports/keys/signing-keys.ts';
import {
  KEY_ROTATION,
  LOG_WITNESSING,
  MONTHLY_PAYOUTS,
  PAYMENT_EVENTS,
  RETENTION,
} from '../../../temporal/schedules.ts';
import { TaskQueue } from '../../../temporal/task-queues.ts';
import { keyRotation, logWitnessing, monthlyPayouts, paymentEvents, retention } from '../../../workflows/index.ts';
import { newPublisher } from '../../billing/payouts/publishers.ts';
import type { Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

/** One run of what a schedule starts. */
export async function started(rig: Rig, workflow: Workflow, workflowId: string): Promise<Run> {
  const handle = await rig.temporal.client.workflow.start(workflow, {
    workflowId,
    taskQueue: TaskQueue.lives,
    args: [],
  });
  await handle.result();
  return runOf(rig, workflowId, handle.firstExecutionRunId);
}

async function rotated(rig: Rig, name: string, age: '1 day' | '90 days'): Promise<Run> {
  await activeKey(rig.context);
  await rig.context.pool.query(
    sql.unsafe`update signing_keys set activated_at = now() - ${age}::interval where status = 'active'`,
  );
  return started(rig, keyRotation, `${KEY_ROTATION}:${name}`);
}

/** @param count of audit events that are older than any tier keeps them, of an operator who has no others */
async function purged(rig: Rig, name: string, count: number): Promise<Run> {
  const { pool } = rig.context;
  await pool.query(
    sql.unsafe`insert into operators (id, name, email) values ('op_old', 'old', 'old@example.test') on conflict do nothing`,
  );
  await pool.query(sql.unsafe`
    insert into audit_events (operator_id, actor, action, target, created_at)
    select 'op_old', 'test', 'test', 'test', now() - interval '3 years' from generate_series(1, ${count})`);
  return started(rig, retention, `${RETENTION}:${name}`);
}

export const schedules: Cases = {
  'keyRotation/not-due': (rig) => rotated(rig, 'not-due', '1 day'),
  'keyRotation/rotated': (rig) => rotated(rig, 'rotated', '90 days'),
  'logWitnessing/nobody': (rig) => started(rig, logWitnessing, `${LOG_WITNESSING}:nobody`),
  'monthlyPayouts/stated': async (rig) => {
    await (await newPublisher(rig.context.pool)).earn(2_000, '2020-01-10');
    return started(rig, monthlyPayouts, `${MONTHLY_PAYOUTS}:stated`);
  },
  'paymentEvents/read': (rig) => started(rig, paymentEvents, `${PAYMENT_EVENTS}:read`),
  'retention/nothing-due': (rig) => purged(rig, 'nothing-due', 0),
  'retention/purged': (rig) => purged(rig, 'purged', 1_500),
};

/** A run sees the suggestion at a task of its own, and one task holds the steps of a second. */
export const longRetention: Case = (rig) => purged(rig, 'long', 400_000);
