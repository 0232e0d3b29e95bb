import { assuranceRank } from '../../authority/index.ts';
import type { PassportClaim, TrustEvaluation } from './schema.ts';
import type { TrustLevel } from '../schema.ts';

const nameOfLevel = (level: 0 | 1 | 2 | 3) => `L${level}` as const;

/**
 * Whether claims satisfy a skill. The highest level that has not expired decides; the type of a claim is not interpreted.
 * @param now seconds since 1970.
 */
export function evaluateTrust(required: TrustLevel, claims: readonly PassportClaim[], now: number): TrustEvaluation {
  const reasons: string[] = [];
  let effective: 0 | 1 | 2 | 3 = 0;
  for (const claim of claims) {
    const level = assuranceRank(claim.assurance_level);
    const what = `${claim.claim_type} at ${claim.assurance_level}`;
    const expired = (claim.expires_at ?? Infinity) <= now;
    if (expired) reasons.push(`${what} has expired and counts nothing.`);
    else if (level === 0) reasons.push(`${what} counts as L0.`);
    else reasons.push(`${what} counts as ${nameOfLevel(level)}.`);
    if (!expired && level > effective) effective = level;
  }
  const allowed = nameOfLevel(effective) >= required;
  reasons.push(
    allowed
      ? `The skill requires ${required} and the claims give ${nameOfLevel(effective)}.`
      : `The skill requires ${required} and the claims give only ${nameOfLevel(effective)}; present a claim of ${required} or higher.`,
  );
  return { allowed, required, effective: nameOfLevel(effective), reasons };
}
