import { Router, type Layer } from '@koa/router';
import { percentDecoded } from './query.ts';
import type { AnyRoute } from './route.ts';

const ROOT = '/v1/';

/** What a path led to: a route and its parameters, or only the methods that the path takes. */
export type Found = { target: AnyRoute; params: Record<string, string> } | { methods: string[] } | null;

export interface Dispatch {
  find(method: string, path: string): Found;
}

/** The routes of one first and one last segment; a fixed segment stands before a `:parameter`. */
interface Table {
  router: Router;
  routes: Map<Layer, AnyRoute>;
}

/**
 * The first segment after /v1 and the last one decide which small router is asked: @koa/router tries every path it has, so
 * forty in one table would cost as much as all the rest of a cached GET. HEAD is GET without the body.
 */
export function createDispatch(routes: readonly AnyRoute[]): Dispatch {
  const tables = new Map<string, Table>();
  const aliases = new Map(routes.flatMap(({ alias, path }) => (alias === undefined ? [] : [[alias, path]])));
  for (const route of routes.toSorted(fixedFirst)) {
    if (!route.path.startsWith(ROOT))
      throw new Error(`The path of ${route.operation} must begin with ${ROOT}; it is ${route.path}.`);
    const key = tableOf(route.path);
    const table = tables.get(key) ?? emptyTable();
    tables.set(key, table);
    const method = route.method.toUpperCase();
    if ([...table.routes.values()].some((other) => clash(other, route)))
      throw new Error(`Two routes are declared for ${method} ${route.path}.`);
    table.routes.set(table.router.register(route.path, [method], () => {}) as Layer, route);
  }
  const findIn = (table: Table | undefined, method: string, path: string): Found => {
    if (table === undefined) return null;
    const matched = table.router.match(path, method);
    const layer = matched.pathAndMethod[0];
    const target = layer === undefined ? undefined : table.routes.get(layer);
    if (layer !== undefined && target !== undefined) return withParams(layer, target, path);
    if (matched.path.length === 0) return null;
    return { methods: matched.path.flatMap(({ methods }) => methods).filter((name) => name !== 'HEAD') };
  };
  return {
    find(method, address) {
      const path = address.startsWith(ROOT) ? address : aliases.get(address);
      if (path === undefined) return null;
      const asked = method === 'HEAD' ? 'GET' : method;
      const { first, last } = endsOf(path);
      return findIn(tables.get(`${first} ${last}`), asked, path) ?? findIn(tables.get(`${first} :`), asked, path);
    },
  };
}

const emptyTable = (): Table => ({ router: new Router({ strict: true, sensitive: true }), routes: new Map() });

function withParams(layer: Layer, target: AnyRoute, path: string): Found {
  const params: Record<string, string> = {};
  if (layer.paramNames.length === 0) return { target, params };
  const [, ...values] = layer.regexp.exec(path) ?? [];
  for (const [index, { name }] of layer.paramNames.entries()) {
    const value = values[index] ?? '';
    const decoded = value.includes('%') ? percentDecoded(value) : value;
    if (decoded === undefined) return null;
    params[name] = decoded;
  }
  return { target, params };
}

/** The first segment after /v1 and the last one: of `/v1/skills/skl_1/invoke` these are `skills` and `invoke`. */
function endsOf(path: string): { first: string; last: string } {
  const slash = path.indexOf('/', ROOT.length);
  return {
    first: path.slice(ROOT.length, slash < 0 ? path.length : slash),
    last: path.slice(path.lastIndexOf('/') + 1),
  };
}

/** `skills :` for every path that ends in a parameter. */
function tableOf(path: string): string {
  const { first, last } = endsOf(path);
  return `${first} ${last.startsWith(':') ? ':' : last}`;
}

const clash = (one: AnyRoute, other: AnyRoute): boolean =>
  one.method === other.method && shapeOf(one.path) === shapeOf(other.path);

const shapeOf = (path: string): string => path.replaceAll(/:[^/]+/g, ':');

/** Orders `/skills/mine` before `/skills/:id`: at the first segment that differs in kind the fixed one goes first. */
function fixedFirst(one: AnyRoute, other: AnyRoute): number {
  const others = other.path.split('/');
  for (const [index, segment] of one.path.split('/').entries()) {
    const [here, there] = [segment.startsWith(':'), (others[index] ?? '').startsWith(':')];
    if (here !== there) return here ? 1 : -1;
  }
  return 0;
}
