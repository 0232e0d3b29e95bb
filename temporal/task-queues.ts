import { FORWARDS, OUTBOUND, RECEIVERS, SEALED } from '../workflows/queues.ts';

/**
 * One queue a kind of work, so that a slow receiver or a hot loop never delays an invocation.
 * `lives` runs workflows and their steps in the database, `outbound` the steps that reach payment provider and mail server,
 * `receivers` and `forwards` the calls to addresses that users choose, of notifications and of inbound events, `sealed` the steps of skills that the service executes.
 */
export const TaskQueue = {
  lives: 'lives',
  outbound: OUTBOUND,
  receivers: RECEIVERS,
  forwards: FORWARDS,
  sealed: SEALED,
} as const;
export type TaskQueue = (typeof TaskQueue)[keyof typeof TaskQueue];
