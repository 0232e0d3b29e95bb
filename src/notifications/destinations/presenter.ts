import type { DestinationRow } from './queries.ts';
import { outcomeOfHandingOver } from '../../outbound/outcomes.ts';
import type { Destination, VerificationCode } from './schema.ts';

type OfMail = Pick<VerificationCode, 'status' | 'reason' | 'error'>;

/** The outcome of the mail that has a code; nothing where it is on its way, or the code has no mail. */
function ofMail(status: DestinationRow['mail_status']): Partial<OfMail> {
  if (status === 'waiting') return { status, reason: null, error: null };
  if (status === 'expired') return { status: 'failed', reason: 'expired', error: null };
  if (status !== 'refused' && status !== 'unknown') return {};
  const { reason, error } = outcomeOfHandingOver('mail', status);
  return { status: status === 'refused' ? 'failed' : 'unknown', reason, error };
}

/** A destination as its operator sees it: without secrets, and with its last code until it is verified. */
export function presentDestination({
  address: _address,
  verified_at: verifiedAt,
  code_status: status,
  code_reason: reason,
  code_error: error,
  mail_status: mailStatus,
  code_requested_at: requestedAt,
  code_expires_at: expiresAt,
  ...row
}: DestinationRow): Destination {
  const code =
    verifiedAt !== null || status === null || requestedAt === null || expiresAt === null
      ? null
      : { status, reason, error, ...ofMail(mailStatus), requested_at: requestedAt, expires_at: expiresAt };
  return { ...row, verified: verifiedAt !== null, code };
}
