import { isPerson } from '../../commands/caller.ts';
import type { Admitted, Middleware } from '../state.ts';
import { admit } from './audience.ts';
import { createOriginCheck } from './same-origin.ts';

/**
 * Lets a caller in where the audience of the route takes their credential.
 * @throws CarnetError UNAUTHENTICATED, ORIGIN_FORBIDDEN and the refusals of `admit`
 */
export function admission(publicBaseUrl: string): Middleware<Admitted> {
  const assertSameOrigin = createOriginCheck(publicBaseUrl);
  return (ctx, next) => {
    const { credential, unauthenticated, route } = ctx.state;
    if (unauthenticated !== undefined) throw unauthenticated;
    ctx.state.caller = null;
    if (credential === null || route.audience === 'public') return next();
    // Browsers send the cookie by themselves, no matter who made them send the request.
    if (route.method !== 'get' && isPerson(credential.caller)) assertSameOrigin(ctx.req.headers);
    ctx.state.caller = admit(credential, route.audience, route.method);
    return next();
  };
}
