import type { DestinationRow } from './queries.ts';
import type { Destination } from './schema.ts';

/** A destination as its operator sees it: without secrets, and with its last code until it is verified. */
export function presentDestination({
  address: _address,
  verified_at: verifiedAt,
  code_status: status,
  code_reason: reason,
  code_error: error,
  code_requested_at: requestedAt,
  code_expires_at: expiresAt,
  ...row
}: DestinationRow): Destination {
  const code =
    verifiedAt !== null || status === null || requestedAt === null || expiresAt === null
      ? null
      : { status, reason, error, requested_at: requestedAt, expires_at: expiresAt };
  return { ...row, verified: verifiedAt !== null, code };
}
