/**
 * Loads all that `api.ts` and `worker.ts` load, what they load late included, and ends: with NODE_COMPILE_CACHE set it is then compiled
 * for the processes of the suite. They leave nothing behind themselves, since a process that is killed writes no cache.
 */
await Promise.all([
  import('../../src/process/run-role.ts'),
  import('../../src/http/app.ts'),
  import('../../src/process/routes.ts'),
  import('../../src/process/credentials.ts'),
  import('../../activities/index.ts'),
  import('../../activities/ports.ts'),
  import('../../temporal/worker.ts'),
]);
