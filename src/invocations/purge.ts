import { purgeBy } from '../commands/purge.ts';
import { sql } from '../database/pool.ts';

/** Most invocations of which one step takes input and output, and most operators that it looks at. */
const BATCH_SIZE = 500;

/** Takes input and output out of invocations that ended longer ago than the tier of their consumer keeps them. */
export const purgeInvocationContents = purgeBy(
  ({ from, to }) => sql.fragment`purge_invocation_contents(${from}, ${to}, ${BATCH_SIZE})`,
);
