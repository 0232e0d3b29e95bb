import { hostname } from 'node:os';
import { Connection } from '@temporalio/client';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import { connectionOptions } from '../client.ts';
import { TaskQueue } from '../task-queues.ts';

/**
 * The worker's health check, which runs in its container: exit code 0 where Temporal knows a poller of this host, else 1.
 * A worker has no port to check, and a process that runs but no longer polls must be found, too.
 */
const { temporal } = completeConfig(readSettings(process.env));
/** The server answers an idle poll after a minute; a worker that has not polled for half a minute more has stopped. */
const MAX_SILENCE_MS = 90_000;

const connection = await Connection.connect({ ...connectionOptions(temporal), connectTimeout: '5s' });
// Without a type the server answers for workflow tasks.
const { pollers } = await connection.workflowService.describeTaskQueue({
  namespace: temporal.namespace,
  taskQueue: { name: TaskQueue.lives },
});
await connection.close();

const polling = (pollers ?? []).some(
  ({ identity, lastAccessTime }) =>
    // By default the SDK names a worker <process id>@<host name>.
    identity?.endsWith(`@${hostname()}`) && Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < MAX_SILENCE_MS,
);
console.log(
  polling ? 'polling' : `no worker of ${hostname()} has polled ${TaskQueue.lives} for ${MAX_SILENCE_MS / 1000} s`,
);
process.exitCode = polling ? 0 : 1;
