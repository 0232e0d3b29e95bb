import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type Koa from 'koa';
import { CarnetError } from '../errors/carnet-error.ts';
import { problemOf } from './problems.ts';
import { requestIdOf } from './request-id.ts';

/**
 * The HTTP server of an application, with time limits against clients that send slowly: 15 s for the head, 60 s for the whole
 * request; and against clients that take nothing of their answer for 60 s, since it is kept until then. What is not HTTP at all,
 * or HTTP that Node would refuse without a body, is answered with a problem as well.
 */
export function createHttpServer(app: Koa): ApiServer {
  const handle = app.callback();
  const unanswered = new Set<ServerResponse>();
  const lingering = new Lingering();
  let stopping = false;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // Behind an answer that ends the connection: nobody is told, so nothing is done.
    if (request.socket.writableEnded) return void request.socket.destroy();
    lingering.readTo(request);
    request.url = originForm(request.url ?? '/');
    // Node's parser ends at an offer of another protocol, accepted or not: what stands behind it would never be answered.
    response.shouldKeepAlive &&= !stopping && request.headers.upgrade === undefined;
    unanswered.add(response);
    void handle(request, response).finally(() => {
      unanswered.delete(response);
      cutIfUnread(request.socket, response);
      if (!request.complete) lingering.begin(request.socket, request);
    });
  };
  const server = createServer(
    {
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false, // asked for in well-formed.ts, as expectations are
    },
    answer,
  )
    .on('checkExpectation', answer)
    .on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket as Socket, lingering));
  return Object.assign(server, {
    endConnections() {
      stopping = true;
      for (const response of unanswered) response.shouldKeepAlive = false;
    },
  });
}

/**
 * In milliseconds; half of what a client has. When it is over, Node looks whether the system took some of what was written, and then waits
 * as long once more: the buffers of the system fill when the answer begins, so a client that reads nothing at all is cut at the second look.
 */
const UNREAD = 30_000;

/**
 * Ends the connection where nothing of the answer can be written for 60 s (Node destroys a socket that times out). It counts from
 * the turn of this answer on its connection until its last byte is with the system. Then Node's own time for an idle connection
 * begins, or the turn of the next answer, whose handler may take longer.
 */
function cutIfUnread(socket: Socket, response: ServerResponse): void {
  if (response.writableFinished) return;
  const begin = (): void => void socket.setTimeout(UNREAD);
  if (response.socket === null) response.once('socket', begin);
  else begin();
  response.prependOnceListener('finish', () => socket.setTimeout(0));
}

/**
 * A connection whose client is answered and sends on is read on for as long as these allow, and what comes is thrown away: closing it immediately
 * would reset it, and the client would lose the answer. Bytes: more than the largest body. Milliseconds: half of what a request has to arrive.
 */
const LINGERING = { bytes: 16 * 1_048_576, ms: 30_000, lookEveryMs: 100 };

/** The connections whose client is answered before all that it sends has come. */
class Lingering {
  readonly #sockets = new WeakSet<Socket>();
  /** The request that a connection is at. */
  readonly #requests = new WeakMap<Socket, IncomingMessage>();

  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  /** Node ends a connection after an answer that says so, no matter how much of the request is still to come; here it is ended behind the request. */
  readTo(request: IncomingMessage): void {
    const { socket } = request;
    if (!this.#requests.has(socket)) {
      const destroySoon = socket.destroySoon.bind(socket);
      socket.destroySoon = () => {
        const last = this.#requests.get(socket);
        if (last?.complete !== false) return destroySoon();
        socket.end();
        this.begin(socket, last);
      };
    }
    this.#requests.set(socket, request);
  }

  /** Until the request is whole; without one, until the client closes the connection. */
  begin(socket: Socket, request?: IncomingMessage): void {
    if (this.#sockets.has(socket) || socket.destroyed) return;
    this.#sockets.add(socket);
    const bytesAtMost = socket.bytesRead + LINGERING.bytes;
    const until = performance.now() + LINGERING.ms;
    const end = (): void => {
      clearInterval(looking);
      this.#sockets.delete(socket);
    };
    const looking = setInterval(() => {
      const isWhole = request?.complete === true;
      if (isWhole) end();
      if (isWhole ? socket.writableEnded : socket.bytesRead > bytesAtMost || performance.now() > until)
        socket.destroy();
    }, LINGERING.lookEveryMs).unref();
    socket.once('close', end);
  }
}

export interface ApiServer extends Server {
  /** From now on every answer says `Connection: close`, and its connection ends after it. */
  endConnections(): void;
}

/** A request may name the whole address (RFC 9112 §3.2.2); what counts is the path. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url === null ? `/${target}` : url.pathname + url.search;
}

const refusals: Record<string, CarnetError> = {
  HPE_HEADER_OVERFLOW: new CarnetError(
    'HEADERS_TOO_LARGE',
    'The headers and the address of a request may have 16,384 bytes together.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new CarnetError(
    'REQUEST_TIMEOUT',
    'The request did not arrive within 60 seconds (its head within 15).',
  ),
};
const malformed = new CarnetError('VALIDATION_ERROR', 'This is not a well-formed HTTP/1.1 request.');

/** Answers what never became a request, or stopped being one; no second time, nor where its request is answered already. */
function refuse(error: NodeJS.ErrnoException, socket: Socket, lingering: Lingering): void {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  // The bytes that its client still sends are no request either, until it is told.
  if (lingering.has(socket)) return;
  if (!socket.writable) return void socket.destroy();
  const refusal = refusals[error.code ?? ''] ?? malformed;
  const body = JSON.stringify(problemOf(refusal, { path: '', requestId: requestIdOf(undefined, undefined) }));
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  lingering.begin(socket);
}

/**
 * Stops listening, lets the requests under way finish, and closes connections as they fall idle; those still busy after
 * `seconds` are cut. A process that is to lose no request calls `endConnections` a while before: a client that is not told to close
 * sends its next request while the connection is closed.
 */
export async function closeGracefully(server: ApiServer, seconds: number): Promise<void> {
  const closed = once(server, 'close');
  server.endConnections();
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const cut = setTimeout(() => server.closeAllConnections(), seconds * 1_000);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
