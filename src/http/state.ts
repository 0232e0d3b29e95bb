import type { ParameterizedContext } from 'koa';
import type { Caller } from '../commands/caller.ts';
import type { Idempotency } from '../commands/command.ts';
import type { Context } from '../context/context.ts';
import type { CarnetError } from '../errors/carnet-error.ts';
import type { ErrorCode } from '../errors/codes.ts';
import type { JsonValue } from '../json/value.ts';
import type { Credential } from './auth/credential.ts';
import type { Html } from './pages/html.ts';
import type { AnyRoute } from './route.ts';

/** `ctx.state` of every request, from the first middleware on. */
export interface Recorded {
  requestId: string;
  traceId: string | undefined;
  /** operationId of the route or name of the page; `none` where no route was found. */
  operation: string;
  /** The request is for a page that people open in browsers. */
  forPeople?: true;
  /** Shows a refusal of the page to who is signed in, with the navigation of the page. */
  frame?: (content: { title: string; body: Html }) => { body: string | Buffer };
  /** Told the bytes of the answer once it is there, of a refusal too. */
  answered?: (bytes: number) => void;
  operatorId: string | undefined;
  /** The credential that was shown, by its id; undefined where none was valid. */
  credentialId: string | undefined;
  /** The agent whose credential it is; undefined where it is no agent's. */
  agentId: string | undefined;
  /** The code of the refusal. */
  refused: ErrorCode | undefined;
  /** The answer is that of a command, so something has changed. */
  commanded: boolean;
}

/** `ctx.state` from `routing` on: the request is one of this route. */
export interface Routed extends Recorded {
  route: AnyRoute;
  /** The path of the request, in the one spelling that all spellings of it have here. */
  path: string;
  /** As the path has them, decoded. */
  params: Record<string, string>;
}

/** From `authentication` on. */
export interface Authenticated extends Routed {
  /** Null for a public route, and where the credential is refused. */
  credential: Credential | null;
  /** Why the credential is refused; thrown by `admission`, since such a request is counted first. */
  unauthenticated: CarnetError | undefined;
  /** The request is counted by its address already. */
  counted: boolean;
  /** Bytes of its body, once it has been read. */
  bodyBytes?: number;
}

/** From `admission` on. */
export interface Admitted extends Authenticated {
  /** Null for a public route. */
  caller: Caller | null;
}

/** From `fairUse` on. */
export interface Sharing extends Admitted {
  /** The context that the request is worked on with: its connections are those that the caller has a share of. */
  context: Context;
}

/** From `receiving` on. */
export interface Received extends Sharing {
  /** Bytes of body at most, where its receiver has a limit of its own. */
  bodyLimit?: number;
  /** The body takes this owner's share of the bytes in flight, where that is whom the request is sent to. */
  bodyOwner?: string;
  /** The result that the route's receiver has found about whom the request is sent to. */
  found?: unknown;
}

/** From `body` on. */
export interface Sent extends Received {
  /** JSON or a form as it was read; the bytes where the route takes what somebody signed; undefined for a method without a body. */
  sent: JsonValue | Buffer | undefined;
}

/** From `idempotency` on. */
export interface Keyed extends Sent {
  idempotency: Idempotency | null;
}

/** From `validation` on. */
export interface Validated extends Keyed {
  values: { params: unknown; query: unknown; body: unknown };
}

/** A Koa middleware that needs this state to be set by those before it. */
export type Middleware<State> = (ctx: ParameterizedContext<State>, next: () => Promise<void>) => Promise<void> | void;
