import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { Answer, Answered, CommandCall } from '../commands/command.ts';
import type { Context } from '../context/context.ts';
import type { CarnetError } from '../errors/carnet-error.ts';
import type { ErrorCode } from '../errors/codes.ts';
import type { PreparedJson } from '../json/prepared.ts';
import type { JsonValue } from '../json/value.ts';
import type { Audience } from './auth/audience.ts';
import type { Tag } from './openapi/tags.ts';

/** Twice what the largest body of a few fields counts (changing a connection of a hundred scopes: 248). */
export const STANDARD_VALUES = 500;
/** `maxValues` of a route that takes JSON of the caller's own, or long lists: 12 ms at most to parse, check and hash 1 MiB (decision C22). */
export const MANY_VALUES = 25_000;

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

/** A handler is given this: everything is parsed, and the credential fits the audience. */
export interface RouteRequest<A extends Audience, Params, Query, Body, Found = undefined> {
  context: Context;
  caller: A extends 'public' ? null : Caller;
  /** For `runCommand`: caller, operation, Idempotency-Key and request id of this call. */
  call: A extends 'public' ? null : CommandCall;
  params: Params;
  query: Query;
  body: Body;
  /** The result that `receiver.admit` has found; undefined where the route has no receiver. */
  found: Found;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /** All request headers by their lower-case names, each as often as it was sent. */
  headers: NodeJS.ReadOnlyDict<string[]>;
  /** Which of these media types the Accept header prefers; the first where it has none of them. */
  preferredType<Type extends string>(...offers: [Type, ...Type[]]): Type;
  /** The id of this request, for a command without a `call`. */
  requestId: string;
  /** Seconds of `Prefer: wait=N`, 1 to 60; null where absent. Answering it is the handler's (Preference-Applied by `applied`). */
  preferWait: number | null;
  /** The block of addresses that the request comes from, as rate limits count it. */
  network: string;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
  /** Calls another route as this caller. */
  callRoute: CallRoute;
}

/** The parts of a request by HTTP, as a page of a person or a door of another protocol has them. */
export interface RouteInput {
  /** By the names in the path of the route. */
  params?: Readonly<Record<string, string>>;
  /** As an address has them. */
  query?: Readonly<Record<string, string | readonly string[]>>;
  body?: JsonValue;
  /** An Idempotency-Key, for what may be sent twice. */
  key?: string | undefined;
  /** The id of an approval that a person gave for this request. */
  approval?: string;
  /** Seconds of `Prefer: wait=N`. */
  wait?: number | undefined;
}

/** The answer of a route, as its clients read it. */
export interface RouteReply<Body> {
  status: number;
  body: Body;
  /** The pages beside this one of a list. */
  links: Links;
  /** It is what a command answered before, under the same Idempotency-Key. */
  replayed: boolean;
}

/**
 * Calls a route within the process: with the audience, the schemas, the handler and the audit of the same call by HTTP, so that who calls it has
 * no rules of its own.
 * @throws CarnetError as the call would be refused
 */
export type CallRoute = <
  A extends Audience,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(
  route: Route<A, Params, Query, Body, Reply>,
  input?: RouteInput,
) => Promise<RouteReply<z.output<Reply>>>;

/** Neighbouring pages (RFC 8288): the query parameters by which each differs from the request. */
export type Links = { [relation in 'prev' | 'next']?: Record<string, string | number> };

/** An answer of a handler; commands give an `Answered`, reads an `Answer`, a read that keeps its answers a `PreparedAnswer`. */
export type RouteAnswer<Body> = (Answer<Body> | Answered<Body> | PreparedAnswer<Body> | BytesAnswer) & {
  headers?: Record<string, string>;
  links?: Links;
};

/** A 200 whose body is sent as it is: made by `prepareJson` earlier, or written elsewhere (`writtenText`). */
export interface PreparedAnswer<Body> {
  status: 200;
  prepared: PreparedJson<Body>;
  /** Where it is not that of the route: one of its `alternatives`, which may have parameters. */
  mediaType?: string;
}

/** An answer whose body is bytes: of a route with such a media type, of an alternative, or of a door. */
export interface BytesAnswer {
  status: number;
  bytes: Buffer;
  /** Where it is not that of the route. */
  mediaType?: string;
}

/** A request that the service makes to a receiver of its users; for the document. */
export interface SentWebhook {
  /** The name among the webhooks of the document. */
  name: string;
  /** Its operationId, camelCase; as that of an operation, it is the only one of its kind. */
  operation: string;
  summary: string;
  description: string;
  headers: z.ZodObject;
  body: z.ZodObject;
  example: Record<string, unknown>;
}

