import type { Context } from '../../context/context.ts';
import { addressBlock, clientAddress } from '../addresses.ts';
import { credentialName, isPerson, type Caller } from '../../commands/caller.ts';
import { admitted } from './audience.ts';
import { createAuthentication } from './authentication.ts';
import type { Credential, Credentials } from './credential.ts';
import type { Exchange } from '../exchange.ts';
import { refusalOf } from '../problem.ts';
import { createRateLimits } from '../rate-limits.ts';
import type { AnyRoute } from '../route.ts';
import { createOriginCheck } from './same-origin.ts';

/** Lets a request in, or refuses it: who is it, how often, may he (in this order). */
export interface Admission {
  /**
   * @returns null for a public route. Without a promise where the credential is remembered and nothing is counted: for speed.
   * @throws CarnetError UNAUTHENTICATED, RATE_LIMITED, ORIGIN_FORBIDDEN and the refusals of `admitted`, also as a rejection
   */
  admit(exchange: Exchange, route: AnyRoute): Caller | null | Promise<Caller | null>;
}

export function createAdmission(context: Context, credentials: Credentials): Admission {
  const { rateLimitPerMinute, trustProxyHops, publicBaseUrl } = context.config;
  const authentication = createAuthentication(context, credentials);
  const limits = createRateLimits(rateLimitPerMinute);
  const assertSameOrigin = createOriginCheck(publicBaseUrl);

  /** Counts a request that shows no valid credential. */
  const countAnonymous = async (exchange: Exchange): Promise<void> => {
    if (limits !== null)
      exchange.headers = await limits.anonymous.count(addressBlock(clientAddress(exchange.request, trustProxyHops)));
  };

  const known = (exchange: Exchange, route: AnyRoute, credential: Credential): Caller => {
    exchange.operatorId = credential.caller.operatorId;
    // Browsers send the cookie by themselves, whoever made them send the request.
    if (route.method !== 'get' && isPerson(credential.caller)) assertSameOrigin(exchange.request.headers);
    return admitted(credential, route.audience, route.method);
  };

  const found = async (exchange: Exchange, route: AnyRoute): Promise<Caller | null> => {
    if (route.audience === 'public') {
      if (route.takesSigned !== true) await countAnonymous(exchange);
      return null;
    }
    const credential = await authentication.authenticate(exchange.request.headers).catch(async (error: unknown) => {
      if (refusalOf(error)?.code === 'UNAUTHENTICATED') await countAnonymous(exchange);
      throw error;
    });
    if (limits !== null) exchange.headers = await limits.key.count(credentialName(credential.caller));
    return known(exchange, route, credential);
  };

  return {
    admit(exchange, route) {
      const credential = limits === null ? authentication.remembered(exchange.request.headers) : undefined;
      if (credential === undefined || route.audience === 'public') return found(exchange, route);
      return known(exchange, route, credential);
    },
  };
}
