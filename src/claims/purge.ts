import { purgeBy } from '../commands/purge.ts';
import { sql } from '../database/pool.ts';

/** Most claims of which one step erases the payload, each with a tombstone, and most operators that it looks at. */
const BATCH_SIZE = 200;

/** Erases payloads of claims that operators issued and keep no longer: no tier sets an age, so those are due that an operator has erased. */
export const purgeClaimPayloads = purgeBy(
  ({ from, to }) => sql.fragment`purge_claim_payloads(${from}, ${to}, ${BATCH_SIZE})`,
);