export interface Route<
  A extends Audience = Audience,
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  Found = unknown,
> {
  method: Method;
  /** With `:name` segments, e.g. `/v1/skills/:id/invoke`. */
  path: string;
  /** operationId of the OpenAPI document, camelCase; also the prefix of fault points. */
  operation: string;
  /** The domain, as the OpenAPI document shows it. */
  tag: Tag;
  summary: string;
  /** The rest that a caller must know, in Markdown; the check of the document asks for it. */
  description?: string;
  audience: A;
  params?: Params;
  /** Unknown query parameters are ignored. */
  query?: Query;
  /** A strict object: unknown properties are 400. Absent: no body, or `{}`. */
  body?: Body;
  /**
   * Requests a minute of one address of the network at most, besides the limits that every route has; in proportion to
   * ANONYMOUS_RATE_LIMIT_PER_MINUTE, whose standard it stands beside.
   */
  callsPerMinute?: number;
  /** Bytes of body at most; 1 MiB unless this says otherwise. */
  bodyLimit?: number;
  /** Values in the body at most, as `assertFewValues` counts them; `STANDARD_VALUES` unless this says otherwise. */
  maxValues?: number;
  /** Containers inside one another in the body at most; `MAX_JSON_DEPTH` unless this says otherwise. */
  maxDepth?: number;
  status: 200 | 201 | 202;
  /** The same body may come under this one as well: what takes its time, or was there already. */
  otherStatus?: 200 | 202;
  /** The answer is parsed by it on the way out, so nothing leaves that is not named. */
  reply: Reply;
  /**
   * The refusals beyond those that every route like it shares (`refusals.ts`). Outside of production one that is missing here is answered
   * with 500, so that the OpenAPI document names all.
   */
  refusals?: readonly ErrorCode[];
  /** An example of the body, for the document, which has one of each body that is JSON; the answer's example comes from its schema's `.meta({ example })`. */
  example?: z.input<Body>;
  /** GET only: answer `ETag` and 304, with this Cache-Control. */
  cache?: string;
  /** The handler honours `preferWait`; for the document. */
  waits?: true;
  /** Where else than below /v1 it answers (RFC 8615), e.g. `/.well-known/jwks.json`. */
  alias?: string;
  /** Pages of any origin may read the answer (CORS); of public routes alone. */
  anyOrigin?: true;
  /** The answer's media type where it is not JSON; the reply is then the text that is sent. */
  mediaType?: string;
  /** Media types in which it answers as well: the handler chooses by `preferredType` and sends a `PreparedAnswer`. */
  alternatives?: readonly string[];
  /** Takes `application/x-www-form-urlencoded` as well: every member is a text. */
  takesForms?: true;
  /**
   * Takes the bytes as they came, no matter what they are said to be: what is signed is the bytes. `body` is then `SignedBodySchema`. What stands
   * here is for the document.
   */
  takesSigned?: {
    /** As senders name what they send. */
    mediaTypes: readonly string[];
    /** The headers that sign. */
    headers: z.ZodObject;
  };
  /**
   * Says whom a signed request is sent to. Calls to one, from one block of addresses, are counted together and are
   * `callsPerMinute` at most; they share connections, and the bytes that may be in flight.
   */
  receiver?: {
    of(params: Record<string, string>): string;
    /**
     * Called before the body is read. @returns bytes of body at most, whose share of the bytes in flight it takes, and what it has found
     *   about whom the request is sent to, for the handler
     * @throws CarnetError where nobody takes it
     */
    admit(context: Context, params: Record<string, string>): Promise<{ limit: number; owner: string; found: Found }>;
  };
  /** The request that the service makes because of it, if the document is to have it. */
  sends?: readonly SentWebhook[];
  /** Whether a read with this query takes long, or one that is a POST, with this body: it is done in one of the places for such reads, and counts as processor time. */
  isHeavy?(query: z.output<Query>, body: z.output<Body>): boolean;
  /** A POST that changes nothing: Idempotency-Key means nothing there. */
  readsOnly?: true;
  /** It speaks another protocol than REST: it stands beside /v1, and not in the OpenAPI document. */
  door?: Door;
  handler(
    request: RouteRequest<A, z.output<Params>, z.output<Query>, z.output<Body>, Found>,
  ): Promise<RouteAnswer<z.input<Reply>>>;
}

/** The rules of a protocol about requests that are judged before a handler sees them. */
export interface Door {
  /** Called before anybody is asked for a credential. @throws CarnetError ORIGIN_FORBIDDEN */
  guard(headers: IncomingHttpHeaders): void;
  /** The body of a refusal, as JSON, from the problem that a route would answer. */
  refusal(error: CarnetError, problem: Record<string, unknown>): unknown;
}

/** Declares a route: one object for the guard, the handler and the OpenAPI document. */
export const route = <
  A extends Audience,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Reply extends z.ZodType = z.ZodUndefined,
  Found = undefined,
>(
  definition: Route<A, Params, Query, Body, Reply, Found>,
): Route<A, Params, Query, Body, Reply, Found> => definition;

/** Any route; `src/process/routes.ts` collects those of all domains. */
export type AnyRoute = Route;

/** Whether requests of this route may have a body: without a schema for it, none or `{}`. */
export const takesBody = ({ method }: Pick<AnyRoute, 'method'>): boolean =>
  method === 'post' || method === 'patch' || method === 'put';

/** Whether Idempotency-Key means something here. */
export const takesKey = (anyRoute: Pick<AnyRoute, 'method' | 'audience' | 'readsOnly'>): boolean =>
  takesBody(anyRoute) && anyRoute.audience !== 'public' && anyRoute.readsOnly !== true;
