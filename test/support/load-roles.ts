/**
 * Loads all that `api.ts`, `worker.ts` and `main.ts` load, what they load late and in threads included, and ends: with NODE_COMPILE_CACHE set it
 * is then compiled for the processes of the suite. They leave nothing behind themselves, since a process that is killed writes no cache. A file
 * that is missing here would be compiled by each of some hundred processes.
 */
await Promise.all([
  import('../../src/process/run-role.ts'),
  import('../../src/process/seed.ts'),
  import('../../src/process/while-silent.ts'),
  import('../../src/embedded/index.ts'),
  import('../../src/http/app.ts'),
  import('../../src/http/server.ts'),
  import('../../src/process/routes.ts'),
  import('../../src/process/credentials.ts'),
  import('../../src/process/pages.ts'),
  import('../../src/process/page-server.ts'),
  import('../../src/billing/index.ts'),
  import('../../src/credentials/index.ts'),
  import('../../src/inbound/index.ts'),
  import('../../src/notifications/index.ts'),
  import('../../src/billing/payments/stripe/provider.ts'),
  import('../../src/json-schema/worker.ts'),
  import('../../src/inbound/scanner/worker.ts'),
  import('../../src/mcp/answer-message.ts'),
  import('../../activities/index.ts'),
  import('../../activities/ports.ts'),
  import('../../temporal/worker.ts'),
]);
