import type { IncomingMessage, ServerResponse } from 'node:http';
import { anyOriginHeaders } from './any-origin.ts';
import { requestIdOf, traceIdOf } from './request-id.ts';

/** One request and its answer, with what is said about it in logs, metrics and headers. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt = performance.now();
  readonly requestId: string;
  readonly traceId: string | undefined;
  /** Without the query, as it was sent. */
  readonly path: string;
  /** What follows the first `?`, or ''. */
  readonly search: string;
  /** operationId of the route; `none` where no route was found. */
  operation = 'none';
  operatorId: string | undefined;
  /** The answer is that of a command, so something has changed. */
  commanded = false;
  /** Names and values that go on the answer whatever it is (rate limits). */
  headers: readonly string[] = [];
  /** Pages of any origin may read the answer, whatever it is. */
  anyOrigin = false;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
    const { headers } = request;
    this.traceId = traceIdOf(headers.traceparent as string | undefined);
    this.requestId = requestIdOf(headers['x-request-id'] as string | undefined, this.traceId);
    const target = originForm(request.url ?? '/');
    const question = target.indexOf('?');
    this.path = question < 0 ? target : target.slice(0, question);
    this.search = question < 0 ? '' : target.slice(question + 1);
  }

  get method(): string {
    return this.request.method ?? 'GET';
  }

  /** Writes the whole answer; does nothing where the client has gone or was answered. */
  send(status: number, headers: readonly string[], body: string | Buffer, bytes = Buffer.byteLength(body)): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    response.writeHead(status, [
      ...headers,
      'Content-Length',
      String(bytes),
      'X-Request-Id',
      this.requestId,
      ...this.headers,
      ...(this.anyOrigin ? anyOriginHeaders : []),
    ]);
    // Text of one byte a character is written as such: Node then joins head and body without encoding them.
    if (typeof body === 'string') response.end(body, bytes === body.length ? 'latin1' : 'utf8');
    else response.end(body);
  }

  /** Writes an answer without a body (204, 304). */
  sendEmpty(status: 204 | 304, headers: readonly string[]): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    const origin = this.anyOrigin ? anyOriginHeaders : [];
    response.writeHead(status, [...headers, 'X-Request-Id', this.requestId, ...this.headers, ...origin]);
    response.end();
  }
}

/** A request may name the whole address (RFC 9112 §3.2.2); what counts is the path. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url === null ? target : url.pathname + url.search;
}
