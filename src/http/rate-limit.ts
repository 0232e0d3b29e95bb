import type { ParameterizedContext } from 'koa';
import type { Caller } from '../commands/caller.ts';
import { credentialName } from '../commands/caller.ts';
import type { Config } from '../context/config.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { Quota, type QuotaLimits } from '../turns/quota.ts';
import { addressBlock, clientAddress } from './addresses.ts';
import { assertJson, bodyLimitOf } from './body.ts';
import type { AnyRoute } from './route.ts';
import type { Authenticated, Middleware } from './state.ts';

type Ctx = ParameterizedContext<Authenticated>;

/** How many keys’ worth of requests an operator has: its keys make keys, and each counts by itself. */
const KEYS_OF_OPERATOR = 5;

/** Standard of ANONYMOUS_RATE_LIMIT_PER_MINUTE: what a route says of itself holds beside it, and grows and shrinks with the setting. */
const STANDARD_ANONYMOUS = 6_000;

/** A third of a minute's worth may come together: bursts of clients pass, and nothing behind this process is filled by one caller. */
const BURSTS_IN_MINUTE = 3;
/** So many of a minute's worth may always come together: limits as low as this are of people, who make their few tries together. */
const LEAST_BURST = 60;

/** Bytes of bodies and answers that stand beside one request of the limit: 1 MiB a second for a key by the standard setting. */
const BYTES_OF_REQUEST = 102_400;

/**
 * Processor time that stands beside one request of a key's limit, for an operator and in milliseconds: 20 seconds a minute by the standard
 * setting. A search takes a fifth of a second at most, an ordinary check well under a millisecond.
 */
const PROCESSOR_MS_OF_REQUEST = 20_000 / 600;
const STANDARD_RATE_LIMIT = 600;

/** How much of the limit is left; these headers go on the answer, no matter what it is. */
export type RateLimitHeaders = Map<string, string>;

/** Requests a minute, of which some may come together. */
const requestsAMinute = (perMinute: number): QuotaLimits => ({
  burst: Math.max(Math.ceil(perMinute / BURSTS_IN_MINUTE), Math.min(perMinute, LEAST_BURST)),
  perSecond: perMinute / 60,
});

const bytesBeside = ({ burst, perSecond }: QuotaLimits): QuotaLimits => ({
  burst: burst * BYTES_OF_REQUEST,
  perSecond: perSecond * BYTES_OF_REQUEST,
});

/** Milliseconds of processor time that an operator has for the checks of its values and for heavy reads. All of a minute may be used together. */
export function processorTimeOf({ rateLimitPerMinute }: Pick<Config, 'rateLimitPerMinute'>): QuotaLimits {
  const burst = (rateLimitPerMinute || STANDARD_RATE_LIMIT) * PROCESSOR_MS_OF_REQUEST;
  return { burst, perSecond: burst / 60 };
}

interface RateLimitOptions {
  /** The name of the policy in the headers. */
  policy: string;
  /** Who sends more, as the sentence of the refusal begins. */
  whose: string;
  limits: QuotaLimits;
  /** The unit that is counted, where that is not requests. */
  unit?: 'content-bytes';
  now?: (() => number) | undefined;
}

