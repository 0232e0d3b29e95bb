import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import {
  assertKeyName,
  keyIdOf,
  NoteFault,
  parseVkey,
  rawPublicKey,
  SIGNATURE_TYPE,
  strictBase64,
  type VerifierKey,
} from '../../fields/verifier-key.ts';

export { NoteFault, vkeyOf } from '../../fields/verifier-key.ts';

/**
 * Signed notes, checkpoints and cosignatures as c2sp.org/signed-note, tlog-checkpoint and tlog-cosignature define them. Nothing here
 * reads a row, a file or a clock.
 */

/** As the Go implementation of notes has it; a note with 16 signatures of ML-DSA-44 has about 55 KB. */
const MAX_NOTE_CHARACTERS = 1_000_000;
/** As many as verifiers read; C2SP signed-note has them take 16 at least. */
export const MAX_SIGNATURES = 64;

interface NoteSignature {
  name: string;
  /** The first four bytes, as eight lower-case hex digits. */
  keyId: string;
  /** The bytes that follow the key id. */
  bytes: Buffer;
  /** The whole line, without its newline. */
  line: string;
}

export interface VerifiedSignature {
  key: VerifierKey;
  /** The time of a cosignature: seconds since 1970 at which the tree was the largest one that its signer had seen; null for a plain signature. */
  timestamp: number | null;
  line: string;
}

export interface Checkpoint {
  origin: string;
  size: number;
  rootHash: Buffer;
}

/** A note: the text, which ends in a newline, and a signature of it by an Ed25519 key. */
export function signNote(text: string, { name, privateKey }: { name: string; privateKey: KeyObject }): string {
  assertText(text);
  if (!text.endsWith('\n')) throw new NoteFault('The text of a note ends in a newline.');
  assertKeyName(name);
  const raw = rawPublicKey(createPublicKey(privateKey));
  const signature = sign(null, Buffer.from(text), privateKey);
  const bytes = Buffer.concat([keyIdOf(name, SIGNATURE_TYPE.ed25519, raw), signature]);
  return `${text}\n— ${name} ${bytes.toString('base64')}\n`;
}

/**
 * Takes a note apart; nothing in it is verified.
 * @throws NoteFault
 */
export function parseNote(note: string): { text: string; signatures: NoteSignature[] } {
  if (note.length > MAX_NOTE_CHARACTERS) throw new NoteFault(`A note has at most ${MAX_NOTE_CHARACTERS} characters.`);
  assertText(note);
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) {
    throw new NoteFault('A note is a text, an empty line, and lines of signatures, each ended by a newline.');
  }
  return { text: note.slice(0, end + 1), signatures: parseSignatureLines(note.slice(end + 2)) };
}

/**
 * Signature lines as they stand under a note, and as witnesses answer them.
 * @throws NoteFault
 */
export function parseSignatureLines(lines: string): NoteSignature[] {
  if (lines === '' || !lines.endsWith('\n')) throw new NoteFault('Each signature is a line, ended by a newline.');
  const each = lines.slice(0, -1).split('\n');
  if (each.length > MAX_SIGNATURES) throw new NoteFault(`A note has at most ${MAX_SIGNATURES} signatures.`);
  return each.map((line) => {
    const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? [];
    assertKeyName(name);
    const bytes = strictBase64(encoded);
    if (bytes === null || bytes.length < 5) {
      throw new NoteFault('A signature line is an em dash, the name of the key, and base64 of key id and signature.');
    }
    return { name, keyId: bytes.toString('hex', 0, 4), bytes: bytes.subarray(4), line };
  });
}

/**
 * The signatures of a note by known keys, each key once, in the order of the note; signatures of other keys are passed over.
 * @param vkeys verifier keys as c2sp.org/signed-note writes them
 * @throws NoteFault where a signature of a known key does not verify: the whole note is refused then
 */
