import Koa from 'koa';
import type { Context } from '../context/context.ts';
import { createAdmission } from './auth/admission.ts';
import { askedMethod, preflightHeaders } from './any-origin.ts';
import { ClientGone, readForm } from './body.ts';
import type { Credentials } from './auth/credential.ts';
import { createDispatch } from './dispatch.ts';
import { CarnetError, notFound } from '../errors/carnet-error.ts';
import { Exchange } from './exchange.ts';
import { guarded, guardedWithBody } from './guard.ts';
import type { Health } from './pages/health-pages.ts';
import { sendPage, type PathOfPage } from './pages/page.ts';
import { createServicePages } from './pages/service-pages.ts';
import { internalError, refusalOf, sendProblem } from './problem.ts';
import { recordExchange } from './records.ts';
import { sendAnswer } from './reply.ts';
import { takesBody, type AnyRoute } from './route.ts';

/** What a service is made of, besides its context. */
export interface Makings {
  routes: AnyRoute[];
  credentials: Credentials;
  /** Pages of domains, for browsers. */
  pages: PathOfPage[];
  health?: Health | undefined;
}

/**
 * The service as a Koa application. One middleware does what all routes share, in the decided order: find the route, admit
 * the caller, parse the request, handle it, parse the answer. It writes to the response itself, since a
 * middleware for each step would cost more than the step (bench b1).
 */
export function createApp(context: Context, { routes, credentials, pages: ownPages, health = {} }: Makings): Koa {
  const { log } = context;
  const dispatch = createDispatch(routes);
  const pages = createServicePages(context, { routes, pages: ownPages, health });
  const admission = createAdmission(context, credentials);

  const answer = async (exchange: Exchange): Promise<number> => {
    const found = dispatch.find(exchange.method, exchange.path);
    if (found === null) return answerPage(exchange);
    if ('methods' in found) {
      const asked = dispatch.find(askedMethod(exchange.request) ?? '', exchange.path);
      exchange.anyOrigin = asked !== null && 'target' in asked && asked.target.anyOrigin === true;
      return sendMethods(exchange, found.methods);
    }
    const { target: route, params } = found;
    exchange.anyOrigin = route.anyOrigin === true;
    exchange.operation = route.operation;
    const admitted = admission.admit(exchange, route);
    const who = { params, caller: admitted instanceof Promise ? await admitted : admitted };
    const request = takesBody(route)
      ? await guardedWithBody(context, route, exchange, who)
      : guarded(context, route, exchange, who);
    return sendAnswer(exchange, route, await route.handler(request));
  };

  const answerPage = async (exchange: Exchange): Promise<number> => {
    const found = pages.find(exchange.path);
    if (found === undefined) return sendProblem(exchange, notFound('path'));
    const { page, id } = found;
    exchange.operation = page.operation;
    if (exchange.method === 'GET' || exchange.method === 'HEAD') return sendPage(exchange, await page.page({ id }));
    if (exchange.method !== 'POST' || page.submit === undefined)
      return sendMethods(exchange, page.submit === undefined ? ['GET'] : ['GET', 'POST']);
    return sendPage(exchange, await page.submit({ id, form: await readForm(exchange.request) }));
  };

  const refuse = (exchange: Exchange, error: unknown): number => {
    const refusal = refusalOf(error);
    if (refusal !== undefined && refusal.status !== 500) return sendProblem(exchange, refusal);
    log.error(
      { err: error, requestId: exchange.requestId, operation: exchange.operation },
      'a request failed by a fault of ours',
    );
    return sendProblem(exchange, internalError());
  };

  const app = new Koa();
  app.on('error', (error: unknown) => log.debug({ err: error }, 'a connection broke'));
  app.use(async (koa) => {
    koa.respond = false;
    const exchange = new Exchange(koa.req, koa.res);
    try {
      recordExchange(log, exchange, await answer(exchange));
    } catch (error) {
      if (error instanceof ClientGone) return;
      recordExchange(log, exchange, refuse(exchange, error));
    }
  });
  return app;
}

/** OPTIONS is answered, any other method that the path does not take is refused; both say which ones it takes. */
function sendMethods(exchange: Exchange, methods: string[]): number {
  const allow = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].join(', ');
  if (exchange.method === 'OPTIONS') {
    exchange.sendEmpty(204, ['Allow', allow, ...(exchange.anyOrigin ? preflightHeaders(allow) : [])]);
    return 204;
  }
  throw new CarnetError('METHOD_NOT_ALLOWED', `${exchange.method} is not allowed here; this path takes ${allow}.`, {
    headers: { Allow: allow },
  });
}
