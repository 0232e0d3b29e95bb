import { runRole } from './process/run-role.ts';

/** The API alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
await runRole({ api: true, worker: false });
