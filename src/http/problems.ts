import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { translateDatabaseError } from '../database/errors.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { ErrorCodes } from '../errors/codes.ts';
import { membersFault } from '../errors/members.ts';
import { metrics } from '../metrics/metrics.ts';
import { ClientGone } from './held-bodies.ts';
import { errorContent, errorPage } from './pages/error-page.ts';
import { sendPage } from './pages/page.ts';
import { htmlPage } from './pages/shell.ts';
import { refusalsOf } from './refusals.ts';
import type { AnyRoute } from './route.ts';
import type { Middleware, Recorded, Routed } from './state.ts';

const refusals = metrics.counter('carnet_refusals', 'Requests that were refused, by the code of the problem');

/** Counts a refusal, also one that is not the answer to a request but a part of it. */
export const countRefusal = ({ code }: CarnetError): void => refusals.add(1, { code });

interface Options {
  /** Whether a refusal that its route does not declare, or a member that its code does not have, is a fault of ours: outside of production, so that tests find it. */
  strict: boolean;
}

/**
 * The one writer of error bodies: a refusal becomes its `application/problem+json`, or a page of HTML for a browser; everything else is
 * logged and becomes a 500 without its cause. A client that has gone away is not answered.
 */
export const problems =
  (log: Logger, { strict }: Options): Middleware<Recorded & Partial<Routed>> =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      const { requestId, operation, route } = ctx.state;
      const refusal = refusalOf(error);
      if (refusal === undefined || refusal.status === 500) {
        log.error({ err: error, requestId, operation }, 'a request failed by a fault of ours');
        return sendProblem(ctx, internalError());
      }
      const undeclared = route === undefined ? null : undeclaredOf(refusal, route);
      if (undeclared === null) return sendProblem(ctx, refusal);
      const fault = `${operation} was refused with ${undeclared}`;
      log[strict ? 'error' : 'warn']({ err: error, requestId, operation, code: refusal.code }, fault);
      sendProblem(ctx, strict ? new CarnetError('INTERNAL_ERROR', fault) : refusal);
    } finally {
      ctx.state.answered?.(ctx.length ?? 0);
    }
  };

/** Says which member of a refusal the OpenAPI document does not name, and where to add it; null: it names all. */
function undeclaredOf({ code, extra }: CarnetError, route: AnyRoute): string | null {
  if (!refusalsOf(route).includes(code)) return `${code}, which its route does not declare. Add it to refusals.`;
  const fault = membersFault(code, extra);
  return fault === null ? null : `${code}, whose members src/errors/members.ts does not name: ${fault}.`;
}

/** The refusal an error stands for; undefined for a fault of ours. */
export function refusalOf(error: unknown): CarnetError | undefined {
  const translated = error instanceof CarnetError ? error : translateDatabaseError(error);
  return translated instanceof CarnetError ? translated : undefined;
}

const internalError = (): CarnetError =>
  new CarnetError(
    'INTERNAL_ERROR',
    'The fault is ours and was recorded under the request_id. Repeating the call with the same Idempotency-Key is safe.',
  );

/** RFC 9457, with the further members of the code beside its own. */
export function problemOf(error: CarnetError, request: { path: string; requestId: string }): Record<string, unknown> {
  return {
    ...error.extra,
    type: `urn:carnet:problem:${error.code}`,
    title: ErrorCodes[error.code][1],
    status: error.status,
    detail: error.message,
    instance: request.path,
    code: error.code,
    request_id: request.requestId,
    ...(error.errors !== undefined && { errors: error.errors }),
  };
}

function sendProblem(ctx: ParameterizedContext<Recorded & Partial<Routed>>, error: CarnetError): void {
  ctx.state.refused = error.code;
  countRefusal(error);
  ctx.set(error.headers);
  const { requestId } = ctx.state;
  if (isForBrowser(ctx)) {
    const content = errorContent(error, requestId);
    const page = htmlPage(errorPage(content), error.status);
    return sendPage(ctx, { ...page, ...ctx.state.frame?.(content), status: error.status });
  }
  const { door } = ctx.state.route ?? {};
  const problem = problemOf(error, { path: ctx.path, requestId });
  ctx.status = error.status;
  ctx.set('Content-Type', door === undefined ? 'application/problem+json' : 'application/json');
  ctx.set('Cache-Control', 'no-store');
  ctx.body = JSON.stringify(door === undefined ? problem : door.refusal(error, problem));
}

const JSON_TYPES = ['application/problem+json', 'application/json'] as const;

/**
 * Whether an error is shown as a page: on pages for people unless JSON is preferred, elsewhere where HTML is: the wildcard, which
 * HTTP libraries send, is no preference. A caller with a bearer is a program. Errors are kept by no cache, so the answer needs no `Vary`.
 */
function isForBrowser(ctx: ParameterizedContext<Recorded>): boolean {
  if (ctx.state.forPeople) return ctx.accepts('text/html', ...JSON_TYPES) === 'text/html';
  const { accept, authorization } = ctx.req.headers;
  if (accept?.includes('text/html') !== true || authorization !== undefined) return false;
  return ctx.accepts(...JSON_TYPES, 'text/html') === 'text/html';
}
