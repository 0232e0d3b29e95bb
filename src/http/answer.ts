import type { ParameterizedContext } from 'koa';
import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { CommandCall } from '../commands/command.ts';
import type { Context } from '../context/context.ts';
import { etagOf } from '../json/prepared.ts';
import type { JsonValue } from '../json/value.ts';
import { metrics } from '../metrics/metrics.ts';
import { addressBlock, clientAddress } from './addresses.ts';
import { preferredWait } from './prefer.ts';
import type { Audience } from './auth/audience.ts';
import { routeCaller } from './call-route.ts';
import type { HeavyReads } from './heavy-reads.ts';
import { takesKey, type AnyRoute, type CallRoute, type Links, type RouteRequest } from './route.ts';
import type { Middleware, Validated } from './state.ts';

const replays = metrics.counter(
  'carnet_answers_replayed',
  'Commands that were answered from what their Idempotency-Key had kept',
);

type Ctx = ParameterizedContext<Validated>;

/**
 * Calls the handler of the route and answers what it returns, parsed by the reply schema, so that nothing leaves that is not named there.
 * @throws ZodError where the handler returned something else: a fault of ours
 */
export const answer =
  (heavy: HeavyReads): Middleware<Validated> =>
  async (ctx) => {
    const { route } = ctx.state;
    const answered = await route.handler(new HandlerRequest(ctx, heavy));
    const prepared = 'prepared' in answered ? answered.prepared : undefined;
    const content =
      'bytes' in answered
        ? answered.bytes
        : (prepared?.text ??
          textOf(route, {
            body: 'body' in answered ? answered.body : undefined,
            replayed: 'replayed' in answered && answered.replayed,
          }));
    const mediaType = ('mediaType' in answered ? answered.mediaType : undefined) ?? route.mediaType;
    ctx.status = answered.status;
    ctx.set('Content-Type', mediaType ?? 'application/json');
    ctx.set('Cache-Control', route.cache ?? 'no-store');
    if (route.alternatives !== undefined) ctx.set('Vary', 'Accept');
    if ('location' in answered && answered.location !== undefined) ctx.set('Location', answered.location);
    if ('replayed' in answered) {
      ctx.state.commanded = true;
      if (answered.replayed) {
        replays.add(1);
        ctx.set('Idempotency-Replayed', 'true');
      }
    }
    if (answered.links !== undefined) setLinks(ctx, answered.links);
    if (answered.headers !== undefined) ctx.set(answered.headers);
    if (route.cache !== undefined && isKnown(ctx, prepared?.etag ?? etagOf(content))) ctx.status = 304;
    else ctx.body = content;
  };

function textOf({ reply, mediaType }: AnyRoute, { body, replayed }: { body: unknown; replayed: boolean }): string {
  const parsed = (replayed ? whatFits(reply, body) : undefined) ?? reply.parse(body);
  return mediaType === undefined ? JSON.stringify(parsed) : String(parsed);
}

/**
 * An answer that was kept under an Idempotency-Key may be of the release before, without members that answers have now: it is sent as it
 * was, with those of its members that are still named, at any depth. Undefined where nothing fits.
 */
function whatFits(schema: z.core.$ZodType, value: unknown): unknown {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return whatFits(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((one) => whatFits(schema.element, one));
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return undefined;
  const had = value as Record<string, unknown>;
  const members = Object.entries<z.core.$ZodType>(schema.shape);
  return Object.fromEntries(members.map(([name, member]) => [name, whatFits(member, had[name])]));
}

/** RFC 8288, with paths: clients resolve them against the request, no matter which proxy stands before us. */
function setLinks(ctx: Ctx, links: Links): void {
  const parts = Object.entries(links).map(([relation, parameters]) => {
    const query = new URLSearchParams(ctx.querystring);
    for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
    return `<${ctx.path}?${query.toString()}>; rel="${relation}"`;
  });
  if (parts.length > 0) ctx.set('Link', parts.join(', '));
}

/**
 * Sets the ETag. Koa's `ctx.fresh` would be false under `Cache-Control: no-cache`, which fetch adds to a request with If-None-Match.
 * @returns whether If-None-Match has it: weak comparison, a list or `*` (RFC 9110 §13.1.2)
 */
export function isKnown(ctx: Pick<Ctx, 'req' | 'set'>, etag: string): boolean {
  ctx.set('ETag', etag);
  const { 'if-none-match': known } = ctx.req.headers;
  return known !== undefined && known.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));
}

/** Which of these media types the client prefers; the first where it has no preference, and where it takes none of them. */
export function preferredType<Type extends string>(ctx: Pick<Ctx, 'accepts'>, offers: [Type, ...Type[]]): Type {
  const accepted = ctx.accepts(...offers);
  return offers.find((offer) => offer === accepted) ?? offers[0];
}

class HandlerRequest implements RouteRequest<Audience, unknown, unknown, unknown, unknown> {
  readonly context: Context;
  readonly caller: Caller | null;
  readonly call: CommandCall | null;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly found: unknown;
  readonly #ctx: Ctx;
  readonly #heavy: HeavyReads;
  #abort: AbortController | undefined;

  constructor(ctx: Ctx, heavy: HeavyReads) {
    const { context, caller, values, found } = ctx.state;
    this.context = context;
    this.caller = caller;
    this.call = caller === null ? null : callOf(ctx, caller);
    this.params = values.params;
    this.query = values.query;
    this.body = values.body;
    this.found = found;
    this.#ctx = ctx;
    this.#heavy = heavy;
  }

  /** A property, so that handlers may take it apart from the request. */
  readonly header = (name: string): string | undefined => {
    const value = this.#ctx.req.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };

  get headers(): NodeJS.ReadOnlyDict<string[]> {
    return this.#ctx.req.headersDistinct;
  }

  preferredType<Type extends string>(...offers: [Type, ...Type[]]): Type {
    return preferredType(this.#ctx, offers);
  }

  get requestId(): string {
    return this.#ctx.state.requestId;
  }

  get network(): string {
    return addressBlock(clientAddress(this.#ctx.req, this.context.config.trustProxyHops), 48);
  }

  get preferWait(): number | null {
    return preferredWait(this.header('prefer'));
  }

  /** Made when it is needed: few handlers wait. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = (this.#abort = new AbortController());
      const { res } = this.#ctx;
      if (res.destroyed) abort.abort();
      else res.once('close', () => abort.abort());
    }
    return this.#abort.signal;
  }

  /** A public route has looked at no credential, so it has none to call with. */
  get callRoute(): CallRoute {
    const { credential } = this.#ctx.state;
    if (credential === null) throw new Error('A public route calls no other as its caller.');
    const { context, requestId, network, signal } = this;
    const call = routeCaller({ context, credential, requestId, network, signal, heavy: this.#heavy });
    return async (route, input) => {
      const reply = await call(route, input);
      if (takesKey(route)) this.#ctx.state.commanded = true;
      return reply;
    };
  }
}

function callOf({ state, method, req }: Ctx, caller: Caller): CommandCall {
  const { operation, path, idempotency, requestId, sent } = state;
  return {
    caller,
    operation,
    idempotency,
    requestId,
    request: {
      method,
      path,
      body: (sent ?? {}) as JsonValue,
      approvalId: req.headers['x-governance-approval'] as string | undefined,
    },
  };
}
