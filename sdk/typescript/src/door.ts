import { createHash } from 'node:crypto';
import { isDeepStrictEqual, promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { createRemoteJWKSet, customFetch, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { textOf } from './bounded.ts';
import type { PassportClaims, PassportServiceScope } from './generated.ts';

/** The payload of a passport. Who shows it is `svcns.agent_id`, of the account `svcns.operator_id`. */
export interface Passport {
  iss: string;
  sub: string;
  jti: string;
  exp: number;
  aud?: string[];
  svcns: PassportClaims;
  status?: { status_list: { idx: number; uri: string } };
}

export interface DoorOptions {
  /** The `base_url` of the service, to the character. */
  issuer: string;
  /** Yours, as passports name it. */
  serviceId: string;
  /** All of them are needed; none unless set. */
  scopes?: readonly string[];
  /** Refuses a passport that names no audience, which other services that saw it can show here. */
  audienceRequired?: boolean;
  /** Whether a pattern in RE2's syntax matches a whole text, in linear time: `(pattern, text) => RE2JS.matches(pattern, text)`. Without it `regex` never holds. */
  matches?: (pattern: string, text: string) => boolean;
  fetch?: typeof fetch;
}

export interface Admission {
  /** Beside those of the door. */
  scopes?: readonly string[];
  /** The parameters of the call, which the constraints of the passport limit. */
  params?: Record<string, unknown>;
}

export interface Door {
  /** @throws PassportRefused, which says why the passport does not count for this call */
  admit(token: string | undefined, admission?: Admission): Promise<Passport>;
}

export type RefusedBecause =
  | 'missing'
  | 'invalid'
  | 'expired'
  | 'revoked'
  | 'audience'
  | 'scope'
  | 'constraint'
  /** The keys or the list of revoked passports cannot be had, so nobody is admitted. */
  | 'unknown';

const STATUS: Partial<Record<RefusedBecause, number>> = { scope: 403, constraint: 403, audience: 403, unknown: 503 };

export class PassportRefused extends Error {
  override name = 'PassportRefused';
  readonly because: RefusedBecause;
  /** The status of the answer to the caller. */
  readonly status: number;

  constructor(because: RefusedBecause, message: string, options?: ErrorOptions) {
    super(message, options);
    this.because = because;
    this.status = STATUS[because] ?? 401;
  }
}

/** The service publishes keys for this long; a token is checked anew then, so that a withdrawn key is seen. */
const KEYS_MS = 300_000;
const KEPT_TOKENS = 10_000;
const KEPT_LISTS = 32;
/** Between two downloads of a list that failed, or that is too short. */
const LIST_PAUSE_MS = 1_000;
const FETCH_MS = 5_000;
const LARGEST_TOKEN = 16_384;
/** 2^27 passports of one day. */
const LARGEST_LIST = 2 ** 24;
const LARGEST_KEYS = 2 ** 20;

const unzip = promisify(inflate);
const now = (): number => Date.now();

/** Admits passports offline: the keys and the lists of revoked passports are fetched now and then, and kept. */
export function door(options: DoorOptions): Door {
  const issuer = options.issuer.replace(/\/+$/, '');
  const get: typeof fetch = options.fetch ?? fetch;
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
    cacheMaxAge: KEYS_MS,
    timeoutDuration: FETCH_MS,
    [customFetch]: async (...asked: Parameters<typeof fetch>) => {
      const response = await get(...asked);
      return new Response(await textOf(response, LARGEST_KEYS), response);
    },
  });
  const tokens = new Map<string, { passport: Passport; until: number }>();
  const lists = new StatusLists({ issuer, keys, get });

  const verified = async (token: string): Promise<Passport> => {
    const digest = createHash('sha256').update(token).digest('base64');
    const kept = tokens.get(digest);
    if (kept && kept.until > now()) return kept.passport;
    tokens.delete(digest);
    const passport = await checked<Passport>(token, keys, { issuer, typ: 'JWT' });
    if (tokens.size >= KEPT_TOKENS) tokens.delete(tokens.keys().next().value ?? '');
    tokens.set(digest, { passport, until: Math.min(passport.exp * 1_000, now() + KEYS_MS) });
    return passport;
  };

  return {
    async admit(token, { scopes = [], params = {} } = {}) {
      if (!token) throw new PassportRefused('missing', 'A passport is needed, as a bearer token.');
      if (token.length > LARGEST_TOKEN) throw new PassportRefused('invalid', 'The token is longer than any passport.');
      const passport = await verified(token);
      await orRefused('unknown', () => lists.refuseRevoked(passport));
      await orRefused('invalid', () =>
        refuseBeyond(passport, options, { scopes: [...(options.scopes ?? []), ...scopes], params }),
      );
      return passport;
    },
  };
}