/** Counts what one kind of client sends, in this process: in the database it would be a query for each call, also for those that are refused. */
export class RateLimit {
  readonly #quota: Quota;
  readonly #options: RateLimitOptions;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#quota = new Quota(options.limits, options.now);
  }

  /** @returns headers for the answer. @throws CarnetError RATE_LIMITED, carrying the same headers and Retry-After */
  count(client: string, amount = 1): RateLimitHeaders {
    const seconds = this.#quota.secondsToWait(client, amount);
    if (seconds > 0) throw this.#refusal(client, seconds);
    this.#quota.use(client, amount);
    return this.#headers(client);
  }

  /** Adds what is known only when it has been used; nothing is refused. */
  add(client: string, amount: number): void {
    this.#quota.use(client, amount);
  }

  /** Takes one request back, which turned out to be counted elsewhere. */
  giveBack(client: string): void {
    this.#quota.use(client, -1);
  }

  #headers(client: string): RateLimitHeaders {
    const { policy, unit, limits } = this.#options;
    const { amount, secondsToFull } = this.#quota.left(client);
    const window = Math.round(limits.burst / limits.perSecond);
    return new Map([
      ['RateLimit-Policy', `"${policy}";q=${limits.burst}${unit === undefined ? '' : `;qu="${unit}"`};w=${window}`],
      ['RateLimit', `"${policy}";r=${amount};t=${secondsToFull}`],
      ['X-RateLimit-Limit', String(limits.burst)],
      ['X-RateLimit-Remaining', String(amount)],
      ['X-RateLimit-Reset', String(secondsToFull)],
    ]);
  }

  #refusal(client: string, seconds: number): CarnetError {
    const { whose, unit, limits } = this.#options;
    const what = unit === undefined ? 'requests' : 'bytes of bodies and answers';
    const perMinute = Math.round(limits.perSecond * 60).toLocaleString('en');
    return new CarnetError(
      'RATE_LIMITED',
      `${whose} has used its ${what}: ${perMinute} a minute, ${limits.burst.toLocaleString('en')} of them together; go on in ${seconds} seconds.`,
      { headers: { ...Object.fromEntries(this.#headers(client)), 'Retry-After': String(seconds) } },
    );
  }
}

/** A call that has a limit of its own: requests a minute of one block of addresses. */
export interface LimitedCall {
  operation: string;
  callsPerMinute: number;
}

/** The requests of a caller, and the bytes of these and of their answers. */
interface CallerLimit {
  requests: RateLimit;
  bytes: RateLimit;
}

export interface RateLimits {
  /** By key id. */
  key: CallerLimit;
  /** By operator: all that is not a person. */
  operator: CallerLimit;
  /** By address block: public routes, pages, and requests whose credential is not valid. */
  anonymous: RateLimit;
  /** By address block, as many again: documents that are the same for everybody, so that nothing else that comes from there keeps them away. */
  document: RateLimit;
  /** By address block, of a call that has `callsPerMinute`. */
  of(call: LimitedCall): RateLimit;
  trustProxyHops: number;
}

type Limits = Pick<Config, 'rateLimitPerMinute' | 'anonymousRateLimitPerMinute' | 'trustProxyHops'>;

/**
 * The counters of this process; null where `rateLimitPerMinute` is 0, which switches every limit off.
 * @param now milliseconds of a clock that never goes back
 */
export function createRateLimits(
  { rateLimitPerMinute, anonymousRateLimitPerMinute, trustProxyHops }: Limits,
  now?: () => number,
): RateLimits | null {
  if (rateLimitPerMinute === 0) return null;
  const ofCaller = (policy: string, whose: string, perMinute: number): CallerLimit => {
    const limits = requestsAMinute(perMinute);
    return {
      requests: new RateLimit({ policy, whose, limits, now }),
      bytes: new RateLimit({
        policy: `${policy}-bytes`,
        whose,
        limits: bytesBeside(limits),
        unit: 'content-bytes',
        now,
      }),
    };
  };
  const ofAddress = (policy: string, perMinute: number): RateLimit =>
    new RateLimit({ policy, whose: 'This address', limits: requestsAMinute(perMinute), now });
  const ofRoutes = new Map<string, RateLimit>();
  return {
    key: ofCaller('key', 'This credential', rateLimitPerMinute),
    operator: ofCaller(
      'operator',
      'The operator, by all its credentials together,',
      rateLimitPerMinute * KEYS_OF_OPERATOR,
    ),
    anonymous: ofAddress('address', anonymousRateLimitPerMinute),
    document: ofAddress('document', anonymousRateLimitPerMinute),
    of({ operation, callsPerMinute }) {
      const share = anonymousRateLimitPerMinute / STANDARD_ANONYMOUS;
      const limit = ofRoutes.get(operation) ?? ofAddress(operation, Math.ceil(callsPerMinute * share));
      ofRoutes.set(operation, limit);
      return limit;
    },
    trustProxyHops,
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
    if (credential !== null) return await countCaller(limits, { ctx, caller: credential.caller }, next);
    if (route.takesSigned !== undefined) {
      const { receiver, callsPerMinute } = route;
      if (receiver !== undefined && callsPerMinute !== undefined)
        ctx.res.setHeaders(
          limits.of({ operation: route.operation, callsPerMinute }).count(`${receiver.of(params)} ${block()}`),
        );
    } else if (!counted) {
      ctx.res.setHeaders((isDocument(route) ? limits.document : limits.anonymous).count(block()));
      const { operation, callsPerMinute } = route;
      if (callsPerMinute !== undefined) {
        // JSON is what no browser sends for a page of another site (CORS): such a page uses up no limit of the network it is opened in.
        assertJson(ctx.req);
        ctx.res.setHeaders(limits.of({ operation, callsPerMinute }).count(block()));
      }
    }
    await next();
  };
}

/** The bytes that a body announces count before they come; what it has beyond, and the answer, when it is there. */
async function countCaller(
  { key, operator }: RateLimits,
  { ctx, caller }: { ctx: Ctx; caller: Caller },
  next: () => Promise<void>,
): Promise<void> {
  const counters = [
    { limit: key, client: countedAs(caller) },
    ...(isPerson(caller) ? [] : [{ limit: operator, client: caller.operatorId as string }]),
  ];
  const announced = Math.min(Number(ctx.req.headers['content-length'] ?? 0), bodyLimitOf(ctx.state.route));
  ctx.res.setHeaders(key.requests.count(countedAs(caller)));
  if (!isPerson(caller)) operator.requests.count(caller.operatorId);
  for (const { limit, client } of counters) limit.bytes.count(client, announced);
  try {
    await next();
  } finally {
    const { bodyBytes = 0 } = ctx.state;
    const bytes = Math.max(0, bodyBytes - announced) + (ctx.length ?? 0);
    for (const { limit, client } of counters) limit.bytes.add(client, bytes);
  }
}