export function verifiedSignatures(
  note: string,
  vkeys: readonly string[],
): { text: string; verified: VerifiedSignature[] } {
  const { text, signatures } = parseNote(note);
  const keys = vkeys.map(parseVkey);
  const verified: VerifiedSignature[] = [];
  for (const { name, keyId, bytes, line } of signatures) {
    const key = keys.find((known) => known.name === name && known.keyId === keyId);
    if (key === undefined || verified.some((one) => one.key === key)) continue;
    verified.push({ key, timestamp: timestampOf(key, text, bytes), line });
  }
  return { text, verified };
}

/**
 * As `verifiedSignatures`; `verifiedBy` are the names of the keys.
 * @throws NoteFault also where no known key signed it
 */
export function verifyNote(note: string, vkeys: readonly string[]): { text: string; verifiedBy: string[] } {
  const { text, verified } = verifiedSignatures(note, vkeys);
  if (verified.length === 0) throw new NoteFault('No known key signed this note.');
  return { text, verifiedBy: [...new Set(verified.map(({ key }) => key.name))] };
}

/** The text of a checkpoint: origin, size and root, without signatures. */
export function checkpointText({
  origin,
  size,
  rootHash,
}: {
  origin: string;
  size: number;
  rootHash: Uint8Array;
}): string {
  return `${origin}\n${size}\n${Buffer.from(rootHash).toString('base64')}\n`;
}

/**
 * Reads the text of a checkpoint (of a note: its `text`).
 * @throws NoteFault
 */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length < 3 || lines.includes('')) {
    throw new NoteFault('A checkpoint has at least three lines, origin, size and root, and no empty one.');
  }
  // Lines behind the root mean nothing here.
  const [origin = '', sizeText = '', root = ''] = lines;
  const size = Number(sizeText);
  if (!/^(0|[1-9][0-9]*)$/.test(sizeText) || !Number.isSafeInteger(size)) {
    throw new NoteFault('The second line of a checkpoint is the size of the tree, in decimal.');
  }
  const rootHash = strictBase64(root);
  if (rootHash?.length !== 32)
    throw new NoteFault('The third line of a checkpoint is the root hash, 32 bytes in base64.');
  return { origin, size, rootHash };
}

/**
 * Verifies a signature of the text of a note.
 * @returns its time in seconds, null for a plain signature
 */
function timestampOf(key: VerifierKey, text: string, bytes: Buffer): number | null {
  const refuse = (): never => {
    throw new NoteFault(`The signature of ${key.name} does not verify.`);
  };
  if (key.type === SIGNATURE_TYPE.ed25519) {
    if (bytes.length !== 64 || !verify(null, Buffer.from(text), key.publicKey, bytes)) refuse();
    return null;
  }
  if (bytes.length < 8) refuse();
  const timestamp = bytes.readBigUInt64BE();
  const signature = bytes.subarray(8);
  if (timestamp > BigInt(Number.MAX_SAFE_INTEGER)) refuse();
  const message =
    key.type === SIGNATURE_TYPE.ed25519Cosignature
      ? Buffer.from(`cosignature/v1\ntime ${timestamp}\n${text}`)
      : cosignedMessage(key.name, timestamp, parseCheckpoint(text));
  if (!verify(null, message, key.publicKey, signature)) refuse();
  return Number(timestamp);
}

/** Returns the bytes that an ML-DSA-44 cosignature of a checkpoint covers: the subtree from the first leaf to its size. */
function cosignedMessage(cosigner: string, timestamp: bigint, { origin, size, rootHash }: Checkpoint): Buffer {
  return Buffer.concat([
    Buffer.from('subtree/v1\n\0'),
    withLength(cosigner),
    u64(timestamp),
    withLength(origin),
    u64(0n),
    u64(BigInt(size)),
    rootHash,
  ]);
}

/** A text of 1 to 255 bytes behind its length. */
function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new NoteFault('ML-DSA-44 signs names and origins of at most 255 bytes.');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

function assertText(text: string): void {
  if (!text.isWellFormed() || /[^\P{Cc}\n]/u.test(text)) {
    throw new NoteFault('A note is valid Unicode without control characters other than newlines.');
  }
}
