import { ScheduleAlreadyRunning, type ScheduleClient } from '@temporalio/client';
import { keyRotation } from '../workflows/index.ts';
import { TaskQueue } from './task-queues.ts';

/** The id of the schedule and, followed by a time, of the runs that it starts (architecture, rules for lives 5). */
export const KEY_ROTATION = 'key-rotation';

/**
 * What is done by the calendar (decisions §5). Any number of workers may call this: the id is the same for all, and
 * the first one makes it. A schedule that a person has paused or changed in the Temporal UI stays as it is.
 */
export async function ensureSchedules(client: ScheduleClient): Promise<void> {
  try {
    await client.create({
      scheduleId: KEY_ROTATION,
      spec: { intervals: [{ every: '1 day' }] },
      policies: { overlap: 'SKIP', catchupWindow: '1 day' },
      action: {
        type: 'startWorkflow',
        workflowType: keyRotation,
        workflowId: KEY_ROTATION,
        taskQueue: TaskQueue.lives,
        staticSummary: 'Rotate the keys that sign passports, if they are 90 days old',
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
