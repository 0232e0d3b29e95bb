import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Every embedded part listens here and nowhere else. */
export const LOOPBACK = '127.0.0.1';

/**
 * Ports that neither Linux (32768 to 60999) nor macOS (from 49152) gives to outgoing connections, which could otherwise take one between
 * the moment it was found free and the moment it is listened on.
 */
const LOWEST = 10_000;
const BEYOND = 32_768;

/** Among 22,768 ports chance finds a free one sooner. */
const TRIES = 100;

/** Throws the system's error (EADDRINUSE) when the loopback port is taken. */
export const assertPortFree = async (port: number): Promise<void> => {
  const server = createServer();
  server.listen(port, LOOPBACK);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

/** Chosen before: whoever chose one may not listen on it yet. */
const chosen = new Set<number>();

/**
 * A loopback port that nobody listened on a moment ago: at random, so that two processes that choose at once choose apart, and never the
 * same one twice in a process.
 */
export const freePort = async (triesLeft = TRIES): Promise<number> => {
  const port = randomInt(LOWEST, BEYOND);
  if (chosen.has(port)) return freePort(triesLeft);
  chosen.add(port);
  try {
    await assertPortFree(port);
    return port;
  } catch (error) {
    if (triesLeft === 0) throw error;
    return freePort(triesLeft - 1);
  }
};
