import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

const certificate = (name: string): string =>
  readFileSync(new URL(`../support/certificates/${name}.pem`, import.meta.url), 'utf8');

/** The authority that signed the receivers' certificate, for hooks.example.com, localhost and 127.0.0.1. */
export const authority = certificate('authority');

export interface Receiver {
  port: number;
  /** The bytes of each connection, as text. */
  requests: string[];
  connections(): number;
  /** Resolves when the sockets of all connections so far are closed. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A server that does with each connection what `act` does; it is called when a whole request has come, or immediately with `atOnce`.
 */
export async function startReceiver(
  act: (socket: Socket) => void,
  { tls = false, host = '127.0.0.1', atOnce = false } = {},
): Promise<Receiver> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const onConnection = (socket: Socket): void => {
    const place = requests.push('') - 1;
    let begun = false;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    if (atOnce) act(socket);
    socket.on('data', (chunk: Buffer) => {
      const text = `${requests[place] ?? ''}${chunk.toString()}`;
      requests[place] = text;
      const [head = '', body] = text.split(/\r\n\r\n([^]*)/);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (atOnce || begun || body === undefined || Buffer.byteLength(body) < length) return;
      begun = true;
      act(socket);
    });
  };
  const server = tls
    ? createTlsServer({ cert: certificate('receiver'), key: certificate('receiver.key') }, onConnection)
    : createServer(onConnection);
  let raw = 0;
  server.on('connection', () => {
    raw += 1;
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  // Not `once`, which rejects where the connection was reset.
  const closed = async (socket: Socket): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.on('close', () => resolve());
    if (!socket.closed) await promise;
  };
  return {
    port: address === null || typeof address === 'string' ? 0 : address.port,
    requests,
    connections: () => raw,
    allClosed: async () => {
      await Promise.all([...sockets].map(closed));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
