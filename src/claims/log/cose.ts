import { signCoseReceipt } from './cose-receipt.ts';
import type { Log } from './log-key.ts';
import type { Inclusion } from './proofs.ts';

/** The COSE receipt of a proof, signed by the log. Ed25519 is deterministic: a proof has one receipt. */
export const coseReceiptOf = (log: Log, { treeSize, logIndex, hashes, rootHash }: Inclusion): Buffer =>
  signCoseReceipt({
    kid: log.kid,
    privateKey: log.privateKey(),
    rootHash,
    inclusion: { treeSize, leafIndex: logIndex, hashes },
  });
