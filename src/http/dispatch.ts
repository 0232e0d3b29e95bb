import type { AnyRoute } from './route.ts';
import { Router, type Found } from './router.ts';

const ROOT = '/v1/';

export interface Dispatch {
  find(method: string, path: string): Found<AnyRoute>;
}

/** The first segment after /v1 decides which domain's small router is asked. HEAD is GET without the body. */
export function createDispatch(routes: readonly AnyRoute[]): Dispatch {
  const routers = new Map<string, Router<AnyRoute>>();
  for (const route of routes) {
    if (!route.path.startsWith(ROOT))
      throw new Error(`The path of ${route.operation} must begin with ${ROOT}; it is ${route.path}.`);
    const rest = route.path.slice(ROOT.length);
    const first = firstSegmentOf(rest);
    const router = routers.get(first) ?? new Router<AnyRoute>();
    routers.set(first, router);
    router.add(route.method.toUpperCase(), rest, route);
  }
  return {
    find(method, path) {
      if (!path.startsWith(ROOT)) return null;
      const rest = path.slice(ROOT.length);
      const router = routers.get(firstSegmentOf(rest));
      return router === undefined ? null : router.find(method === 'HEAD' ? 'GET' : method, rest);
    },
  };
}

function firstSegmentOf(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? path : path.slice(0, slash);
}
