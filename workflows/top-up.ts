import type { Activities } from '../activities/index.ts';
import { ended, live } from './life.ts';
import { doing, STEPS } from './step-table.ts';
import { database, outbound } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceTopUp']>>;

/** The life of a top-up: opens its checkout, waits until it is paid or over, and checks with the provider before it gives up. */
export const topUp = (): Promise<string> =>
  live({
    advance: database.advanceTopUp,
    next: ({ action }) => action,
    isReady: ({ status }) => status !== 'opening',
    act: {
      // As long as it is worth trying.
      open: (id, { waitMs }) => outbound(waitMs === null ? {} : { withinMs: waitMs }).openTopUp(id),
      // A payment must be credited, so the row asks for this until the provider answers.
      check: (id) => outbound().checkTopUp(id),
      // Nothing of the wallet moves for them before the provider has answered.
      refunds: (id) => outbound().readRefunds(id),
      // The row asks again for a day, and between two tries for what is due before it, as a list of refunds.
      receipt: (id) => outbound({ withinMs: 60_000 }).fetchReceipt(id),
    },
    describe,
    result: ({ status }) => status,
    // Cancelling the run is not cancelling the payment: somebody may be paying at this moment.
    refusals: {
      unknownSignal: 'this run takes none; the payment provider says what was paid.',
      cancelRequest: 'it ends by itself when the checkout is paid or its time is over.',
    },
  });

function describe({ status, action, until }: Step): string {
  switch (action) {
    case 'open':
      return doing('openTopUp', `again and again until ${until}`);
    case 'check':
      return STEPS.checkTopUp.does;
    case 'refunds':
      return `Paid. ${doing('readRefunds', 'again and again until it answers')}`;
    case 'receipt':
      return `Paid. ${STEPS.fetchReceipt.does}`;
    case 'wait':
      if (status === 'paid') return `Paid. Reads the refunds of its payment at the payment provider at ${until}.`;
      return status === 'open'
        ? `Waits for the payment until ${until}, then checks with the payment provider.`
        : `Waits for a payment that takes days; checks with the payment provider at ${until}.`;
    case 'end':
      return ended('top-up', status);
  }
}
