import type { IncomingHttpHeaders } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import type { SharedPool } from '../../database/shared-pool.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import type { JsonValue } from '../../json/value.ts';
import { addressBlock, clientAddress } from '../addresses.ts';
import { UNCOUNTED, type Authentication, type LookUps } from '../auth/authentication.ts';
import { unauthenticated, type Credential } from '../auth/credential.ts';
import { createOriginCheck } from '../auth/same-origin.ts';
import { readForm, STANDARD_FORM_BYTES } from '../body.ts';
import { routeCaller } from '../call-route.ts';
import type { HeavyReads } from '../heavy-reads.ts';
import type { HeldBodies } from '../held-bodies.ts';
import { parseQuery } from '../query.ts';
import { countedAs, type LimitedCall, type RateLimit, type RateLimits } from '../rate-limit.ts';
import { noteCaller } from '../records.ts';
import type { CallRoute } from '../route.ts';
import { sendMethods } from '../routing.ts';
import type { Middleware, Recorded } from '../state.ts';
import { isFromThisMachine } from '../this-machine.ts';
import { PageTable, sendPage, type FoundPage, type Page } from './page.ts';

/** Somebody opens a page in a browser, or sends its form. */
export interface Visit {
  /** The value that the address has where the path of the page has `:id`; '' for pages without. */
  id: string;
  /** The part behind the `?` of the address. */
  query: Readonly<Record<string, string | string[]>>;
  /** Its connections are those that the caller has a share of. */
  context: Context;
  requestId: string;
  /** When the page was asked for, in milliseconds: what it shows is as old as this at most. */
  begun: number;
  /** Who is signed in in this browser; null: nobody. */
  person: Credential | null;
  headers: IncomingHttpHeaders;
  /** The block of addresses that the request comes from, as codes are counted by. */
  network: string;
  /** A program on this machine asks, a browser say, and nobody is in between. */
  fromThisMachine: boolean;
  /** From now on a refusal of the page is shown in this frame. */
  refuseIn(frame: NonNullable<Recorded['frame']>): void;
  /** The session of `person`; null: nobody is signed in, or the session has ended meanwhile. */
  session(): Promise<SignedIn | null>;
  /**
   * Calls a route as this person.
   * @throws CarnetError UNAUTHENTICATED where nobody is signed in; as the call would be refused
   */
  call: CallRoute;
}

/** Who is signed in, and for whom they act. */
export interface SignedIn {
  id: string;
  member: { id: string; email: string; role: 'owner' | 'admin' | 'member' };
  operator: { id: string; name: string };
  created_at: string;
  expires_at: string;
}

/** A visit that sends a form of the page: one text a member, several where it came several times. */
export interface Submission extends Visit {
  form: JsonValue;
}

/** A page that knows who is signed in. Its form is taken from pages of this service alone. */
export interface PeoplePage {
  /** How logs and metrics name it. */
  operation: string;
  page(visit: Visit): Promise<Page>;
  /** The act of its form, by POST; absent: the page is only read. */
  submit?(submission: Submission): Promise<Page>;
  /** The call that its form counts as, where that has a limit of its own. */
  submitsAs?: LimitedCall;
  /** Bytes of its form at most, where a person pastes long texts; 16 KiB unless this says otherwise. */
  formBytes?: number;
}

export type PathOfPeoplePage = readonly [path: string, page: PeoplePage];

/** The pages of people, and how the session of a person is read. */
export interface PagesOfPeople {
  pages: readonly PathOfPeoplePage[];
  sessionOf(context: Context, caller: Caller): Promise<SignedIn | null>;
}

interface People extends PagesOfPeople {
  heavy: HeavyReads;
  known: Authentication;
  shared: SharedPool;
  limits: RateLimits | null;
  bodies: HeldBodies;
}

/**
 * Answers the pages of people: counted by who is signed in, otherwise by the address, and with the connections that a call of the same person would have. No other
 * credential than the session cookie is looked at, since browsers send none.
 * @throws CarnetError ORIGIN_FORBIDDEN for a form that another site, or no page at all, has sent; RATE_LIMITED
 */
