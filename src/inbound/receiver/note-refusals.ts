import { LRUCache } from 'lru-cache';
import { defineCache } from '../../context/caches.ts';
import type { Context } from '../../context/context.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { metrics } from '../../metrics/metrics.ts';
import type { Receiver } from './queries.ts';

const refusals = metrics.counter(
  'carnet_inbound_refusals',
  'Requests to inbound endpoints that were refused by a fault of ours, by the code of the problem',
);

/** Endpoints that the log has named in the last minute. */
const named = defineCache(() => new LRUCache<string, true>({ max: 10_000, ttl: 60_000 }));

/** Counts the answers that say that the service cannot take a request now, and names the endpoint in the log, once a minute at most. */
export async function noteRefusals<T>(
  { log, caches }: Pick<Context, 'log' | 'caches'>,
  { id: endpointId, operator_id: operatorId }: Receiver,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CarnetError && error.status >= 500) {
      const { code } = error;
      refusals.add(1, { code });
      if (!caches.get(named).has(endpointId)) {
        caches.get(named).set(endpointId, true);
        log.warn({ endpointId, operatorId, code }, 'what is sent to an inbound endpoint cannot be taken now');
      }
    }
    throw error;
  }
}
