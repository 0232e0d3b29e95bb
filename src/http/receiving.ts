import type { Middleware, Received } from './state.ts';

/**
 * Looks at whom a signed request is sent to before its body is read: bodies are read before anybody knows whether their signature fits, and
 * take a share of what is held for whom they are sent to.
 * @throws CarnetError what the route's `admit` throws
 */
export const receiving: Middleware<Received> = async (ctx, next) => {
  const { route, params, context } = ctx.state;
  if (route.receiver !== undefined) {
    const { limit, owner, found } = await route.receiver.admit(context, params);
    ctx.state.bodyLimit = limit;
    ctx.state.bodyOwner = owner;
    ctx.state.found = found;
  }
  await next();
};
