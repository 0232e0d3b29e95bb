import type { Activities } from '../activities/index.ts';
import { ended, live } from './life.ts';
import { doing } from './step-table.ts';
import { database, outbound } from './steps.ts';

type Status = Awaited<ReturnType<Activities['advancePayout']>>['status'];

/** The life of a payout: its transfer by the payment provider, and its outcome. */
export const payout = (): Promise<string> =>
  live({
    advance: database.advancePayout,
    next: ({ status }) => (status === 'due' ? 'wait' : status === 'transferring' ? 'transfer' : 'end'),
    act: {
      // Under one key until there is an answer: an unknown outcome is no failure. What was not done is tried under another one.
      transfer: (id) => outbound({ maximumInterval: '10m' }).transferPayout(id),
    },
    describe: ({ status }) => SITUATIONS[status],
    result: ({ status }) => status,
    // Money is on its way, or about to be: cancelling the run would leave it there.
    refusals: {
      unknownSignal: 'this run takes none; it goes on by itself.',
      cancelRequest: 'it ends when the payment provider has said what became of the transfer.',
    },
  });

const SITUATIONS: Record<Status, string> = {
  due: 'Waits for a payment provider to be configured; the next month takes it over where there is none until then.',
  transferring: doing('transferPayout', 'again and again until it has done it'),
  paid: ended('payout', 'paid'),
  failed:
    "Ended: the payment provider refused it for good. The money is back among the earnings, and part of the next month's payout.",
  rolled_over: "Ended: part of the next month's payout.",
  pending_account: "Ended: the operator has no payout account, so it is part of the next month's payout.",
  gone: ended('payout', 'gone'),
};
