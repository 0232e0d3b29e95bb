import { NoteFault, type VerifiedSignature } from '../signed-note.ts';

/** So far a witness' clock may be ahead of the one here; in milliseconds. Verifiers show when the last witness signed. */
const MOST_AHEAD = 24 * 60 * 60 * 1_000;

/**
 * That cosignatures name times at which somebody can have signed (decision L101).
 * @param now of Postgres' clock, ISO 8601
 * @throws NoteFault for 0, which stands for no time, and for more than a day from now
 */
export function assertTimesArePast(verified: readonly VerifiedSignature[], now: string): void {
  for (const { key, timestamp } of verified) {
    if (timestamp === null) continue;
    if (timestamp === 0) throw new NoteFault(`The cosignature of ${key.name} names no time.`);
    if (timestamp * 1_000 > Date.parse(now) + MOST_AHEAD)
      throw new NoteFault(`The cosignature of ${key.name} is of a time that is more than a day from now.`);
  }
}
