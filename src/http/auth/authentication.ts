import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../context/context.ts';
import { unauthenticated, type Authenticator, type Credential, type Credentials } from './credential.ts';
import { sessionTokenOf } from './session-cookie.ts';

/** A credential is looked up again after a second, or as soon as what it stands for changes. */
const REMEMBERED_MS = 1_000;
/** Credentials of a kind remembered at most, about 500 bytes each. */
const REMEMBERED = 10_000;
/** Characters; what is longer (a token, a key behind thousands of spaces) is remembered by its hash. API keys are shorter. */
const REMEMBERED_AS_SHOWN = 200;
/** Keys, agents, operators, members and dashboard sessions: a change of one of these may change what a credential says. */
const BEHIND_CREDENTIALS = /^(?:\*$|key_|ag_|op_|mem_|dsh_)/;

export interface Authentication {
  /** Who showed this credential within the last second, without a promise: for speed. */
  remembered(headers: IncomingHttpHeaders): Credential | undefined;
  /**
   * Who shows `Authorization: Bearer …`, or, where that header is not sent, the cookie of a dashboard session.
   * @throws CarnetError UNAUTHENTICATED
   */
  authenticate(headers: IncomingHttpHeaders): Promise<Credential>;
}

export function createAuthentication(context: Context, { bearers, session }: Credentials): Authentication {
  const shownInHeader = createMemory(context, (authorization) => find(bearers, bearerToken(authorization)));
  const shownInCookie = createMemory(context, (token) => find([session], token));
  return {
    remembered({ authorization, cookie }) {
      if (authorization !== undefined) return shownInHeader.remembered(authorization);
      const token = sessionTokenOf(cookie);
      return token === undefined ? undefined : shownInCookie.remembered(token);
    },
    async authenticate({ authorization, cookie }) {
      if (authorization !== undefined) return shownInHeader.find(authorization);
      const token = sessionTokenOf(cookie);
      if (token !== undefined) return shownInCookie.find(token);
      throw unauthenticated('This needs a credential: send Authorization: Bearer <API key>.');
    },
  };
}

interface Memory {
  remembered(shown: string): Credential | undefined;
  find(shown: string): Promise<Credential>;
}

const nameOf = (shown: string): string =>
  shown.length <= REMEMBERED_AS_SHOWN ? shown : hash('sha256', shown, 'base64url');

/** Keeps what `look` finds for a second, by the text that was shown. */
function createMemory({ rowEvents }: Context, look: (shown: string) => Promise<Credential>): Memory {
  const known = new Map<string, { credential: Credential; until: number }>();
  let pending = new Map<string, Promise<Credential>>();

  /** Such changes are rare: forgetting all is simple, and a look-up under way is not remembered either. */
  rowEvents.subscribe((id) => {
    if (!BEHIND_CREDENTIALS.test(id)) return;
    known.clear();
    pending = new Map();
  });

  const remembered = (shown: string): Credential | undefined => {
    if (!rowEvents.hearing) return undefined;
    const entry = known.get(nameOf(shown));
    return entry !== undefined && entry.until > performance.now() ? entry.credential : undefined;
  };

  const lookUp = async (shown: string): Promise<Credential> => {
    const name = nameOf(shown);
    const underWay = pending.get(name);
    if (underWay !== undefined) {
      const credential = await underWay;
      // What must be seen anew may have been withdrawn between the beginning of that look-up and this request.
      return credential.validForMs > 0 ? credential : look(shown);
    }
    const looks = pending;
    const asked = performance.now();
    const search = look(shown)
      .then((credential) => {
        if (looks === pending && credential.validForMs > 0) {
          if (known.size >= REMEMBERED) known.clear();
          known.set(name, { credential, until: asked + Math.min(REMEMBERED_MS, credential.validForMs) });
        }
        return credential;
      })
      .finally(() => looks.delete(name));
    looks.set(name, search);
    return search;
  };

  return { remembered, find: async (shown) => remembered(shown) ?? (await lookUp(shown)) };
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
