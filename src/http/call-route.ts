import type { z } from 'zod';
import { idempotencyOf } from '../commands/idempotency.ts';
import type { Context } from '../context/context.ts';
import { parseOrRefuse } from '../errors/faults.ts';
import type { JsonValue } from '../json/value.ts';
import type { Audience } from './auth/audience.ts';
import { admit } from './auth/audience.ts';
import type { Credential } from './auth/credential.ts';
import type { HeavyReads } from './heavy-reads.ts';
import { takesKey, type AnyRoute, type Links, type Route } from './route.ts';
import { NoBody, paramsOf } from './validation.ts';

/** The parts of a request by HTTP, as a page of a person has them. */
export interface RouteInput {
  /** By the names in the path of the route. */
  params?: Readonly<Record<string, string>>;
  /** As an address has them. */
  query?: Readonly<Record<string, string | readonly string[]>>;
  body?: JsonValue;
  /** An Idempotency-Key, for a form that may be sent twice. */
  key?: string | undefined;
  /** The id of an approval that a person gave for this request. */
  approval?: string;
}

interface Calling {
  context: Context;
  credential: Credential;
  requestId: string;
  network: string;
  heavy: HeavyReads;
}

/** The answer of a route, as its clients read it. */
export interface RouteReply<Body> {
  status: number;
  body: Body;
  /** The pages beside this one of a list. */
  links: Links;
}

/** The path of a call, as its clients write it. */
export const pathOf = (route: Pick<AnyRoute, 'path'>, params: Readonly<Record<string, string>> = {}): string =>
  route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/**
 * Calls a route within the process for a person who is signed in: with the audience, the schemas, the handler and the audit of the same
 * call by HTTP, so that pages have no rules of their own.
 * @throws CarnetError as the call would be refused
 */
export async function callRoute<
  A extends Audience,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(
  { context, credential, requestId, network, heavy }: Calling,
  route: Route<A, Params, Query, Body, Reply>,
  { params = {}, query = {}, body = {}, key, approval }: RouteInput = {},
): Promise<RouteReply<z.output<Reply>>> {
  const { audience } = route;
  const caller = audience === 'public' ? null : admit(credential, audience, route.method);
  const path = pathOf(route, params);
  const method = route.method.toUpperCase();
  const idempotency = key === undefined || !takesKey(route) ? null : idempotencyOf(key, { method, path, body });
  const values = {
    params: route.params === undefined ? undefined : paramsOf(route.params, params),
    query: route.query === undefined ? undefined : parseOrRefuse(route.query, query, 'query.'),
    body: route.method === 'get' ? undefined : parseOrRefuse(route.body ?? NoBody, body),
  };
  const call =
    caller === null
      ? null
      : {
          caller,
          operation: route.operation,
          idempotency,
          requestId,
          request: { method, path, body, approvalId: approval },
        };
  // The types of a route say what its schemas have just parsed.
  const handle = route.handler as (request: unknown) => ReturnType<typeof route.handler>;
  const answered = await heavy.run(route, { query: values.query, sharer: caller?.operatorId ?? network }, () =>
    handle({
      context,
      caller,
      call,
      ...values,
      found: undefined,
      header: () => undefined,
      headers: {},
      preferredType: (first: string) => first,
      requestId,
      preferWait: null,
      network,
      signal: new AbortController().signal,
    }),
  );
  return {
    status: answered.status,
    body: route.reply.parse(bodyOf(answered)),
    links: answered.links ?? {},
  };
}

function bodyOf(answered: object): unknown {
  if ('prepared' in answered) return JSON.parse((answered.prepared as { text: string }).text);
  return 'body' in answered ? answered.body : undefined;
}
