import { z } from 'zod';
import { invalid, notFound } from '../errors/carnet-error.ts';
import { parseOrRefuse } from '../errors/faults.ts';
import { shown } from '../json/shown.ts';
import { parseQuery } from './query.ts';
import type { Middleware, Validated } from './state.ts';

/** The body of a route that takes none. */
export const NoBody = z.strictObject({});

/**
 * Parses path, query and body by the schemas of the route.
 * @throws CarnetError VALIDATION_ERROR naming every fault, NOT_FOUND
 */
export const validation: Middleware<Validated> = (ctx, next) => {
  const { route, params, sent } = ctx.state;
  ctx.state.values = {
    params: route.params === undefined ? undefined : paramsOf(route.params, params),
    query: route.query === undefined ? undefined : queryOf(route.query, ctx.querystring),
    body: sent === undefined ? undefined : parseOrRefuse(route.body ?? NoBody, sent),
  };
  return next();
};

/**
 * Unknown names are ignored, but no known one in the brackets that other services take: a filter that is ignored answers everything.
 */
function queryOf(schema: z.ZodType, search: string): unknown {
  const query = parseQuery(search);
  for (const name in query) {
    const [, known] = /^(\w+)\[/.exec(name) ?? [];
    if (known !== undefined && schema instanceof z.ZodObject && Object.hasOwn(schema.shape, known))
      throw invalid({
        path: `query.${shown(name)}`,
        code: 'brackets',
        message: `is written without brackets: ${known}`,
      });
  }
  return parseOrRefuse(schema, query, 'query.');
}

function assertNoNul(params: Readonly<Record<string, string>>): void {
  for (const name in params) {
    if (params[name]?.includes('\0'))
      throw invalid({ path: `path.${name}`, code: 'nul', message: 'must not contain NUL' });
  }
}

/** An id that cannot be one is the id of nothing. @throws CarnetError NOT_FOUND */
export function paramsOf(schema: z.ZodType, params: Readonly<Record<string, string>>): unknown {
  assertNoNul(params);
  const { success, data } = schema.safeParse(params);
  if (!success) throw notFound('thing');
  return data;
}
