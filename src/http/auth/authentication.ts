import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ParameterizedContext } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context/context.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import type { Authenticated, Middleware } from '../state.ts';
import { unauthenticated, type Authenticator, type Credential, type Credentials } from './credential.ts';
import { addressBlock, clientAddress } from '../addresses.ts';
import { noteCaller } from '../records.ts';
import type { RateLimits } from '../rate-limit.ts';
import { cookieName, SESSION_COOKIE, tokensIn } from './session-cookie.ts';

/** A credential is looked up again after a second, or as soon as what it stands for changes. */
const REMEMBERED_MS = 1_000;
/** How long it is remembered that a credential was good. */
const GOOD_MS = 3_600_000;
/** Credentials of a kind remembered at most, about 500 bytes each. */
const REMEMBERED = 10_000;
/** Characters; what is longer (a token, a key behind thousands of spaces) is remembered by its hash. API keys are shorter. */
const REMEMBERED_AS_SHOWN = 200;
/** Keys, agents, operators, members and dashboard sessions: a change of one of these may change what a credential stands for. */
const BEHIND_CREDENTIALS = /^(?:\*$|key_|ag_|op_|mem_|dsh_)/;

/**
 * Finds out who calls a route that is not public. Nobody is refused yet: a request without a valid credential is counted first. What may
 * be no credential is counted by its address before it is looked up, so that an address over its limit costs no query.
 * @throws CarnetError RATE_LIMITED
 */
export function authentication({ authenticate }: Authentication, limits: RateLimits | null): Middleware<Authenticated> {
  return async (ctx, next) => {
    const { state } = ctx;
    state.credential = null;
    state.unauthenticated = undefined;
    state.counted = false;
    if (state.route.audience !== 'public') {
      try {
        state.credential = await authenticate(ctx.req.headers, limits === null ? UNCOUNTED : countLookUps(ctx, limits));
        noteCaller(state, state.credential.caller);
      } catch (error) {
        if (!(error instanceof CarnetError && error.code === 'UNAUTHENTICATED')) throw error;
        state.unauthenticated = error;
      }
    }
    await next();
  };
}

export interface Authentication {
  /**
   * Who shows `Authorization: Bearer …`, or, where that header is not sent, the cookie of a dashboard session.
   * @throws CarnetError UNAUTHENTICATED, and what `lookUps` throws
   */
  authenticate(headers: IncomingHttpHeaders, lookUps: LookUps): Promise<Credential>;
}

/** Is notified of the look-ups of credentials that were not good in the last hour. */
export interface LookUps {
  /** One begins. @throws CarnetError RATE_LIMITED */
  begin(): void;
  /** It has found a credential. */
  found(): void;
}

export const UNCOUNTED: LookUps = { begin() {}, found() {} };

/** Counts a look-up as a request of the address, and takes that back where it finds a credential: that has a limit of its own. */
function countLookUps(ctx: ParameterizedContext<Authenticated>, { anonymous, trustProxyHops }: RateLimits): LookUps {
  let block = '';
  return {
    begin() {
      block = addressBlock(clientAddress(ctx.req, trustProxyHops));
      ctx.state.counted = true;
      ctx.res.setHeaders(anonymous.count(block));
    },
    found() {
      ctx.state.counted = false;
      anonymous.giveBack(block);
    },
  };
}

export function createAuthentication(context: Context, { bearers, session }: Credentials): Authentication {
  const shownInHeader = remembering(context, (authorization) => find(bearers, bearerToken(authorization)));
  const shownInCookie = remembering(context, (token) => find([session], token));
  const name = cookieName(SESSION_COOKIE, context.config.publicBaseUrl);
  return {
    async authenticate({ authorization, cookie }, lookUps) {
      if (authorization !== undefined) return shownInHeader(authorization, lookUps);
      let refusal = unauthenticated('This needs a credential: send Authorization: Bearer <API key>.');
      for (const token of tokensIn(cookie, name)) {
        try {
          return await shownInCookie(token, lookUps);
        } catch (error) {
          if (!(error instanceof CarnetError && error.code === 'UNAUTHENTICATED')) throw error;
          refusal = error;
        }
      }
      throw refusal;
    },
  };
}

const nameOf = (shown: string): string =>
  shown.length <= REMEMBERED_AS_SHOWN ? shown : hash('sha256', shown, 'base64url');

type Look = (shown: string) => Promise<Credential>;
type CountedLook = (shown: string, lookUps: LookUps) => Promise<Credential>;

/**
 * Keeps what `look` finds for a second, by the text that was shown. That something was good in the last hour is remembered too: it is looked
 * up no matter what the address has done, so that nobody who shares an address with a stranger is kept out by them.
 */
function remembering({ rowEvents }: Context, look: Look): CountedLook {
  const good = new LRUCache<string, true>({ max: REMEMBERED, ttl: GOOD_MS });
  const known = new LRUCache<string, Credential>({ max: REMEMBERED, ttl: REMEMBERED_MS });
  let pending = new Map<string, Promise<Credential>>();

  /** Such changes are rare: forgetting all is simple, and a look-up under way is not remembered either. */
  rowEvents.subscribe((id) => {
    if (!BEHIND_CREDENTIALS.test(id)) return;
    known.clear();
    pending = new Map();
  });

  const lookUp = async (shown: string, name: string): Promise<Credential> => {
    const underWay = pending.get(name);
    if (underWay !== undefined) {
      const credential = await underWay;
      // A credential that must be looked up again may have been withdrawn between the beginning of that look-up and this request.
      return credential.validForMs > 0 ? credential : look(shown);
    }
    const looks = pending;
    const start = performance.now();
    const search = look(shown)
      .then((credential) => {
        const ttl = Math.min(REMEMBERED_MS, credential.validForMs);
        if (looks === pending && ttl > 0) known.set(name, credential, { ttl, start });
        return credential;
      })
      .finally(() => looks.delete(name));
    looks.set(name, search);
    return search;
  };

  return async (shown, lookUps) => {
    const name = nameOf(shown);
    const remembered = rowEvents.listening ? known.get(name) : undefined;
    if (remembered !== undefined) return remembered;
    if (good.has(name)) {
      return await lookUp(shown, name).catch((error: unknown) => {
        good.delete(name);
        throw error;
      });
    }
    lookUps.begin();
    const credential = await lookUp(shown, name);
    good.set(name, true);
    lookUps.found();
    return credential;
  };
}

/** @throws CarnetError UNAUTHENTICATED */
async function find(authenticators: readonly Authenticator[], token: string): Promise<Credential> {
  for (const authenticator of authenticators) {
    const found = authenticator.authenticate(token);
    if (found === undefined) continue;
    const credential = await found;
    if (credential === null) break;
    return credential;
  }
  throw unauthenticated('The credential is not valid: it is unknown, has expired or was withdrawn.', 'invalid_token');
}

/** @throws CarnetError UNAUTHENTICATED where the header is of another scheme */
function bearerToken(authorization: string): string {
  const token = /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw unauthenticated('The Authorization header must read: Bearer <API key>.', 'invalid_request');
  return token;
}
