import Koa from 'koa';
import type { Context } from './context.ts';
import { createAuthentication } from './http/authentication.ts';
import { assertAudience } from './http/audience.ts';
import { addressBlock, clientAddress } from './http/addresses.ts';
import { ClientGone } from './http/body.ts';
import { CarnetError, notFound } from './http/errors.ts';
import type { Credential } from './http/credential.ts';
import { createDispatch } from './http/dispatch.ts';
import { Exchange } from './http/exchange.ts';
import { guarded } from './http/guard.ts';
import { internalError, refusalOf, sendProblem } from './http/problem.ts';
import { createRateLimits } from './http/rate-limits.ts';
import { recordExchange } from './http/records.ts';
import { sendAnswer } from './http/reply.ts';
import type { AnyRoute } from './http/route.ts';
import { createServicePages, type Health } from './http/service-pages.ts';

/**
 * The service as a Koa application. One middleware does all that routes share, in the decided order: find the route,
 * authenticate, count, check the audience, parse, handle, parse the answer. It writes the answer itself, since Koa's own way
 * costs a fifth of a cached GET (docs/benchmarks.md).
 */
export function createApp(context: Context, routes: AnyRoute[], health: Health = {}): Koa {
  const { log, config } = context;
  const dispatch = createDispatch(routes);
  const authentication = createAuthentication(context);
  const limits = createRateLimits(config.rateLimitPerMinute);
  const pages = createServicePages(context, routes, health);

  const clientOf = (exchange: Exchange): string => addressBlock(clientAddress(exchange.request, config.trustProxyHops));

  const authenticated = async (exchange: Exchange): Promise<Credential> => {
    try {
      return await authentication.credentialOf(exchange.request.headers.authorization);
    } catch (error) {
      if (limits !== null && refusalOf(error)?.code === 'UNAUTHENTICATED') exchange.headers = await limits.anonymous.count(clientOf(exchange));
      throw error;
    }
  };

  const admitted = async (exchange: Exchange, route: AnyRoute): Promise<Credential | null> => {
    if (route.audience === 'public') {
      if (limits !== null) exchange.headers = await limits.anonymous.count(clientOf(exchange));
      return null;
    }
    const credential = await authenticated(exchange);
    exchange.operatorId = credential.caller.operatorId;
    if (limits !== null) exchange.headers = await limits.key.count(credential.caller.keyId);
    assertAudience(credential, route.audience, route.method);
    return credential;
  };

  const answer = async (exchange: Exchange): Promise<number> => {
    const found = dispatch.find(exchange.method, exchange.path);
    if (found === null) return (await pages.answer(exchange)) ?? sendProblem(exchange, notFound('path'));
    if ('methods' in found) return sendMethods(exchange, found.methods);
    const { target: route, params } = found;
    exchange.operation = route.operation;
    const credential = await admitted(exchange, route);
    const request = await guarded(context, route, exchange, { params, caller: credential?.caller ?? null });
    return sendAnswer(exchange, route, await route.handler(request));
  };

  const app = new Koa();
  app.on('error', (error: unknown) => log.debug({ err: error }, 'a connection broke'));
  app.use(async (koa) => {
    koa.respond = false;
    const exchange = new Exchange(koa.req, koa.res);
    let status: number;
    try {
      status = await answer(exchange);
    } catch (error) {
      if (error instanceof ClientGone) return;
      const refusal = refusalOf(error);
      if (refusal === undefined) log.error({ err: error, requestId: exchange.requestId, operation: exchange.operation }, 'a request failed by a fault of ours');
      status = sendProblem(exchange, refusal ?? internalError());
    }
    recordExchange(log, exchange, status);
  });
  return app;
}

/** OPTIONS is answered, any other method that the path does not take is refused; both say which ones it takes. */
function sendMethods(exchange: Exchange, methods: string[]): number {
  const allow = [...new Set(['OPTIONS', ...methods, ...(methods.includes('GET') ? ['HEAD'] : [])])].sort().join(', ');
  if (exchange.method === 'OPTIONS') {
    exchange.sendEmpty(204, ['Allow', allow]);
    return 204;
  }
  const refusal = new CarnetError('METHOD_NOT_ALLOWED', `${exchange.method} is not allowed here; this path takes ${allow}.`, { headers: { Allow: allow } });
  return sendProblem(exchange, refusal);
}
