import type { KeptPart } from '../commands/run.ts';
import { presentClaim } from './present-claims.ts';
import { findClaim } from './queries.ts';
import type { Claim } from './schema/claim.ts';

export type KeptClaim = Omit<
  Claim,
  'envelope' | 'payload_effective' | 'co_signatures' | 'unresolved_refs' | 'warnings' | 'submitter'
> & { co_signatures: number };

/**
 * Under an Idempotency-Key a claim is kept without what was submitted, which may have half a megabyte, and without what is read from its
 * payload, which an erasure takes (decision L5): both are read again. Of its co-signatures the number is kept: later ones stand behind those
 * that it had.
 */
export const keptClaim: KeptPart<Claim, KeptClaim> = {
  reduce: ({
    envelope: _envelope,
    payload_effective: _payload,
    unresolved_refs: _refs,
    warnings: _warnings,
    submitter: _submitter,
    co_signatures: coSignatures,
    ...claim
  }) => ({ ...claim, co_signatures: coSignatures.length }),
  async restore(connection, claim) {
    const row = await findClaim(connection, claim.id);
    if (row === null) throw new Error(`${claim.id} is answered under a key, and there is no such claim.`);
    const presented = await presentClaim(connection, row);
    if (row.erased_at !== null) return presented;
    const {
      envelope,
      payload_effective,
      unresolved_refs,
      warnings,
      submitter,
      co_signatures: coSignatures,
    } = presented;
    return {
      ...claim,
      envelope,
      payload_effective,
      unresolved_refs,
      warnings,
      submitter,
      co_signatures: coSignatures.slice(0, claim.co_signatures),
    };
  },
};
