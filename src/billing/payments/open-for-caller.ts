import { defineCache } from '../../context/caches.ts';
import type { Context } from '../../context/context.ts';
import { PaymentRefused, type PaymentProvider } from '../../context/payment-provider.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { Places } from '../../turns/places.ts';
import { Circuit, noAnswer } from './circuit.ts';

/** How long a caller waits for a page. Stripe needs a second or two for all calls that open one. */
const OPENING_MS = 10_000;
/** How long a caller waits for a place. Together with the opening it is shorter than the time for which the key is reserved. */
const WAIT_MS = 10_000;
/** Pages that a process opens at the same time; of these one operator has six at most. */
const PLACES = 8;
/** As many as an operator may have open checkouts. */
const WAITING_OF_OPERATOR = 20;
const WAITING = 200;

const desks = defineCache(({ log }) => ({
  circuit: new Circuit(log, OPENING_MS),
  places: new Places({
    of: 'the payment provider',
    places: PLACES,
    waitMs: WAIT_MS,
    waitingOfCaller: WAITING_OF_OPERATOR,
    waiting: WAITING,
  }),
}));

/**
 * For the beginning of a call that opens a page: nothing is begun that would be refused immediately.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE with Retry-After while the provider does not answer or too many calls wait for it;
 *   RATE_LIMITED where too many of this operator do
 */
export function assertCanOpen(context: Context, operatorId: string): void {
  const { circuit, places } = context.caches.get(desks);
  circuit.assertClosed();
  places.assertRoom(operatorId);
}

/**
 * Opens a page for a caller who waits, by the same function and under the same key as its life does; to be called where the row says
 * that it is not open. So a repetition under the same Idempotency-Key, or the life, opens the same page. An operator has a part of the
 * places alone, so that a provider that is slow for one holds nobody else. The outcome is stored even if the caller has left, and the
 * call keeps its place until then.
 * @param open calls the provider through the context that it is given
 * @throws CarnetError TEMPORARILY_UNAVAILABLE with Retry-After where the page is not open in time: whether it was opened is not known
 */
export async function openForCaller(
  context: Context,
  operatorId: string,
  open: (context: Context) => Promise<void>,
): Promise<void> {
  const { circuit, places } = context.caches.get(desks);
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  const inPlace = async (): Promise<void> => {
    circuit.enter();
    const watch = { circuit, operatorId, until: performance.now() + OPENING_MS };
    const timer = setTimeout(() => {
      circuit.unanswered(operatorId);
      reject(noAnswer());
    }, OPENING_MS);
    try {
      await open({ ...context, payments: watched(context.payments, watch) });
    } finally {
      clearTimeout(timer);
    }
  };
  places.run(operatorId, inPlace).then(resolve, reject);
  await opened;
}

interface Watch {
  circuit: Circuit;
  operatorId: string;
  /** By `performance.now()`. No call begins later. */
  until: number;
}

/** The provider, with each of its answers noted. */
const watched = (payments: PaymentProvider, { circuit, operatorId, until }: Watch): PaymentProvider =>
  new Proxy(payments, {
    get(target, name) {
      const method = Reflect.get(target, name) as (request: unknown) => Promise<unknown>;
      return async (request: unknown): Promise<unknown> => {
        if (performance.now() > until) throw noAnswer();
        try {
          const answer = await method(request);
          circuit.answered();
          return answer;
        } catch (error) {
          if (error instanceof PaymentRefused) circuit.answered();
          if (!(error instanceof CarnetError) || error.code !== 'TEMPORARILY_UNAVAILABLE') throw error;
          if (performance.now() <= until) circuit.unanswered(operatorId); // later it was noted when the caller left
          throw noAnswer(undefined, error);
        }
      };
    },
  });