export function peoplePages(
  context: Context,
  { pages, sessionOf, known, shared, limits, heavy, bodies }: People,
): Middleware<Recorded> {
  const table = new PageTable(pages);
  const assertSameOrigin = createOriginCheck(context.config.publicBaseUrl);
  const { trustProxyHops } = context.config;

  /** Cookies that are no session count as in a call: each as a request of the address. */
  const lookUpsFrom = (block: string): LookUps =>
    limits === null
      ? UNCOUNTED
      : {
          begin: () => void limits.anonymous.count(block),
          found: () => limits.anonymous.giveBack(block),
        };

  const signedIn = ({ cookie }: IncomingHttpHeaders, block: string): Promise<Credential | null> =>
    known.authenticate({ cookie }, lookUpsFrom(block)).catch((error: unknown) => {
      if (error instanceof CarnetError && error.code === 'UNAUTHENTICATED') return null;
      throw error;
    });

  const visitOf = (ctx: ParameterizedContext<Recorded>, id: string, person: Credential | null): Visit => {
    const network = addressBlock(clientAddress(ctx.req, trustProxyHops), 48);
    const { requestId } = ctx.state;
    const own = { ...context, pool: shared.of(person?.caller.operatorId ?? network) };
    return {
      id,
      query: parseQuery(ctx.querystring),
      context: own,
      requestId,
      begun: Date.now(),
      person,
      headers: ctx.req.headers,
      network,
      fromThisMachine: isFromThisMachine(ctx.req, trustProxyHops),
      refuseIn: (frame) => void (ctx.state.frame = frame),
      session: async () => (person === null ? null : await sessionOf(own, person.caller)),
      async call(route, input) {
        if (person === null) throw unauthenticated('Sign in first: the session of this page has ended.');
        const { operation, callsPerMinute } = route;
        if (callsPerMinute !== undefined) count(ctx, (all) => all.of({ operation, callsPerMinute }));
        return await routeCaller({ context: own, credential: person, requestId, network, heavy })(route, input);
      },
    };
  };

  const count = (ctx: ParameterizedContext<Recorded>, limitOf: (all: RateLimits) => RateLimit): void => {
    if (limits === null) return;
    ctx.res.setHeaders(limitOf(limits).count(addressBlock(clientAddress(ctx.req, trustProxyHops))));
  };

  /** As a call: a person who is signed in has a limit of their own, no matter what else comes from their address. */
  const countVisit = (ctx: ParameterizedContext<Recorded>, person: Credential | null): void => {
    if (person === null) count(ctx, ({ anonymous }) => anonymous);
    else if (limits !== null) ctx.res.setHeaders(limits.key.requests.count(countedAs(person.caller)));
  };

  /** As a call: what a person sends counts when it is announced, what they are sent when it is there. */
  const countBytes = (person: Credential | null, announced: number): void => {
    if (person !== null) limits?.key.bytes.count(countedAs(person.caller), announced);
  };
  const countAnswer = (person: Credential | null, bytes: number): void => {
    if (person !== null) limits?.key.bytes.add(countedAs(person.caller), bytes);
  };

  const answerPage = async (ctx: ParameterizedContext<Recorded>, { page, id }: FoundPage<PeoplePage>) => {
    ctx.state.operation = page.operation;
    ctx.state.forPeople = true;
    const { submit, submitsAs, formBytes = STANDARD_FORM_BYTES } = page;
    const person = await signedIn(ctx.req.headers, addressBlock(clientAddress(ctx.req, trustProxyHops)));
    if (person !== null) noteCaller(ctx.state, person.caller);
    countVisit(ctx, person);
    const announced = Math.min(Number(ctx.req.headers['content-length'] ?? 0), formBytes);
    countBytes(person, announced);
    let unannounced = 0;
    ctx.state.answered = (bytes) => countAnswer(person, unannounced + bytes);
    if (ctx.method === 'POST' && submit !== undefined) {
      assertSameOrigin(ctx.req.headers);
      // After the origin: no page of another site uses up the limit of the network that it is opened in.
      if (submitsAs !== undefined) count(ctx, (all) => all.of(submitsAs));
      const owner = addressBlock(clientAddress(ctx.req, trustProxyHops), 48);
      const limit = person === null ? STANDARD_FORM_BYTES : formBytes;
      const read = (bytes: number): void => void (unannounced = Math.max(0, bytes - announced));
      const form = await readForm(ctx.req, bodies, { owner, limit, read });
      const done = await submit({ ...visitOf(ctx, id, person), form });
      ctx.state.commanded = done.status < 400;
      sendPage(ctx, done);
    } else if (ctx.method === 'GET' || ctx.method === 'HEAD') sendPage(ctx, await page.page(visitOf(ctx, id, person)));
    else sendMethods(ctx, { methods: submit === undefined ? ['GET'] : ['GET', 'POST'], anyOrigin: false });
  };

  return (ctx, next) => {
    const found = table.find(ctx.path);
    return found === undefined ? next() : answerPage(ctx, found);
  };
}
