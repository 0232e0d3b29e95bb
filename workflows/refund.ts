import type { Activities } from '../activities/index.ts';
import { ended, live } from './life.ts';
import { doing } from './step-table.ts';
import { database, outbound } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceRefund']>>;

/** The life of a refund, whose money is held: requests it from the provider under one key until the provider says its outcome. */
export const refund = (): Promise<string> =>
  live({
    advance: database.advanceRefund,
    next: ({ action }) => action,
    act: {
      // Until there is an answer: a refund whose outcome is unknown is neither done nor refused, and its money stays held.
      request: (id) => outbound().requestRefund(id),
    },
    describe,
    result: ({ status }) => status,
    // Cancelling the run is not cancelling the refund: the provider may have done it already.
    refusals: {
      unknownSignal: 'this run takes none; the payment provider says what became of the refund.',
      cancelRequest: 'it ends by itself when the payment provider has said what became of the refund.',
    },
  });

function describe({ status, action, until }: Step): string {
  switch (action) {
    case 'request':
      return doing('requestRefund', 'again and again until it answers');
    case 'wait':
      return `Waits for the bank; checks with the payment provider at ${until}.`;
    case 'end':
      return ended('refund', status);
  }
}
