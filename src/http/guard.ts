import { z } from 'zod';
import type { Caller } from '../caller.ts';
import type { CommandCall, Idempotency } from '../commands.ts';
import type { Context } from '../context.ts';
import { assertJson, hasBody, parseJsonBody, readBody, STANDARD_BODY_LIMIT } from './body.ts';
import { invalid, notFound } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { parseOrRefuse } from './faults.ts';
import { assertKeyNotReused, idempotencyOf } from './idempotency.ts';
import type { JsonValue } from './json-value.ts';
import { preferredWait } from './prefer.ts';
import { parseQuery } from './query.ts';
import type { AnyRoute, Audience, Method, RouteRequest } from './route.ts';

type Request = RouteRequest<Audience, unknown, unknown, unknown>;

const withBody: ReadonlySet<Method> = new Set(['post', 'patch', 'put']);
const NoBody = z.strictObject({});

/**
 * Turns a request into what the handler of its route takes.
 * @throws CarnetError UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, VALIDATION_ERROR, IDEMPOTENCY_KEY_REUSED, in the decided order
 */
export async function guarded(
  context: Context,
  route: AnyRoute,
  exchange: Exchange,
  { params, caller }: { params: Record<string, string>; caller: Caller | null },
): Promise<Request> {
  const takesBody = withBody.has(route.method);
  const json = takesBody ? await bodyOf(route, exchange) : undefined;
  const idempotency =
    takesBody && caller !== null ? idempotencyOf(exchange.request.headers['idempotency-key'] as string | undefined, {
      method: exchange.method,
      path: exchange.path,
      body: json ?? {},
    }) : null;
  try {
    assertNoNul(params);
    return new GuardedRequest(context, exchange, {
      caller,
      idempotency,
      params: route.params === undefined ? undefined : paramsOf(route.params, params),
      query: route.query === undefined ? undefined : parseOrRefuse(route.query, parseQuery(exchange.search), 'query.'),
      body: takesBody ? parseOrRefuse(route.body ?? NoBody, json) : undefined,
    });
  } catch (refusal) {
    if (idempotency !== null && caller !== null) await assertKeyNotReused(context, caller, idempotency);
    throw refusal;
  }
}

/** No body at all is `{}` (decisions §3.8 "Answers"), so that what is required is named. */
async function bodyOf(route: AnyRoute, { request }: Exchange): Promise<JsonValue> {
  if (!hasBody(request)) return {};
  const bytes = await readBody(request, route.bodyLimit ?? STANDARD_BODY_LIMIT);
  if (bytes.length === 0) return {};
  assertJson(request);
  return parseJsonBody(bytes);
}

function assertNoNul(params: Record<string, string>): void {
  for (const name in params) {
    if (params[name]?.includes('\0')) throw invalid({ path: `path.${name}`, code: 'nul', message: 'must not contain NUL' });
  }
}

/** An id that cannot be one is the id of nothing. */
function paramsOf(schema: z.ZodType, params: Record<string, string>): unknown {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw notFound('thing');
  return parsed.data;
}

interface Parsed {
  caller: Caller | null;
  idempotency: Idempotency | null;
  params: unknown;
  query: unknown;
  body: unknown;
}

class GuardedRequest implements Request {
  readonly context: Context;
  readonly caller: Caller | null;
  readonly call: CommandCall | null;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly #exchange: Exchange;
  #abort: AbortController | undefined;

  constructor(context: Context, exchange: Exchange, { caller, idempotency, params, query, body }: Parsed) {
    this.context = context;
    this.caller = caller;
    this.call = caller === null ? null : { caller, operation: exchange.operation, idempotency, requestId: exchange.requestId };
    this.params = params;
    this.query = query;
    this.body = body;
    this.#exchange = exchange;
  }

  /** A property, so that handlers may take it apart from the request. */
  readonly header = (name: string): string | undefined => {
    const value = this.#exchange.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };

  get preferWait(): number | null {
    return preferredWait(this.header('prefer'));
  }

  /** Made when it is asked for: few handlers wait. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = (this.#abort = new AbortController());
      const { response } = this.#exchange;
      if (response.destroyed) abort.abort();
      else response.once('close', () => abort.abort());
    }
    return this.#abort.signal;
  }
}
