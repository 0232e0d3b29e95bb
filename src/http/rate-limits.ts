import { hash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { CarnetError } from '../errors/carnet-error.ts';

const WINDOW_SECONDS = 60;
/** Requests a minute of one address that shows no valid credential (decisions C9). */
const ANONYMOUS_PER_MINUTE = 6_000;
/** Clients counted apart in one window, about 300 bytes each; those beyond share counters, so that memory stays bounded. */
const COUNTED_APART = 50_000;
const SHARED_COUNTERS = 1_024;

/** The headers that tell a client where it stands; they go on the answer, whatever it is. */
export type RateLimitHeaders = string[];

/** Counts the requests of one kind of client, in this process. */
export interface RateLimit {
  /** @returns headers for the answer. @throws CarnetError RATE_LIMITED, carrying the same headers and Retry-After */
  count(client: string): Promise<RateLimitHeaders>;
}

function rateLimit(policy: string, perMinute: number): RateLimit {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  let seen = new Set<string>();
  let windowEnd = 0;
  const counterOf = (client: string): string => {
    if (Date.now() >= windowEnd) {
      seen = new Set();
      windowEnd = Date.now() + WINDOW_SECONDS * 1_000;
    }
    if (seen.size < COUNTED_APART) seen.add(client);
    return seen.has(client) ? client : `shared:${hash('sha256', client, 'buffer').readUInt16BE() % SHARED_COUNTERS}`;
  };
  return {
    async count(client) {
      const counted = await limiter.consume(counterOf(client)).catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused;
        throw refused;
      });
      const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1_000));
      const headers = {
        'RateLimit-Policy': `"${policy}";q=${perMinute};w=${WINDOW_SECONDS}`,
        RateLimit: `"${policy}";r=${counted.remainingPoints};t=${seconds}`,
        'X-RateLimit-Limit': String(perMinute),
        'X-RateLimit-Remaining': String(counted.remainingPoints),
        'X-RateLimit-Reset': String(seconds),
      };
      if (counted.consumedPoints <= perMinute) return Object.entries(headers).flat();
      throw new CarnetError(
        'RATE_LIMITED',
        `More than ${perMinute} requests in a minute; go on in ${seconds} seconds.`,
        {
          headers: { ...headers, 'Retry-After': String(seconds) },
        },
      );
    },
  };
}

export interface RateLimits {
  /** By key id. */
  key: RateLimit;
  /** By address block: public routes, and requests whose credential is not valid. */
  anonymous: RateLimit;
}

/** @param perMinute requests a minute a key; 0 switches every limit off, those per address included (decisions C9). */
export const createRateLimits = (perMinute: number): RateLimits | null =>
  perMinute === 0 ? null : { key: rateLimit('key', perMinute), anonymous: rateLimit('address', ANONYMOUS_PER_MINUTE) };
