import { encodeCbor, type CborValue } from '../../cose/cbor.ts';
import { signSign1 } from '../../cose/sign1.ts';
import type { Log } from './log-key.ts';
import type { Inclusion } from './proofs.ts';

/** Labels of RFC 9942: which structure is proven (1: RFC 9162 with SHA-256), and the proofs, of which -1 are of inclusion. */
const VDS = 395;
const RFC9162_SHA256 = 1;
const VDP = 396;
const INCLUSION = -1;

/** A COSE receipt (RFC 9942): signed by the log, detached from the root. Ed25519 is deterministic: a proof has one receipt. */
export function coseReceiptOf(log: Log, { treeSize, logIndex, hashes, rootHash }: Inclusion): Buffer {
  const proofs = new Map<number, CborValue>([[INCLUSION, [encodeCbor([treeSize, logIndex, hashes])]]]);
  return signSign1({
    kid: Buffer.from(log.kid),
    payload: rootHash,
    privateKey: log.privateKey(),
    protectedExtra: new Map<number, CborValue>([[VDS, RFC9162_SHA256]]),
    unprotected: new Map<number, CborValue>([[VDP, proofs]]),
  });
}
