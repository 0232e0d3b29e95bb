import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../support/eventually.ts';

/** A request as it arrived. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver of webhooks on this machine. */
export interface Sink {
  /** An address of it that nobody else has. */
  url(name: string): string;
  received: Received[];
  /** The requests to one of its addresses. */
  at(url: string): Received[];
  /** The newest code that reached one of its addresses, once there are so many requests. */
  codeAt(url: string, count?: number): Promise<string>;
  stop(): Promise<void>;
}

/** @param answer what it does with each request; unless given it answers 204 */
export async function startSink(
  answer: (response: ServerResponse, received: Received) => void = (response) => void response.writeHead(204).end(),
): Promise<Sink> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers, body: Buffer.concat(parts).toString() };
      received.push(one);
      answer(response, one);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (url: string) => received.filter(({ path }) => `${base}${path}` === url);
  return {
    url: (name) => `${base}/${name}`,
    received,
    at,
    async codeAt(url, count = 1) {
      const request = await eventually(`a code at ${url}`, () => at(url)[count - 1]);
      return (JSON.parse(request.body) as { payload: { code: string } }).payload.code;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
