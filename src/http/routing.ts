import { METHODS } from 'node:http';
import { Router } from '@koa/router';
import type { Context as KoaContext } from 'koa';
import { CarnetError } from '../errors/carnet-error.ts';
import { anyOriginHeaders, preflightHeaders, preflightMethod } from './any-origin.ts';
import { percentDecoded } from './query.ts';
import type { AnyRoute } from './route.ts';
import type { Middleware, Recorded, Routed } from './state.ts';

/** The routes of one path, by method. */
type Methods = ReadonlyMap<string, AnyRoute>;
type RouterState = Recorded & Partial<Routed>;

/**
 * Finds the route of a request: 404 and 405 come from here, and the answers to OPTIONS. @koa/router tries its paths one by one, so a
 * router holds few: those that begin with one word and have as many segments. Each path stands in it once, and then the method decides. Of
 * two paths that fit, the one with fewer parameters is taken: `/skills/mine` before `/skills/:id`.
 */
export function routing(routes: readonly AnyRoute[]): Middleware<Routed> {
  const routers = new Map<string, Router<RouterState>>();
  for (const [path, methods] of methodsByPath(routes)) {
    const kind = kindOf(path);
    const router =
      routers.get(kind) ?? new Router<RouterState>({ strict: true, sensitive: true, exclusive: 'specificity' });
    routers.set(kind, router);
    router.register(path, METHODS, (ctx, next) => {
      const route = methods.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
      if (route === undefined) return otherMethod(ctx, methods);
      ctx.state.route = route;
      ctx.state.path = canonicalPath(ctx.path);
      ctx.state.params = ctx.params;
      ctx.state.operation = route.operation;
      if (route.anyOrigin === true) ctx.set(anyOriginHeaders);
      return next();
    });
  }
  const choose = new Map([...routers].map(([kind, router]) => [kind, router.routes()]));
  return (ctx, next) => {
    const { path } = ctx;
    const router = choose.get(kindOf(path));
    if (router === undefined || (path.includes('%') && percentDecoded(path) === undefined)) throw noSuchPath();
    const found = (): Promise<void> => {
      if ((ctx.state as RouterState).route === undefined) throw noSuchPath();
      return next();
    };
    return router(ctx as never, found) as Promise<void>;
  };
}

/** Lets the door that a request is for look at where it comes from. */
export const guarded: Middleware<Routed> = (ctx, next) => {
  ctx.state.route.door?.guard(ctx.req.headers);
  return next();
};

/** In the same words to everybody: paths are public, and no credential was looked at. */
const noSuchPath = (): CarnetError =>
  new CarnetError('NOT_FOUND', 'No call and no page has this path. /docs lists the calls.');

/**
 * With every segment escaped alike: `/v1/agents/ag%5F1` and `/v1/agents/ag_1` are one call, to an Idempotency-Key and to a person who approves.
 * Each segment must be decodable.
 */
const canonicalPath = (path: string): string =>
  /^[\w./-]*$/.test(path)
    ? path
    : path
        .split('/')
        .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
        .join('/');

/** The kind of `/v1/skills/:id` is `skills 4`: the first word after /v1, or of an alias its first, and the number of segments. */
const kindOf = (path: string): string => {
  const segments = path.split('/', MAX_SEGMENTS);
  return `${segments[1] === 'v1' ? segments[2] : segments[1]} ${segments.length}`;
};
/** More than any route has: what is longer is never found. */
const MAX_SEGMENTS = 16;

/** Aliases included. */
function methodsByPath(routes: readonly AnyRoute[]): ReadonlyMap<string, Methods> {
  const byPath = new Map<string, Map<string, AnyRoute>>();
  const shapes = new Map<string, string>();
  for (const route of routes) {
    const method = route.method.toUpperCase();
    if (route.path.startsWith('/v1/') === (route.door !== undefined))
      throw new Error(`The path of ${route.operation} begins with /v1/ unless it is a door; it is ${route.path}.`);
    for (const path of route.alias === undefined ? [route.path] : [route.path, route.alias]) {
      const shape = path.replaceAll(/:[^/]+/g, ':');
      const known = shapes.get(shape) ?? path;
      if (known !== path) throw new Error(`${path} and ${known} are one path: give their parameters the same names.`);
      shapes.set(shape, path);
      const methods = byPath.get(path) ?? new Map<string, AnyRoute>();
      if (methods.has(method)) throw new Error(`Two routes are declared for ${method} ${path}.`);
      byPath.set(path, methods.set(method, route));
    }
  }
  return byPath;
}

/** OPTIONS is answered, any other method that the path does not take is refused; both name those that it takes. */
function otherMethod(ctx: KoaContext, methods: Methods): void {
  const announced = methods.get(preflightMethod(ctx.req) ?? '');
  sendMethods(ctx, { methods: [...methods.keys()], anyOrigin: announced?.anyOrigin === true });
}

/**
 * The answer to OPTIONS, and the refusal of every method that is not among `methods`.
 * @param anyOrigin whether a page of any origin may go on to send the request that it announces
 * @throws CarnetError METHOD_NOT_ALLOWED
 */
export function sendMethods(
  ctx: KoaContext,
  { methods, anyOrigin }: { methods: readonly string[]; anyOrigin: boolean },
): void {
  const allow = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].join(', ');
  if (anyOrigin) ctx.set({ ...anyOriginHeaders, ...preflightHeaders(allow) });
  if (ctx.method !== 'OPTIONS') {
    throw new CarnetError('METHOD_NOT_ALLOWED', `${ctx.method} is not allowed here; this path takes ${allow}.`, {
      headers: { Allow: allow },
    });
  }
  ctx.status = 204;
  ctx.set('Allow', allow);
}
