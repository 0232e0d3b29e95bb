import type { Activities } from '../activities/index.ts';
import { ended, live } from './life.ts';
import { STEPS } from './step-table.ts';
import { database, receivers } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceVerification']>>;

/** The life of a code that verifies a destination by SMS or webhook: sent once, regardless of the outcome. */
export const verification = (): Promise<string> =>
  live({
    advance: database.advanceVerification,
    next: ({ status, open }) => (status === 'waiting' ? 'send' : open ? 'wait' : 'end'),
    act: {
      send: (id) => receivers.sendVerification(id),
    },
    describe,
    result: ({ status }) => status,
    refusals: {
      cancelRequest: 'it ends by itself when the code was sent, or its time is over.',
    },
  });

function describe({ status }: Step): string {
  if (status === 'waiting') return STEPS.sendVerification.does;
  if (status === 'turn') return 'Waits for its turn: eight codes of the operator are being sent.';
  if (status === 'sending') return 'Waits for what becomes of the call, half a minute at most.';
  return ended('code', status);
}
