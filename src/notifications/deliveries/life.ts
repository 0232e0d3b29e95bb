import type { LookOfLives } from '../../commands/lives.ts';
import { describeLives, type LifeDescription } from '../../commands/life-description.ts';
import type { Context } from '../../context/context.ts';
import { advanceNotificationRow, describeDestinationRows, noteFullQueues } from './queries.ts';

/** Names what a destination waits for. */
interface NotificationStep {
  /**
   * `send`: something waits, and it is this destination's turn. `turn`: other destinations of the operator are sending. `calls`: nothing
   * waits, and calls may be under way of which nobody will write down what came. `idle`: nothing is left.
   */
  status: 'send' | 'turn' | 'calls' | 'idle';
  /** The delivery that is next. */
  waiting: string | null;
  waitMs: number | null;
  until: string | null;
}

/**
 * One step of the life of a destination: deletes the messages that woke it, ends what cannot be sent and calls that nobody ends, and takes
 * a turn where something waits. By the rows, so it may run any number of times.
 */
export async function advanceNotification({ pool, delivery }: Context, id: string): Promise<NotificationStep> {
  const { status, waiting, wait_ms: waitMs, until, woken } = await advanceNotificationRow(pool, id);
  if (woken > 0) delivery.messagesCommitted();
  return { status, waiting, waitMs, until };
}

/** One query for several ids; ids without a row are left out. Not with an address. */
export const describeNotifications = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(await describeDestinationRows(pool, ids), ({ id, operator_id: operatorId, channel_type: channel }) => ({
    operatorIds: [operatorId],
    summary: `Notifications to ${id}`,
    details: `Sends what waits for the ${channel} destination \`${id}\` of \`${operatorId}\``,
  }));

/** Nothing is sent without a run: it is noted which queues are full meanwhile, and the lives are delivered. */
export const lookAtNotifications: LookOfLives = async ({ pool, delivery }, { lives }) => {
  await noteFullQueues(pool, lives);
  delivery.messagesCommitted();
  return { ended: 0 };
};
