import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type Koa from 'koa';
import { CarnetError } from '../errors/carnet-error.ts';
import { Exchange } from './exchange.ts';
import { problemOf, sendProblem } from './problem.ts';
import { requestIdOf } from './request-id.ts';

/**
 * The HTTP server of an application, with time limits against clients that send slowly: 15 s for the head, 60 s for the whole
 * request. What is not HTTP at all, or HTTP that Node would refuse without a word, is answered with a problem as well.
 */
export function createHttpServer(app: Koa): Server {
  const answer = app.callback();
  const server = createServer(
    {
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false, // asked for below
    },
    (request, response) => {
      if (lacksHost(request)) return void sendProblem(new Exchange(request, response), noHost);
      void answer(request, response);
    },
  );
  return server
    .on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      sendProblem(new Exchange(request, response), unexpected);
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket as Socket));
}

/** RFC 9112 §3.2: of HTTP/1.1, and of no version before it, a Host is required. */
const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion !== '1.0';

/** What follows on the connection may be a body that nobody reads, so it ends here. */
const closing = { headers: { Connection: 'close' } };
const noHost = new CarnetError(
  'VALIDATION_ERROR',
  'An HTTP/1.1 request names its host: send the header Host.',
  closing,
);
const unexpected = new CarnetError(
  'EXPECTATION_FAILED',
  'The only expectation that is met here is Expect: 100-continue; leave the header out.',
  closing,
);

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

function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const refusal = refusals[error.code ?? ''] ?? malformed;
  const body = JSON.stringify(problemOf(refusal, { path: '', requestId: requestIdOf(undefined, undefined) }));
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/**
 * Stops listening, lets the requests under way finish, and closes connections as they fall idle; those still busy after
 * `seconds` are cut.
 */
export async function closeGracefully(server: Server, seconds: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const cut = setTimeout(() => server.closeAllConnections(), seconds * 1_000);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
