import { runRole } from './run-role.ts';

/** The program `src/worker.ts`: the workers alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
await runRole({ api: false, worker: true });
