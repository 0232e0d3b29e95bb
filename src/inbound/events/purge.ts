import { purgeBy } from '../../commands/purge.ts';
import { sql } from '../../database/pool.ts';

/** Most contents that one step deletes, of up to 10 MiB each, and most operators that it looks at. */
const BATCH_SIZE = 200;

/** Removes contents of inbound events that are older than the tier of their operator keeps them. */
export const purgeInboundContents = purgeBy(
  ({ from, to }) => sql.fragment`purge_inbound_contents(${from}, ${to}, ${BATCH_SIZE})`,
);
