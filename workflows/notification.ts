import type { Activities } from '../activities/index.ts';
import { live } from './life.ts';
import { database, receivers } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceNotification']>>;

/**
 * The life of a destination while something waits for it. One a destination and not one an event: a receiver that is slow delays itself
 * alone, and many events cost the two tasks of one.
 */
export const notification = (): Promise<string> =>
  live({
    advance: database.advanceNotification,
    next: ({ status }) => (status === 'send' ? 'send' : status === 'idle' ? 'end' : 'wait'),
    act: { send: (id) => receivers.sendNotifications(id) },
    describe,
    result: ({ status }) => status,
    refusals: {
      cancelRequest: 'what waits is sent; deleting the destination ends it.',
    },
  });

function describe({ status, until }: Step): string {
  if (status === 'send') return 'Sends what waits.';
  if (status === 'turn')
    return `Waits for its turn: eight destinations of the operator are sending, or it hangs. Looks again at ${until ?? 'once'}.`;
  if (status === 'calls')
    return `Waits until ${until ?? 'soon'}: calls were begun by a worker that is gone, and count as unknown then.`;
  return 'Ended: nothing is left to send.';
}
