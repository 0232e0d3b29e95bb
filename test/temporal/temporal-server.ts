import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { lastErrorLine } from '../../src/embedded/child.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { findTemporal } from '../../src/embedded/temporal-binary.ts';
import { newDataDir, removeDataDir } from '../support/data-dir.ts';
import { eventually } from '../support/eventually.ts';

/** A Temporal server that a test may stop, start again on the same file and port, and set up as it likes. */
export interface TemporalServer {
  address: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** While it is stopped: it has lost its disk, and starts with nothing. */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

/** @param dynamicConfig e.g. `limit.historyCount.suggestContinueAsNew=20` */
export async function temporalServer(dynamicConfig: string[] = []): Promise<TemporalServer> {
  const folder = await newDataDir();
  const binary = await findTemporal({ dataDir: folder, progress: () => {} });
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const log = join(folder, 'server.log');
  let child: ChildProcess | undefined;
  const spawnServer = (args: string[]): void => {
    const output = openSync(log, 'a');
    const server = spawn(binary, args, { stdio: ['ignore', output, output] });
    closeSync(output);
    child = server;
    // It takes some ports by itself, for example, and dies where a program that starts just then was quicker.
    server.once('exit', (code, signal) => {
      if (server !== child) return;
      process.emitWarning(
        `The Temporal server of a test ended by itself (${code ?? signal}) and is started again: ${lastErrorLine(readFileSync(log, 'utf8'))}`,
      );
      spawnServer(args);
    });
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    child = undefined;
    await ended;
  };
  return {
    address,
    stop: () => end('SIGTERM'),
    async empty() {
      const files = (await readdir(folder)).filter((file) => file.startsWith('temporal.db'));
      await Promise.all(files.map((file) => rm(join(folder, file))));
    },
    async start() {
      const settings = [
        'matching.numTaskqueueReadPartitions=1',
        'matching.numTaskqueueWritePartitions=1',
        ...dynamicConfig,
      ];
      const args = [
        'server',
        'start-dev',
        '--headless',
        '--ip',
        '127.0.0.1',
        '--port',
        String(port),
        '--log-level',
        'error',
      ];
      args.push(
        '--db-filename',
        join(folder, 'temporal.db'),
        '--sqlite-pragma',
        'journal_mode=wal',
        '--sqlite-pragma',
        'synchronous=normal',
      );
      for (const setting of settings) args.push('--dynamic-config-value', setting);
      spawnServer(args);
      await eventually('the Temporal server to serve', () => namespaceAnswers(address), {
        seconds: 120,
        ignoreErrors: () => true,
      });
    },
    async remove() {
      await end('SIGKILL'); // what it would tidy up is removed with it
      await removeDataDir(folder);
    },
  };
}

/** After this time a task whose worker died is given to another worker; Temporal's default is ten seconds. */
const TASK_TIMEOUT = 'history.defaultWorkflowTaskTimeout="2s"';

/** Starts a server on which a task whose worker was killed is soon given to another. */
export async function startTemporal(): Promise<TemporalServer> {
  const temporal = await temporalServer([TASK_TIMEOUT]);
  await temporal.start();
  return temporal;
}

/** Whether the namespace exists and its caches know it. */
async function namespaceAnswers(address: string, namespace = 'default'): Promise<true> {
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    await connection.withDeadline(Date.now() + 1_000, () =>
      connection.workflowService.countWorkflowExecutions({ namespace, query: 'ExecutionStatus = "Running"' }),
    );
    return true;
  } finally {
    await connection.close();
  }
}

/** Makes a namespace, and waits until it can be used. */
export async function newNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
  } finally {
    await connection.close();
  }
  await eventually(`the namespace ${namespace}`, () => namespaceAnswers(address, namespace), {
    ignoreErrors: () => true,
  });
}