/** A payload of another shape than that of passports and lists admits nobody, and is no fault of who calls. */
async function orRefused(because: 'unknown' | 'invalid', check: () => void | Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof PassportRefused) throw error;
    throw new PassportRefused(because, 'The passport, or the list of revoked ones, cannot be read.', { cause: error });
  }
}

/** @throws PassportRefused unless one of the keys has signed it, and it has not expired */
async function checked<Payload>(
  token: string,
  keys: JWTVerifyGetKey,
  expected: { typ: string; issuer?: string; subject?: string },
): Promise<Payload> {
  try {
    const { payload } = await jwtVerify<Payload>(token, keys, {
      algorithms: ['EdDSA'],
      requiredClaims: ['exp'],
      ...expected,
    });
    return payload;
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (code === 'ERR_JWT_EXPIRED') throw new PassportRefused('expired', 'The passport has expired.');
    // A code that says what is wrong with the token; all else is about the download of the keys.
    if (/^ERR_(JWT|JWS|JWKS_(NO|MULTIPLE)_MATCHING|JOSE_(ALG|NOT))/.test(code))
      throw new PassportRefused('invalid', `The passport does not verify: ${(error as Error).message}.`);
    throw new PassportRefused('unknown', 'The keys of the issuer cannot be had.', { cause: error });
  }
}

interface StatusList {
  bits: Buffer;
  freshUntil: number;
  /** Never used afterwards. */
  expires: number;
  fetchedAt: number;
}

class StatusLists {
  readonly #lists = new Map<string, StatusList>();
  readonly #fetching = new Map<string, Promise<StatusList>>();
  readonly #failedAt = new Map<string, number>();
  readonly #from: { issuer: string; keys: JWTVerifyGetKey; get: typeof fetch };

  constructor(from: { issuer: string; keys: JWTVerifyGetKey; get: typeof fetch }) {
    this.#from = from;
  }

  /** @throws PassportRefused also where nobody can know */
  async refuseRevoked({ status }: Passport): Promise<void> {
    if (status === undefined) throw new PassportRefused('unknown', 'The passport names no list of revoked ones.');
    const { idx, uri } = status.status_list;
    let list = await this.#current(uri);
    // A bit beyond the end is of a passport that is newer than the list.
    if (idx >= list.bits.length * 8 && now() > list.fetchedAt + LIST_PAUSE_MS) list = await this.#fetched(uri);
    const bits = list.bits[Math.floor(idx / 8)];
    if (bits === undefined || !Number.isSafeInteger(idx)) unknownList(uri);
    if ((bits >> (idx & 7)) & 1) throw new PassportRefused('revoked', 'The passport is revoked.');
  }

  async #current(uri: string): Promise<StatusList> {
    const kept = this.#lists.get(uri);
    if (kept && kept.freshUntil > now()) return kept;
    const usable = kept && kept.expires > now() ? kept : undefined;
    // An issuer that does not answer is not asked at each request.
    const failedAt = this.#failedAt.get(uri);
    if (failedAt !== undefined && now() < failedAt + LIST_PAUSE_MS) return usable ?? unknownList(uri);
    try {
      return await this.#fetched(uri);
    } catch (error) {
      remember(this.#failedAt, uri, now());
      return usable ?? unknownList(uri, error);
    }
  }

