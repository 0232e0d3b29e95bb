import type { ClaimRow } from '../queries.ts';
import { signCoseReceipt } from './cose-receipt.ts';
import type { Log } from './log-key.ts';
import type { LoggedClaim } from './receipts.ts';

/**
 * The COSE receipt of a claim, signed by the log. Ed25519 is deterministic: a claim has one receipt. Its subject is the digest: what the claim
 * is about is confidential, and every holder of the claim has the digest (decision L108).
 */
export const coseReceiptOf = (
  log: Log,
  { digest }: Pick<ClaimRow, 'digest'>,
  { inclusion, receipt }: Pick<LoggedClaim, 'inclusion' | 'receipt'>,
): Buffer =>
  signCoseReceipt({
    issuer: receipt.registry,
    subject: digest,
    kid: log.kid,
    privateKey: log.privateKey(),
    rootHash: inclusion.rootHash,
    inclusion,
  });
