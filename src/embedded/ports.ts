import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Every embedded part listens here and nowhere else. */
export const LOOPBACK = '127.0.0.1';

const listenBriefly = async (port: number): Promise<number> => {
  const server = createServer();
  server.listen(port, LOOPBACK);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return bound;
};

/** A loopback port that nobody listened on a moment ago. */
export const freePort = (): Promise<number> => listenBriefly(0);

/** Throws the system's error (EADDRINUSE) when the loopback port is taken. */
export const assertPortFree = async (port: number): Promise<void> => {
  await listenBriefly(port);
};
