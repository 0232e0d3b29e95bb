import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { z } from 'zod';
import { ForwardedEventSchema } from '../../../src/inbound/events/schema.ts';
import { notificationBodies } from '../../../src/events/index.ts';
import { eventually } from '../../support/eventually.ts';

/** A request as it arrived. */
export interface ReceivedCall {
  id: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** The act of a receiver on a call once it has read it whole. */
export type Behaviour = (answer: ServerResponse, call: ReceivedCall, socket: Socket) => void;

export interface Receiver {
  url: string;
  /** In the order in which they were read. */
  calls: ReceivedCall[];
  /** Calls that are open now, and the most there were in parallel. */
  open: number;
  most: number;
  /** An address of it that nobody else has. */
  urlOf(name: string): string;
  /** The calls to one of its addresses. */
  callsAt(url: string): ReceivedCall[];
  /** The code in the call with this number to one of its addresses, once it has come. */
  codeAt(url: string, number?: number): Promise<string>;
  stop(): Promise<void>;
}

export const answers =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (answer) =>
    void answer.writeHead(status, headers).end();

/** Reads the call, and gives no answer. */
export const hangs: Behaviour = () => {};
/** Reads the call, and resets the connection. */
export const resets: Behaviour = (_answer, _call, socket) => void socket.resetAndDestroy();
/** 200 and ten megabytes. */
export const floods: Behaviour = (answer) => void answer.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024, 'x'));
/** One byte of the head of an answer a second. */
export const drips: Behaviour = (_answer, _call, socket) => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  let at = 0;
  const timer = setInterval(() => socket.write(head[at++] ?? ''), 1_000);
  socket.on('close', () => clearInterval(timer));
};

/** The body of each notification as the document shows it, by its type. */
const notifications = new Map<unknown, z.ZodObject>(notificationBodies().map(({ type, body }) => [type, body]));

/** Fails for a call whose body is not as openapi.json shows it, or has a member that is not shown there. */
export function assertShown({ headers, body }: ReceivedCall): void {
  const sent = JSON.parse(body) as { event_type?: string };
  const schema = headers['webhook-id'] === undefined ? ForwardedEventSchema : notifications.get(sent.event_type);
  (schema ?? assert.fail(`no webhook of the document is ${sent.event_type}`)).strict().parse(sent);
}

/** A receiver of webhooks on a real socket of this machine. */
export async function startReceiver(behave: Behaviour = answers(200)): Promise<Receiver> {
  const server = createServer((request, answer) => {
    receiver.open += 1;
    receiver.most = Math.max(receiver.most, receiver.open);
    request.socket.once('close', () => (receiver.open -= 1)); // one connection a call
    const parts: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const call = {
        id: String(request.headers['webhook-id']),
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString('utf8'),
      };
      receiver.calls.push(call);
      behave(answer, call, request.socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receiver: Receiver = {
    url: `${base}/hook`,
    calls: [],
    open: 0,
    most: 0,
    urlOf: (name) => `${base}/${name}`,
    callsAt: (url) => receiver.calls.filter(({ path }) => `${base}${path}` === url),
    async codeAt(url, number = 1) {
      const call = await eventually(`a code at ${url}`, () => receiver.callsAt(url)[number - 1]);
      assertShown(call);
      return (JSON.parse(call.body) as { payload: { code: string } }).payload.code;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** Starts the receivers of a suite, and stops all of them at its end. */
export function receiversOfSuite(): {
  receiver(behave?: Behaviour): Promise<Receiver>;
  stopReceivers(): Promise<void>;
} {
  const started: Receiver[] = [];
  return {
    async receiver(behave) {
      const one = await startReceiver(behave);
      started.push(one);
      return one;
    },
    async stopReceivers() {
      await Promise.all(started.map((one) => one.stop()));
    },
  };
}
