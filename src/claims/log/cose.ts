import { signCoseReceipt } from './cose-receipt.ts';
import type { Log } from './log-key.ts';
import type { Inclusion } from './proofs.ts';

/** The COSE receipt of a proof, signed by the log. Ed25519 is deterministic: a proof has one receipt. */
export const coseReceiptOf = (log: Log, inclusion: Inclusion): Buffer =>
  signCoseReceipt({
    kid: log.kid,
    privateKey: log.privateKey(),
    rootHash: inclusion.rootHash,
    inclusion,
  });
