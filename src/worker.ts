import { runRole } from './process/run-role.ts';

/** The workers alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
await runRole({ api: false, worker: true });
