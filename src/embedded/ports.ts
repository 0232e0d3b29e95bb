import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Every embedded part listens here and nowhere else. */
export const LOOPBACK = '127.0.0.1';

/**
 * Ports that neither Linux (32768 to 60999) nor macOS (from 49152) gives to outgoing connections: those could take a port
 * between the moment it was found free and the moment it is listened on.
 */
const FIRST_PORT = 10_000;
const END_PORT = 32_768;

/** Far more than needed to find a free one among 22,768 at random. */
const MAX_TRIES = 100;

/** Throws the system's error (EADDRINUSE) when the loopback port is taken. */
export async function assertPortFree(port: number): Promise<void> {
  const server = createServer();
  server.listen(port, LOOPBACK);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/**
 * The loopback port that is wished for where it is free, so that it is the same at each start; otherwise, and for 0, any free one. Another
 * program may still take it before it is listened on.
 */
export async function portOrFreeOne(wished: number): Promise<number> {
  if (wished === 0) return freePort();
  try {
    await assertPortFree(wished);
    return wished;
  } catch {
    return freePort();
  }
}

/** The ports returned before, on which nobody may listen yet. */
const chosen = new Set<number>();

/**
 * A loopback port that is free at the moment. It is random, so that two processes that choose at the same time choose
 * different ones, and within a process it is never the same twice.
 */
export async function freePort(triesLeft = MAX_TRIES): Promise<number> {
  const port = randomInt(FIRST_PORT, END_PORT);
  if (chosen.has(port)) return freePort(triesLeft);
  chosen.add(port);
  try {
    await assertPortFree(port);
    return port;
  } catch (error) {
    if (triesLeft === 0) throw error;
    return freePort(triesLeft - 1);
  }
}
