import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { CommandCall, Idempotency } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { assertJson, hasBody, isForm, parseFormBody, parseJsonBody, readBody, STANDARD_BODY_LIMIT } from './body.ts';
import { invalid, notFound } from '../errors/carnet-error.ts';
import type { Exchange } from './exchange.ts';
import { parseOrRefuse } from '../errors/faults.ts';
import { assertKeyNotReused, idempotencyOf } from './idempotency.ts';
import type { JsonValue } from '../json/value.ts';
import { preferredWait } from './prefer.ts';
import { parseQuery } from './query.ts';
import { takesKey, type AnyRoute, type Audience, type RouteRequest } from './route.ts';

type Request = RouteRequest<Audience, unknown, unknown, unknown>;

const NoBody = z.strictObject({});

/** Who asks, and where the path led. */
interface Admitted {
  params: Record<string, string>;
  caller: Caller | null;
}

/**
 * Turns a request without a body into what the handler of its route takes.
 * @throws CarnetError VALIDATION_ERROR, NOT_FOUND
 */
export function guarded(context: Context, route: AnyRoute, exchange: Exchange, admitted: Admitted): Request {
  return new GuardedRequest(
    context,
    exchange,
    admitted.caller,
    null,
    parsed(route, exchange, admitted.params, undefined),
    {},
  );
}

/**
 * The same with a body, in the decided order: size, media type, JSON, Idempotency-Key, and only then what it means.
 * @throws CarnetError BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR, IDEMPOTENCY_KEY_REUSED, NOT_FOUND
 */
export async function guardedWithBody(
  context: Context,
  route: AnyRoute,
  exchange: Exchange,
  { params, caller }: Admitted,
): Promise<Request> {
  const { request } = exchange;
  const bytes = hasBody(request) ? await readBody(request, route.bodyLimit ?? STANDARD_BODY_LIMIT) : undefined;
  if (route.takesSigned === true) {
    const values = parsed(route, exchange, params, bytes ?? Buffer.alloc(0));
    return new GuardedRequest(context, exchange, caller, null, values, {});
  }
  const body = jsonOf(request, route, bytes);
  const key = takesKey(route) ? request.headers['idempotency-key'] : undefined;
  const idempotency = idempotencyOf(key as string | undefined, { method: exchange.method, path: exchange.path, body });
  try {
    return new GuardedRequest(context, exchange, caller, idempotency, parsed(route, exchange, params, body), body);
  } catch (refusal) {
    if (idempotency !== null && caller !== null) await assertKeyNotReused(context, caller, idempotency);
    throw refusal;
  }
}

function parsed(
  route: AnyRoute,
  { search }: Exchange,
  params: Record<string, string>,
  body: JsonValue | Buffer | undefined,
): Parsed {
  assertNoNul(params);
  return {
    params: route.params === undefined ? undefined : paramsOf(route.params, params),
    query: route.query === undefined ? undefined : parseOrRefuse(route.query, parseQuery(search), 'query.'),
    body: body === undefined ? undefined : parseOrRefuse(route.body ?? NoBody, body),
  };
}

/** No body at all is `{}` (decisions §3.8 "Answers"), so that what is required is named. */
function jsonOf(request: IncomingMessage, { takesForms }: AnyRoute, bytes: Buffer | undefined): JsonValue {
  if (bytes === undefined || bytes.length === 0) return {};
  if (takesForms === true && isForm(request)) return parseFormBody(bytes);
  assertJson(request);
  return parseJsonBody(bytes);
}

function assertNoNul(params: Record<string, string>): void {
  for (const name in params) {
    if (params[name]?.includes('\0'))
      throw invalid({ path: `path.${name}`, code: 'nul', message: 'must not contain NUL' });
  }
}

/** An id that cannot be one is the id of nothing. */
function paramsOf(schema: z.ZodType, params: Record<string, string>): unknown {
  const { success, data } = schema.safeParse(params);
  if (!success) throw notFound('thing');
  return data;
}

interface Parsed {
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

  constructor(
    context: Context,
    exchange: Exchange,
    caller: Caller | null,
    idempotency: Idempotency | null,
    values: Parsed,
    sent: JsonValue,
  ) {
    this.context = context;
    this.caller = caller;
    this.call =
      caller === null
        ? null
        : {
            caller,
            operation: exchange.operation,
            idempotency,
            requestId: exchange.requestId,
            request: {
              method: exchange.method,
              path: exchange.path,
              body: sent,
              approvalId: exchange.request.headers['x-governance-approval'] as string | undefined,
            },
          };
    this.params = values.params;
    this.query = values.query;
    this.body = values.body;
    this.#exchange = exchange;
  }

  /** A property, so that handlers may take it apart from the request. */
  readonly header = (name: string): string | undefined => {
    const value = this.#exchange.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };

  get requestId(): string {
    return this.#exchange.requestId;
  }

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
