import type { ParameterizedContext } from 'koa';
import type { Context } from '../context/context.ts';
import type { SharedPool } from '../database/shared-pool.ts';
import { addressBlock, clientAddress } from './addresses.ts';
import type { Admitted, Middleware, Sharing } from './state.ts';

/**
 * Gives a request the context that its handler works with: its connections are shared by operators, so that what one of them calls delays
 * nobody else. What comes without a credential shares as the network it comes from.
 * @throws CarnetError RATE_LIMITED, TEMPORARILY_UNAVAILABLE where too much waits for a connection
 */
export function fairUse(context: Context, shared: SharedPool): Middleware<Sharing> {
  return (ctx, next) => {
    ctx.state.context = { ...context, pool: shared.of(sharerOf(ctx, context)) };
    return next();
  };
}

/** Returns whose share a request takes. Who signs what they send may have an address in common with others: the endpoint that receives it is one sharer. */
export function sharerOf({ state, req }: ParameterizedContext<Admitted>, { config }: Context): string {
  const { caller, route, params } = state;
  if (caller !== null) return caller.operatorId;
  if (route.takesSigned !== undefined) return `${route.operation}:${route.receiver?.of(params) ?? ''}`;
  return addressBlock(clientAddress(req, config.trustProxyHops), 48);
}
