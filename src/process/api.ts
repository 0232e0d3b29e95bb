import { runRole } from './run-role.ts';

/** The program `src/api.ts`: the API alone, against DATABASE_URL and TEMPORAL_ADDRESS. */
await runRole({ api: true, worker: false });
