import type { Activities } from '../activities/index.ts';
import { live } from './life.ts';
import { STEPS } from './step-table.ts';
import { database, outbound } from './steps.ts';

type Step = Awaited<ReturnType<Activities['advanceSubscription']>>;

/** Given up after a minute, so that the rows decide again what is needed most. */
const atProvider = outbound({ withinMs: 60_000 });

/**
 * The one long life of an operator's subscription: opens its checkouts, pushes to the provider what the operator decides, and fetches
 * what stands there after an event, when a checkout expires and at the end of each period.
 */
export const subscription = (): Promise<string> =>
  live({
    advance: database.advanceSubscription,
    next: ({ todo }) => (todo === 'gone' ? 'end' : todo),
    isReady: ({ todo }) => todo !== 'open' && todo !== 'close',
    act: {
      open: (_, { changeId }) => atProvider.openSubscriptionCheckout(changeId ?? ''),
      close: (_, { changeId }) => atProvider.closeSubscriptionCheckout(changeId ?? ''),
      push: (operatorId) => atProvider.pushSubscription(operatorId),
      fetch: (operatorId) => atProvider.fetchSubscription(operatorId),
    },
    describe,
    result: ({ todo, status }) => (todo === 'gone' ? todo : (status ?? 'none')),
    refusals: {
      unknownSignal: 'this run takes none; the API does what there is to do.',
      cancelRequest: 'POST /v1/billing/cancel-subscription cancels the subscription; the run ends when it is over.',
    },
  });

function describe({ todo, status, tier, until, changeId }: Step): string {
  switch (todo) {
    case 'gone':
      return 'Ended: this operator has never requested a subscription.';
    case 'end':
      return 'Ended: nothing is bought and nothing waits to be paid.';
    case 'close':
      return `Closes the checkout of ${changeId ?? ''}, which was given up.`;
    case 'open':
      return `Opens the checkout of ${changeId ?? ''} for tier ${tier ?? ''}.`;
    case 'push':
      return STEPS.pushSubscription.does;
    case 'fetch':
      return STEPS.fetchSubscription.does;
    case 'wait':
      return changeId === null
        ? `Tier ${tier ?? ''}, ${status ?? ''}. Fetches from the payment provider at the end of the period, ${until ?? ''}.`
        : `Waits for the payment of ${changeId} for tier ${tier ?? ''} until ${until ?? ''}.`;
  }
}
