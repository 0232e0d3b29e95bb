import type { z } from 'zod';
import { idempotencyOf } from '../commands/idempotency.ts';
import type { Context } from '../context/context.ts';
import { parseOrRefuse } from '../errors/faults.ts';
import type { Audience } from './auth/audience.ts';
import { admit } from './auth/audience.ts';
import type { Credential } from './auth/credential.ts';
import type { HeavyReads } from './heavy-reads.ts';
import { takesKey, type AnyRoute, type CallRoute, type Route, type RouteInput, type RouteReply } from './route.ts';
import { NoBody, paramsOf } from './validation.ts';

interface Calling {
  context: Context;
  credential: Credential;
  requestId: string;
  network: string;
  heavy: HeavyReads;
  /** Aborted when the client goes away; absent: the caller does not wait. */
  signal?: AbortSignal;
}

/** The path of a call, as its clients write it. */
export const pathOf = (route: Pick<AnyRoute, 'path'>, params: Readonly<Record<string, string>> = {}): string =>
  route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** Returns the function that calls routes as this credential. */
export const routeCaller = (calling: Calling): CallRoute => {
  const call: CallRoute = (route, input = {}) => callRoute({ ...calling, call }, route, input);
  return call;
};

async function callRoute<
  A extends Audience,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(
  { context, credential, requestId, network, heavy, signal, call: callOther }: Calling & { call: CallRoute },
  route: Route<A, Params, Query, Body, Reply>,
  { params = {}, query = {}, body = {}, key, approval, wait }: RouteInput,
): Promise<RouteReply<z.output<Reply>>> {
  const { audience } = route;
  const caller = audience === 'public' ? null : admit(credential, audience, route.method);
  const path = pathOf(route, params);
  const method = route.method.toUpperCase();
  // By HTTP a DELETE takes no key, since the second of two says that nothing is there; a form that is sent twice shows what the first has done.
  const mayRepeat = takesKey(route) || route.method === 'delete';
  const idempotency = key === undefined || !mayRepeat ? null : idempotencyOf(key, { method, path, body });
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
  const by = { query: values.query, body: values.body, sharer: caller?.operatorId ?? network };
  const answered = await heavy.run(route, by, () =>
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
      preferWait: wait ?? null,
      network,
      signal: signal ?? new AbortController().signal,
      callRoute: callOther,
    }),
  );
  return {
    status: answered.status,
    body: route.reply.parse(bodyOf(answered)),
    links: answered.links ?? {},
    replayed: 'replayed' in answered && answered.replayed,
  };
}

function bodyOf(answered: object): unknown {
  if ('prepared' in answered) return JSON.parse((answered.prepared as { text: string }).text);
  return 'body' in answered ? answered.body : undefined;
}