  #fetched(uri: string): Promise<StatusList> {
    const under = this.#fetching.get(uri);
    if (under) return under;
    const fetching = this.#fetch(uri).finally(() => this.#fetching.delete(uri));
    this.#fetching.set(uri, fetching);
    return fetching;
  }

  async #fetch(uri: string): Promise<StatusList> {
    const { issuer, keys, get } = this.#from;
    if (!uri.startsWith(`${issuer}/`)) throw new Error(`${uri} is not of the issuer.`);
    const response = await get(uri, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) });
    if (!response.ok) throw new Error(`${uri} answered ${response.status}.`);
    const text = await textOf(response, 2 * LARGEST_LIST);
    const {
      exp,
      ttl,
      status_list: listed,
    } = await checked<{ exp: number; ttl: number; status_list: { bits: number; lst: string } }>(text, keys, {
      subject: uri,
      typ: 'statuslist+jwt',
    });
    if (!Number.isFinite(ttl) || listed.bits !== 1) throw new Error(`${uri} is a list of another kind.`);
    const bits = await unzip(Buffer.from(listed.lst, 'base64url'), { maxOutputLength: LARGEST_LIST });
    const list = {
      bits,
      fetchedAt: now(),
      freshUntil: Math.min(now() + ttl * 1_000, exp * 1_000),
      expires: exp * 1_000,
    };
    this.#failedAt.delete(uri);
    remember(this.#lists, uri, list);
    return list;
  }
}

/** The oldest makes room. */
function remember<Value>(kept: Map<string, Value>, name: string, value: Value): void {
  kept.delete(name);
  if (kept.size >= KEPT_LISTS) kept.delete(kept.keys().next().value ?? '');
  kept.set(name, value);
}

function unknownList(uri: string, cause?: unknown): never {
  throw new PassportRefused('unknown', `${uri} cannot be had, so nobody knows whether the passport is revoked.`, {
    cause,
  });
}

function refuseBeyond({ aud, svcns }: Passport, options: DoorOptions, { scopes, params }: Required<Admission>): void {
  const { serviceId, audienceRequired = false, matches } = options;
  // As text it is one name (RFC 7519), of which a part is another name.
  if (aud === undefined ? audienceRequired : ![aud].flat().includes(serviceId))
    throw new PassportRefused('audience', `The passport is not meant for ${serviceId}.`);
  const here = svcns.services.filter((one) => one.service_id === serviceId);
  if (here.length === 0) throw new PassportRefused('scope', `The passport is not good at ${serviceId}.`);
  const limited = (one: PassportServiceScope): boolean =>
    one.constraints.every((constraint) => holds(constraint, params, matches));
  for (const scope of scopes) {
    const scoped = here.filter((one) => one.scopes.includes(scope));
    if (scoped.length === 0)
      throw new PassportRefused('scope', `The passport is not good for ${scope} at ${serviceId}.`);
    if (!scoped.some(limited))
      throw new PassportRefused('constraint', 'The call is beyond the constraints of the passport.');
  }
  if (scopes.length === 0 && !here.some(limited))
    throw new PassportRefused('constraint', 'The call is beyond the constraints of the passport.');
}

type Constraint = PassportServiceScope['constraints'][number];

function holds(constraint: Constraint, params: Record<string, unknown>, matches: DoorOptions['matches']): boolean {
  const { param, op, value } = constraint as { param: string; op: string; value: unknown };
  if (!Object.hasOwn(params, param)) return false;
  const given = params[param];
  switch (op) {
    case 'eq':
      return isDeepStrictEqual(given, value);
    case 'in':
      return Array.isArray(value) && value.some((allowed: unknown) => isDeepStrictEqual(given, allowed));
    case 'lte':
      return typeof given === 'number' && typeof value === 'number' && given <= value;
    case 'gte':
      return typeof given === 'number' && typeof value === 'number' && given >= value;
    case 'prefix':
      return typeof given === 'string' && typeof value === 'string' && given.startsWith(value);
    case 'regex':
      return typeof given === 'string' && typeof value === 'string' && matches?.(value, given) === true;
    default:
      return false;
  }
}
