import { purgeBy } from '../commands/purge.ts';
import { sql } from '../database/pool.ts';

/** Most requests of which one step takes the texts, and most operators that it looks at. */
const BATCH_SIZE = 500;

/** Takes the texts out of requests that are closed and that their operator has erased. */
export const purgeSkillRequests = purgeBy(
  ({ from, to }) => sql.fragment`purge_skill_requests(${from}, ${to}, ${BATCH_SIZE})`,
);
