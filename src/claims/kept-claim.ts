import type { KeptPart } from '../commands/run.ts';
import { presentClaim } from './present-claims.ts';
import { findClaim } from './queries.ts';
import type { Claim } from './schema/claim.ts';

export type KeptClaim = Omit<Claim, 'envelope' | 'payload_effective'>;

/** Under an Idempotency-Key a claim is kept without what was submitted, which may have half a megabyte and never changes. */
export const keptClaim: KeptPart<Claim, KeptClaim> = {
  reduce: ({ envelope: _envelope, payload_effective: _payload, ...claim }) => claim,
  async restore(connection, claim) {
    const row = await findClaim(connection, claim.id);
    if (row === null) throw new Error(`${claim.id} is answered under a key, and there is no such claim.`);
    const { envelope, payload_effective } = await presentClaim(connection, row);
    return { ...claim, envelope, payload_effective };
  },
};
