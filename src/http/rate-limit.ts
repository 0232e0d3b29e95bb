import { hash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Caller } from '../commands/caller.ts';
import { credentialName } from '../commands/caller.ts';
import type { Config } from '../context/config.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { addressBlock, clientAddress } from './addresses.ts';
import { assertJson } from './body.ts';
import type { AnyRoute } from './route.ts';
import type { Authenticated, Middleware } from './state.ts';

const WINDOW_SECONDS = 60;
/** Clients counted apart in one window, about 300 bytes each; those beyond share counters, so that memory stays bounded. */
const COUNTED_APART = 50_000;
const SHARED_COUNTERS = 1_024;

/** How many keys’ worth of requests an operator has: its keys make keys, and each counts by itself. */
const KEYS_OF_OPERATOR = 5;

/** Standard of ANONYMOUS_RATE_LIMIT_PER_MINUTE: what a route says of itself holds beside it, and grows and shrinks with the setting. */
const STANDARD_ANONYMOUS = 6_000;

/** How much of the limit is left; these headers go on the answer, no matter what it is. */
export type RateLimitHeaders = Map<string, string>;

/** Counts the requests of one kind of client, in this process. */
export interface RateLimit {
  /** @returns headers for the answer. @throws CarnetError RATE_LIMITED, carrying the same headers and Retry-After */
  count(client: string): Promise<RateLimitHeaders>;
  /** Takes one request back, which turned out to be counted elsewhere. */
  giveBack(client: string): Promise<void>;
}

function createRateLimit(policy: string, perMinute: number): RateLimit {
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
      const headers = new Map([
        ['RateLimit-Policy', `"${policy}";q=${perMinute};w=${WINDOW_SECONDS}`],
        ['RateLimit', `"${policy}";r=${counted.remainingPoints};t=${seconds}`],
        ['X-RateLimit-Limit', String(perMinute)],
        ['X-RateLimit-Remaining', String(counted.remainingPoints)],
        ['X-RateLimit-Reset', String(seconds)],
      ]);
      if (counted.consumedPoints <= perMinute) return headers;
      throw new CarnetError(
        'RATE_LIMITED',
        `More than ${perMinute} requests in a minute; go on in ${seconds} seconds.`,
        {
          headers: { ...Object.fromEntries(headers), 'Retry-After': String(seconds) },
        },
      );
    },
    async giveBack(client) {
      await limiter.reward(counterOf(client), 1);
    },
  };
}

/** A call that has a limit of its own: requests a minute of one block of addresses. */
export interface LimitedCall {
  operation: string;
  callsPerMinute: number;
}

export interface RateLimits {
  /** By key id. */
  key: RateLimit;
  /** By operator: all that is not a person. */
  operator: RateLimit;
  /** By address block: public routes, pages, and requests whose credential is not valid. */
  anonymous: RateLimit;
  /** By address block, as many again: documents that are the same for everybody, so that nothing else that comes from there keeps them away. */
  document: RateLimit;
  /** By address block, of a call that has `callsPerMinute`. */
  of(call: LimitedCall): RateLimit;
  trustProxyHops: number;
}

type Limits = Pick<Config, 'rateLimitPerMinute' | 'anonymousRateLimitPerMinute' | 'trustProxyHops'>;

/** The counters of this process; null where `rateLimitPerMinute` is 0, which switches every limit off. */
export const createRateLimits = ({
  rateLimitPerMinute,
  anonymousRateLimitPerMinute,
  trustProxyHops,
}: Limits): RateLimits | null =>
  rateLimitPerMinute === 0
    ? null
    : {
        key: createRateLimit('key', rateLimitPerMinute),
        operator: createRateLimit('operator', rateLimitPerMinute * KEYS_OF_OPERATOR),
        anonymous: createRateLimit('address', anonymousRateLimitPerMinute),
        document: createRateLimit('document', anonymousRateLimitPerMinute),
        of: limitsOfRoutes(anonymousRateLimitPerMinute / STANDARD_ANONYMOUS),
        trustProxyHops,
      };

/** A counter of its own for each route, made at its first request; `share`: of what the route says. */
function limitsOfRoutes(share: number): RateLimits['of'] {
  const limits = new Map<string, RateLimit>();
  return ({ operation, callsPerMinute }) => {
    const limit = limits.get(operation) ?? createRateLimit(operation, Math.ceil(callsPerMinute * share));
    limits.set(operation, limit);
    return limit;
  };
}

/**
 * The name that a caller is counted by: the credential. Where one operator can have any number of them (an OAuth issuer may name a new subject in
 * every token, an agent may hold any number of passports), by the operator.
 */
export function countedAs(caller: Caller): string {
  if (caller.kind === 'passport') return `passports:${caller.operatorId}`;
  if (caller.kind === 'operator' && caller.by.kind === 'oauth') return `oauth:${caller.operatorId}`;
  return credentialName(caller);
}

/** People count by themselves alone: a person who is flooded by their keys signs in and deletes them. */
const isPerson = (caller: Caller): boolean => caller.kind === 'operator' && caller.by.kind === 'session';

/** Documents that anybody may read, and keep a copy of: keys, status lists, the log. */
const isDocument = ({ audience, cache }: AnyRoute): boolean => audience === 'public' && cache !== undefined;

/**
 * Counts a request by its credential, and with all that are no persons by its operator; by its address where it shows none that is valid, or the route looks at none. Who signs what they send
 * is not counted by the address alone, which others may share, but by the address and whom they send to.
 * @throws CarnetError RATE_LIMITED; UNSUPPORTED_MEDIA_TYPE where a call with a limit of its own brings no JSON
 */
export function rateLimit(limits: RateLimits | null): Middleware<Authenticated> {
  if (limits === null) return (_ctx, next) => next();
  return async (ctx, next) => {
    const { counted, credential, params, route } = ctx.state;
    const block = (): string => addressBlock(clientAddress(ctx.req, limits.trustProxyHops));
    if (credential !== null) {
      ctx.res.setHeaders(await limits.key.count(countedAs(credential.caller)));
      if (!isPerson(credential.caller)) await limits.operator.count(credential.caller.operatorId);
    } else if (route.takesSigned !== undefined) {
      const { receiver, callsPerMinute } = route;
      if (receiver !== undefined && callsPerMinute !== undefined)
        ctx.res.setHeaders(
          await limits.of({ operation: route.operation, callsPerMinute }).count(`${receiver.of(params)} ${block()}`),
        );
    } else if (!counted) {
      ctx.res.setHeaders(await (isDocument(route) ? limits.document : limits.anonymous).count(block()));
      const { operation, callsPerMinute } = route;
      if (callsPerMinute !== undefined) {
        // JSON is what no browser sends for a page of another site (CORS): such a page uses up no limit of the network it is opened in.
        assertJson(ctx.req);
        ctx.res.setHeaders(await limits.of({ operation, callsPerMinute }).count(block()));
      }
    }
    await next();
  };
}
