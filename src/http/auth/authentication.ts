import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context/context.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import type { Authenticated, Middleware } from '../state.ts';
import { unauthenticated, type Authenticator, type Credential, type Credentials } from './credential.ts';
import { sessionTokenOf } from './session-cookie.ts';

/** A credential is looked up again after a second, or as soon as what it stands for changes. */
const REMEMBERED_MS = 1_000;
/** Credentials of a kind remembered at most, about 500 bytes each. */
const REMEMBERED = 10_000;
/** Characters; what is longer (a token, a key behind thousands of spaces) is remembered by its hash. API keys are shorter. */
const REMEMBERED_AS_SHOWN = 200;
/** Keys, agents, operators, members and dashboard sessions: a change of one of these may change what a credential stands for. */
const BEHIND_CREDENTIALS = /^(?:\*$|key_|ag_|op_|mem_|dsh_)/;

/**
 * Finds out who calls a route that is not public. Nobody is refused yet: a request without a valid credential is counted first.
 */
export function authentication(context: Context, credentials: Credentials): Middleware<Authenticated> {
  const { authenticate } = createAuthentication(context, credentials);
  return async (ctx, next) => {
    const { state } = ctx;
    state.credential = null;
    state.unauthenticated = undefined;
    if (state.route.audience !== 'public') {
      try {
        state.credential = await authenticate(ctx.req.headers);
        state.operatorId = state.credential.caller.operatorId;
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
   * @throws CarnetError UNAUTHENTICATED
   */
  authenticate(headers: IncomingHttpHeaders): Promise<Credential>;
}

export function createAuthentication(context: Context, { bearers, session }: Credentials): Authentication {
  const shownInHeader = remembering(context, (authorization) => find(bearers, bearerToken(authorization)));
  const shownInCookie = remembering(context, (token) => find([session], token));
  return {
    async authenticate({ authorization, cookie }) {
      if (authorization !== undefined) return shownInHeader(authorization);
      const token = sessionTokenOf(cookie);
      if (token !== undefined) return shownInCookie(token);
      throw unauthenticated('This needs a credential: send Authorization: Bearer <API key>.');
    },
  };
}

const nameOf = (shown: string): string =>
  shown.length <= REMEMBERED_AS_SHOWN ? shown : hash('sha256', shown, 'base64url');

type Look = (shown: string) => Promise<Credential>;

/** Keeps what `look` finds for a second, by the text that was shown. */
function remembering({ rowEvents }: Context, look: Look): Look {
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
      // What must be looked up anew may have been withdrawn between the beginning of that look-up and this request.
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

  return async (shown) => {
    const name = nameOf(shown);
    return (rowEvents.listening ? known.get(name) : undefined) ?? (await lookUp(shown, name));
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
