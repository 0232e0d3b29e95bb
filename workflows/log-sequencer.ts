import { sleep } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { ended, live } from './life.ts';
import { database } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceLog']>>;

/** The life of the log of claims: gives claims their places, in batches, while any wait. */
export const logSequencer = (): Promise<string> =>
  live({
    advance: database.advanceLog,
    // A log that is stopped is looked at again and again: it goes on when somebody has restored what it misses.
    next: ({ status }) => (status === 'gone' ? 'end' : status === 'idle' ? 'wait' : 'append'),
    act: {
      async append() {
        const { more } = await database.appendToLog();
        // Ends the workflow task: while claims come it would last as long as they do, and Temporal warns of five seconds.
        if (more) await sleep(1, { summary: 'Ends the workflow task; more claims wait.' });
      },
    },
    describe,
    result: ({ status }) => status,
    refusals: {
      cancelRequest: 'claims that wait for their place in the log would wait for ever.',
    },
  });

function describe({ status, treeSize }: Step): string {
  if (status === 'gone') return ended('log', status);
  if (status === 'stopped') return 'Stopped: nothing may be appended. /readyz says why, and what to do.';
  return status === 'idle' ? `Waits for claims; the log has ${treeSize}.` : `Appends claims; the log has ${treeSize}.`;
}
