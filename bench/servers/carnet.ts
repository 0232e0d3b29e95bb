import { freePort } from '../../src/embedded/ports.ts';
import { createLogger } from '../../src/context/logging.ts';
import { openParts } from '../../src/process/parts.ts';
import { configOf } from '../config.ts';
import { answering, ready, settings } from './child.ts';

/** The service as its entry points run it: the API, the worker, or both in one process. */

const { roles, ...given } = settings<{
  databaseUrl: string;
  temporalAddress?: string;
  allowLoopback?: boolean;
  runForEveryLife?: boolean;
  roles: { api: boolean; worker: boolean };
}>();
const port = await freePort();
const config = configOf({ ...given, port });
const parts = await openParts(config, createLogger(config.logLevel), roles);
// For a bench that wrote messages without the API: the service delivers them like its own.
answering(async () => {
  parts.delivery.messagesCommitted();
  return {};
});
ready(port);
