import { hostname } from 'node:os';
import { Connection } from '@temporalio/client';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import { connectionOptions } from '../client.ts';
import { TaskQueue } from '../task-queues.ts';

/**
 * The worker's health check, run beside it in its container: does Temporal know of a poller from this host? A worker has
 * no port to ask, and a process that is there but polls no more is what a check must find. Exit code 0 or 1.
 */
const { temporal } = completeConfig(readSettings(process.env));
/** The server answers an idle poll after a minute; half a minute more is a worker that stopped asking. */
const SILENCE_MS = 90_000;

const connection = await Connection.connect({ ...connectionOptions(temporal), connectTimeout: '5s' });
// No type asked for: the server answers for workflow tasks.
const { pollers } = await connection.workflowService.describeTaskQueue({
  namespace: temporal.namespace,
  taskQueue: { name: TaskQueue.lives },
});
await connection.close();

const polling = (pollers ?? []).some(
  ({ identity, lastAccessTime }) =>
    // The SDK names a worker <process id>@<host name> unless told otherwise.
    identity?.endsWith(`@${hostname()}`) && Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < SILENCE_MS,
);
console.log(
  polling ? 'polling' : `no worker of ${hostname()} has polled ${TaskQueue.lives} for ${SILENCE_MS / 1000} s`,
);
process.exitCode = polling ? 0 : 1;
