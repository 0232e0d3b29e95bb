import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../src/embedded/child.ts';
import { freePort, LOOPBACK } from '../src/embedded/ports.ts';
import type { Lab } from './lab.ts';

const RETRY_MS = 50;
const MAX_TRIES = 400;

/** Starts Restate's server from its npm package and registers the handlers. @returns the origin for calls */
export async function startRestateServer(lab: Lab, handlers: string): Promise<string> {
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const child = startChild({
    command: join(
      import.meta.dirname,
      'node_modules',
      '@restatedev',
      `restate-server-${process.platform}-${process.arch}`,
      'bin',
      'restate-server',
    ),
    args: [
      '--base-dir',
      join(lab.dataDir, 'restate'),
      '--no-logo',
      '--listen-mode',
      'tcp',
      '--bind-ip',
      LOOPBACK,
      '--bind-port',
      String(node),
    ],
    logFile: join(lab.dataDir, 'logs', 'restate-server.log'),
    stopSignal: 'TERM',
    env: {
      ...process.env,
      RESTATE_INGRESS__BIND_ADDRESS: `${LOOPBACK}:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `${LOOPBACK}:${admin}`,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'warn',
    },
  });
  lab.onClose(() => child.stop());
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const registered = await fetch(`http://${LOOPBACK}:${admin}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: handlers }),
    }).catch(() => undefined);
    if (registered?.ok === true) return `http://${LOOPBACK}:${ingress}`;
    await pause(RETRY_MS);
  }
  throw new Error(`Restate's server does not serve:\n${child.output()}`);
}
