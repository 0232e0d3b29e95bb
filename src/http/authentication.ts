import type { Context } from '../context.ts';
import { unauthenticated, type Credential, type Credentials } from './credential.ts';

/** A credential is looked up again after a second, or as soon as its key, agent or operator changes. */
const REMEMBERED_MS = 1_000;
/** Credentials remembered at most, about 500 bytes each. */
const REMEMBERED = 10_000;

export interface Authentication {
  /** Who showed this header within the last second, without a promise: for speed. */
  remembered(authorization: string | undefined): Credential | undefined;
  /** Who shows `Authorization: Bearer …`. @throws CarnetError UNAUTHENTICATED */
  authenticate(authorization: string | undefined): Promise<Credential>;
}

interface Remembered {
  credential: Credential;
  until: number;
}

export function createAuthentication(context: Context, { bearers }: Credentials): Authentication {
  const remembered = new Map<string, Remembered>();
  let pending = new Map<string, Promise<Credential>>();

  /** Changes of keys, agents and operators are rare: forgetting all is simple, and a look-up under way is not remembered either. */
  const forget = (): void => {
    remembered.clear();
    pending = new Map();
  };
  context.rowEvents.subscribe((id) => {
    if (id === '*' || id.startsWith('key_') || id.startsWith('ag_') || id.startsWith('op_')) forget();
  });

  const find = async (token: string): Promise<Credential> => {
    for (const authenticator of bearers) {
      const found = authenticator.authenticate(token);
      if (found === undefined) continue;
      const credential = await found;
      if (credential === null) break;
      return credential;
    }
    throw unauthenticated('The credential is not valid: it is unknown, has expired or was withdrawn.', 'invalid_token');
  };

  const look = (authorization: string): Promise<Credential> => {
    const underWay = pending.get(authorization);
    if (underWay !== undefined) return underWay;
    const looks = pending;
    const asked = performance.now();
    const search = find(bearerToken(authorization))
      .then((credential) => {
        if (looks === pending) {
          if (remembered.size >= REMEMBERED) remembered.clear();
          remembered.set(authorization, { credential, until: asked + Math.min(REMEMBERED_MS, credential.validForMs) });
        }
        return credential;
      })
      .finally(() => looks.delete(authorization));
    looks.set(authorization, search);
    return search;
  };

  return {
    remembered(authorization) {
      if (authorization === undefined || !context.rowEvents.hearing) return undefined;
      const known = remembered.get(authorization);
      return known !== undefined && known.until > performance.now() ? known.credential : undefined;
    },
    async authenticate(authorization) {
      if (authorization === undefined)
        throw unauthenticated('This needs a credential: send Authorization: Bearer <API key>.');
      return this.remembered(authorization) ?? (await look(authorization));
    },
  };
}

/** @throws CarnetError UNAUTHENTICATED where the header is of another scheme */
function bearerToken(authorization: string): string {
  const token = /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw unauthenticated('The Authorization header must read: Bearer <API key>.', 'invalid_request');
  return token;
}
