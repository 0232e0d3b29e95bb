import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StripeBooks, StripeRefusal, pricesOfTests } from './stripe-books.ts';
import { formOf } from './stripe-form.ts';
import { startStripeMock } from './stripe-mock.ts';

/** One call that arrived. */
export interface StripeCall {
  method: string;
  /** `/v1/checkout/sessions`, without its query. */
  path: string;
  body: string;
  idempotencyKey: string | null;
  /** The status that was answered; null: the connection was dropped instead. */
  status: number | null;
}

/**
 * The fault of the next call that matches. `drop`: Stripe does it, and the answer is lost; `lose`: the call
 * never reaches Stripe; `garbage`: Stripe does it, and the answer is not JSON; a number: this status as the answer, and
 * Stripe does nothing; `until`: the answer is held back until the test releases it; `late`: the answer is lost, and Stripe does it once the test
 * releases it; `kept`: Stripe does nothing, and answers this to every call under the same key, as it does for a day.
 */
export interface StripeFault {
  /** The call, e.g. `POST /v1/refunds`; absent: any call. */
  on?: RegExp;
  how:
    | 'drop'
    | 'lose'
    | 'garbage'
    | number
    | { until: Promise<void> }
    | { late: Promise<void> }
    | { kept: number; code: string };
}

export interface StripeProxy {
  /** The value for STRIPE_API_BASE. */
  apiBase: string;
  books: StripeBooks;
  calls: StripeCall[];
  /** Faults of the next calls; each is used once, in this order. */
  faults: StripeFault[];
  /** The recorded calls, e.g. to `POST /v1/refunds`. */
  callsTo(what: string): StripeCall[];
  /** Makes a day pass: objects stay, their idempotency keys are forgotten. */
  forgetKeys(): void;
  stop(): Promise<void>;
}

interface Kept {
  fingerprint: string;
  answer: Promise<Answer>;
}

interface Answer {
  status: number;
  body: string;
}

/** stripe-mock has no accounts, but a key must look like one of Stripe's. */
const JUDGED_AS = 'Bearer sk_test_123';

const errorBody = (type: string, code: string, param: string | null = null): string =>
  JSON.stringify({ error: { type, code, message: `${code} (of the tests)`, ...(param !== null && { param }) } });

/** The settings of an instance that uses this Stripe. */
export const stripeEnvironment = ({ apiBase }: Pick<StripeProxy, 'apiBase'>): Record<string, string> => ({
  STRIPE_SECRET_KEY: 'sk_test_ofthetests',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
  STRIPE_API_BASE: apiBase,
  STRIPE_PRICE_DEVELOPER: pricesOfTests.developer.join(),
  STRIPE_PRICE_PRO: pricesOfTests.pro.join(),
  STRIPE_PRICE_BUSINESS: pricesOfTests.business.join(),
  STRIPE_PRICE_SEAT: pricesOfTests.seat.join(),
});

/**
 * Stripe for tests, over real sockets: stripe-mock checks every call against Stripe's OpenAPI, the books store what was
 * created, a repeated key gets its first answer, every call is recorded, and the test chooses what goes wrong on the
 * way.
 * @param program of `stripeMock()`
 */
export async function startStripeProxy(program: string): Promise<StripeProxy> {
  const mock = await startStripeMock(program);
  const books = new StripeBooks();
  const calls: StripeCall[] = [];
  const faults: StripeFault[] = [];
  const kept = new Map<string, Kept>();

  const act = async (request: IncomingMessage, body: string): Promise<Answer> => {
    const { method = 'GET', headers } = request;
    const judged = await fetch(mock.apiBase + (request.url ?? ''), {
      method,
      headers: {
        authorization: headers.authorization === undefined ? '' : JUDGED_AS,
        'content-type': headers['content-type'] ?? 'application/x-www-form-urlencoded',
      },
      ...(method !== 'GET' && { body }),
    });
    const text = await judged.text();
    if (!judged.ok) return { status: judged.status, body: text };
    const { pathname, searchParams } = new URL(request.url ?? '', mock.apiBase);
    try {
      const made = books.act(method, pathname, { query: searchParams, form: formOf(body) });
      return { status: 200, body: JSON.stringify({ ...(JSON.parse(text) as object), ...made }) };
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return { status: error.status, body: errorBody('invalid_request_error', error.code, error.param) };
    }
  };

  const fingerprintOf = (request: IncomingMessage, body: string): string =>
    createHash('sha256').update(`${request.url} ${body}`).digest('hex');

  /**
   * As with Stripe: the same call gets the same answer, another call is refused, and what was refused may be tried
   * again.
   * @param begin when Stripe begins to act
   */
  const actOnce = async (
    request: IncomingMessage,
    body: string,
    begin = Promise.resolve(),
  ): Promise<Answer & { replayed: boolean }> => {
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string' || request.method !== 'POST') return { ...(await act(request, body)), replayed: false };
    const fingerprint = fingerprintOf(request, body);
    const earlier = kept.get(key);
    if (earlier !== undefined && earlier.fingerprint !== fingerprint) {
      return { status: 400, body: errorBody('idempotency_error', 'idempotency_key_reused'), replayed: false };
    }
    if (earlier !== undefined) return { ...(await earlier.answer), replayed: true };
    const answer = begin.then(() => act(request, body));
    kept.set(key, { fingerprint, answer });
    const { status, body: text } = await answer;
    if (status >= 400) kept.delete(key);
    return { status, body: text, replayed: false };
  };

  const faultFor = (call: StripeCall): StripeFault['how'] | undefined => {
    const index = faults.findIndex(({ on }) => on === undefined || on.test(`${call.method} ${call.path}`));
    return index < 0 ? undefined : faults.splice(index, 1)[0]?.how;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = (request.url ?? '').split('?')[0] ?? '';
    const idempotencyKey = (request.headers['idempotency-key'] as string | undefined) ?? null;
    const call: StripeCall = { method: request.method ?? 'GET', path, body, idempotencyKey, status: null };
    calls.push(call);
    const fault = faultFor(call);
    if (fault === 'lose') return void request.socket.destroy();
    if (typeof fault === 'number') {
      call.status = fault;
      response.writeHead(fault, { 'content-type': 'application/json' }).end(errorBody('api_error', 'of_the_tests'));
      return;
    }
    if (typeof fault === 'object' && 'late' in fault) {
      request.socket.destroy();
      await actOnce(request, body, fault.late);
      return;
    }
    if (typeof fault === 'object' && 'kept' in fault && idempotencyKey !== null) {
      const refusal = { status: fault.kept, body: errorBody('invalid_request_error', fault.code) };
      kept.set(idempotencyKey, { fingerprint: fingerprintOf(request, body), answer: Promise.resolve(refusal) });
      call.status = fault.kept;
      response.writeHead(fault.kept, { 'content-type': 'application/json' }).end(refusal.body);
      return;
    }
    const { status, body: text, replayed } = await actOnce(request, body);
    if (fault === 'drop') return void request.socket.destroy();
    if (typeof fault === 'object' && 'until' in fault) await fault.until;
    call.status = status;
    response.writeHead(status, {
      'content-type': 'application/json',
      'request-id': `req_${calls.length}`,
      ...(replayed && { 'idempotent-replayed': 'true' }),
    });
    response.end(fault === 'garbage' ? '<html>not what you requested' : text);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    apiBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    books,
    calls,
    faults,
    callsTo: (what) => calls.filter(({ method, path }) => `${method} ${path}` === what),
    forgetKeys: () => kept.clear(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await mock.stop();
    },
  };
}
