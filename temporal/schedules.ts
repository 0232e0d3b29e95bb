import {
  ScheduleAlreadyRunning,
  type ScheduleClient,
  type ScheduleOptions,
  type ScheduleOptionsAction,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import type { ScheduleId } from '../src/commands/schedules.ts';
import type { Config } from '../src/context/config.ts';
import { keyRotation, logWitnessing, monthlyPayouts, paymentEvents, retention } from '../workflows/index.ts';
import { Priority } from './lives.ts';
import { TaskQueue } from './task-queues.ts';

/** The id of each schedule, which is the name of its workflow; a run that it starts has the id with a time behind it. */
export const KEY_ROTATION = 'key-rotation';
export const LOG_WITNESSING = 'log-witnessing';
export const MONTHLY_PAYOUTS = 'monthly-payouts';
export const PAYMENT_EVENTS = 'payment-events';
export const RETENTION = 'retention';

/** The schedules of what is done by the calendar, in UTC. */
interface Schedule {
  id: ScheduleId;
  workflow: Workflow;
  spec: ScheduleOptions['spec'];
  /** A run that could not start in time, with Temporal away, starts late within this. */
  catchupWindow: '1 minute' | '1 day' | '30 days';
  priority: Priority;
  /** Shown in the Temporal UI. */
  summary: string;
  /** Absent: on every instance. */
  isNeeded?(config: ScheduleConfig): boolean;
}

/** The settings on which it depends which schedules there are. */
type ScheduleConfig = Pick<Config, 'witnessPolicy'>;

const SCHEDULES: readonly Schedule[] = [
  {
    id: KEY_ROTATION,
    workflow: keyRotation,
    spec: { intervals: [{ every: '1 day' }] },
    catchupWindow: '1 day',
    priority: Priority.work,
    summary: 'Rotate the keys that sign passports, if they are 90 days old',
  },
  {
    id: LOG_WITNESSING,
    workflow: logWitnessing,
    spec: { intervals: [{ every: '1 minute' }] },
    catchupWindow: '1 minute',
    priority: Priority.last,
    summary: 'Ask the witnesses of the claims log to sign its newest checkpoint',
    // Each run leaves a history for thirty days: none where there is nobody to ask.
    isNeeded: ({ witnessPolicy }) => witnessPolicy?.witnesses.some(({ url }) => url !== null) ?? false,
  },
  {
    id: MONTHLY_PAYOUTS,
    workflow: monthlyPayouts,
    // A few hours after the month, so that what is captured at its very end has committed.
    spec: { calendars: [{ dayOfMonth: 1, hour: 3 }] },
    catchupWindow: '30 days',
    priority: Priority.money,
    summary: 'State what publishers have earned up to the end of the month before, and pay it out',
  },
  {
    id: PAYMENT_EVENTS,
    workflow: paymentEvents,
    spec: { calendars: [{ hour: 4, minute: 20 }] },
    catchupWindow: '1 day',
    priority: Priority.money,
    summary: 'Read the payment provider’s list of events, and apply what no webhook brought',
  },
  {
    id: RETENTION,
    workflow: retention,
    spec: { calendars: [{ hour: 3, minute: 10 }] },
    catchupWindow: '1 day',
    priority: Priority.last,
    summary: 'Purge what the tiers no longer keep',
  },
];

/**
 * Makes the schedules that are not there, and returns their ids. Any number of workers may call this: the ids are the same for all, and
 * the first one makes them. A schedule that a person has paused or changed in the Temporal UI stays as it is.
 */
export async function ensureSchedules(client: ScheduleClient, config: ScheduleConfig): Promise<string[]> {
  const made: string[] = [];
  const needed = SCHEDULES.filter(({ isNeeded }) => isNeeded?.(config) ?? true);
  for (const schedule of needed) if (await isMade(client, schedule)) made.push(schedule.id);
  return made;
}

async function isMade(
  client: ScheduleClient,
  { id, workflow, spec, catchupWindow, priority, summary }: Schedule,
): Promise<boolean> {
  // The SDK sends the priority, and its type lacks it (1.24).
  const action: ScheduleOptionsAction & Pick<WorkflowStartOptions, 'priority'> = {
    type: 'startWorkflow',
    workflowType: workflow,
    workflowId: id,
    taskQueue: TaskQueue.lives,
    staticSummary: summary,
    priority: { priorityKey: priority },
  };
  try {
    await client.create({ scheduleId: id, spec, policies: { overlap: 'SKIP', catchupWindow }, action });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}
