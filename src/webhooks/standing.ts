import { LRUCache } from 'lru-cache';
import { defineCache } from '../context/caches.ts';
import type { Context } from '../context/context.ts';
import type { Sending } from '../outbound/outcomes.ts';

/** The receivers that did not take the last call of this process; the log names one again that is forgotten here. */
const failing = defineCache(() => new LRUCache<string, true>({ max: 10_000 }));

type Receiver = { operatorId: string } & ({ destinationId: string } | { endpointId: string });

/**
 * Says in the log once that a receiver hangs or refuses, and once that it takes calls again: a line a call would bury the others while one
 * receiver is away. The count in the row does not serve: it is of timeouts in a row, and a receiver that refuses each call hangs nobody else. Nor does
 * a metric, since ids are no labels. Two workers may each say the same, and a worker says it again after its start.
 */
export function noteStanding(
  { log, caches }: Pick<Context, 'log' | 'caches'>,
  receiver: Receiver,
  { status, reason: code, statusCode }: Sending,
): void {
  const id = 'destinationId' in receiver ? receiver.destinationId : receiver.endpointId;
  const known = caches.get(failing);
  if (status === 'delivered') {
    if (known.delete(id)) log.info(receiver, 'a receiver takes calls again');
  } else if (!known.has(id)) {
    known.set(id, true);
    log.warn({ ...receiver, code, ...(statusCode !== null && { statusCode }) }, 'a receiver does not take calls');
  }
}
