import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that goes wrong with one call between a client and the service. */
export type Fault =
  /** Cut before the service has seen it. */
  | 'cut before'
  /** The service has done it, and the answer never comes. */
  | 'cut after'
  /** The answer ends in its middle. */
  | 'cut within'
  /** Done, and a page of a proxy comes instead. */
  | 'html'
  | 'nonsense'
  | 'another object'
  | '502'
  /** Refused, not done. */
  | '429'
  | '503';

export const FAULTS: readonly Fault[] = [
  'cut before',
  'cut after',
  'cut within',
  'html',
  'nonsense',
  '502',
  '429',
  '503',
];

export interface Seen {
  method: string;
  path: string;
  key: string | undefined;
  body: string;
  at: number;
}

export interface BadProxy {
  baseUrl: string;
  /** Every call that a client has sent. */
  seen: Seen[];
  /** The next calls that match go wrong, one fault a call. */
  spoil(match: (call: Seen) => boolean, faults: Fault[]): void;
  /** Answers nothing, as a service that is started again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

const PROBLEMS = {
  '429': { status: 429, code: 'RATE_LIMITED', title: 'Too many requests', detail: 'Wait a second.' },
  '503': { status: 503, code: 'TEMPORARILY_UNAVAILABLE', title: 'Temporarily unavailable', detail: 'Try again.' },
};

/** Passes calls on to the service over real sockets, and spoils some. */
export async function openBadProxy(target: string): Promise<BadProxy> {
  const seen: Seen[] = [];
  let rules: { match: (call: Seen) => boolean; faults: Fault[] }[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = request;
    const key = headers['idempotency-key'];
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const call: Seen = {
      method,
      path: url,
      key: typeof key === 'string' ? key : undefined,
      body: body.toString(),
      at: Date.now(),
    };
    seen.push(call);
    const fault = rules.find((rule) => rule.faults.length > 0 && rule.match(call))?.faults.shift();
    if (fault === 'cut before') return void response.destroy();
    if (fault === '429' || fault === '503') {
      response.writeHead(PROBLEMS[fault].status, { 'content-type': 'application/problem+json', 'retry-after': '1' });
      return void response.end(JSON.stringify(PROBLEMS[fault]));
    }
    const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const answer = await fetch(target + url, {
      method,
      headers: rest as Record<string, string>,
      signal: gone.signal,
      ...(method !== 'GET' && { body }),
    });
    const text = await answer.text();
    if (fault === 'cut after') return void response.destroy();
    if (fault === 'html') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    if (fault === 'nonsense') return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":');
    if (fault === 'another object')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":1}');
    if (fault === '502') return void response.writeHead(502, { 'content-type': 'text/html' }).end('Bad gateway');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'text/plain',
      'content-length': Buffer.byteLength(text),
    });
    if (fault !== 'cut within') return void response.end(text);
    response.write(text.slice(0, text.length / 2), () => response.destroy());
    return undefined;
  };
  const open = () =>
    createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  let server = open();
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    seen,
    spoil: (match, faults) => void (rules = [...rules, { match, faults: [...faults] }]),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    start: () => {
      server = open();
      return listen(port);
    },
  };
}
