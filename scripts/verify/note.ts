import { decoded, decodedHash } from './bytes.ts';
import { must } from './fault.ts';
import { signs, timeOf, type VerifierKey } from './keys.ts';

/** Notes have to take 16 signatures at least (C2SP signed-note). */
const MAX_SIGNATURES = 64;

/** A tree head as a log signed it (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** The text that is signed, its last newline included. */
  text: string;
  origin: string;
  size: number;
  /** 32 bytes. */
  root: Buffer;
  signatures: { name: string; keyId: Buffer; signature: Buffer }[];
}

/** @throws Fault where it is no signed note of a checkpoint */
export function parseCheckpoint(note: string): Checkpoint {
  must(note.isWellFormed() && !/[^\P{Cc}\n]/u.test(note), 'the note holds a character that no note may have');
  const end = note.lastIndexOf('\n\n');
  must(end >= 0 && note.endsWith('\n'), 'the note has no signatures');
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split('\n');
  must(lines.length <= MAX_SIGNATURES, `the note has more than ${MAX_SIGNATURES} signatures`);
  const signatures = lines.map((line) => {
    const [, name = '', encoded = ''] = /^— ([^\s+]+) (\S+)$/u.exec(line) ?? [];
    must(name !== '', 'a signature line is not `— <name> <base64>`');
    const bytes = decoded(encoded, 'base64', `the signature of ${name}`);
    must(bytes.length > 4, `the signature of ${name} is too short`);
    return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
  });
  return { text, ...parseBody(text), signatures };
}

function parseBody(text: string): Pick<Checkpoint, 'origin' | 'size' | 'root'> {
  const [origin = '', size = '', root = '', ...extensions] = text.slice(0, -1).split('\n');
  must(origin !== '', 'the checkpoint has no origin');
  must(/^(?:0|[1-9]\d*)$/.test(size) && Number.isSafeInteger(Number(size)), 'the checkpoint has no tree size');
  must(!extensions.includes(''), 'the checkpoint has an empty line');
  return { origin, size: Number(size), root: decodedHash(root, 'base64', 'the root hash of the checkpoint') };
}

/** Who of those that are known has signed. */
interface Signers {
  keys: VerifierKey[];
  /** The latest moment that a witness names, in seconds since 1970. */
  latest: number | null;
}

/**
 * The known keys that signed a checkpoint. Signatures of unknown keys are passed over, as the format says.
 * @throws Fault where a signature that names a known key is not of that key
 */
export function signersOf(checkpoint: Checkpoint, known: readonly VerifierKey[]): Signers {
  const keys = new Set<VerifierKey>();
  let latest: number | null = null;
  for (const { name, keyId, signature } of checkpoint.signatures) {
    const vkey = known.find((candidate) => candidate.name === name && candidate.id.equals(keyId));
    if (vkey === undefined) continue;
    must(signs(vkey, signature, checkpoint), `the signature of ${name} is not of its key`);
    keys.add(vkey);
    latest = Math.max(latest ?? 0, timeOf(vkey, signature) ?? 0) || latest;
  }
  return { keys: [...keys], latest };
}

/**
 * A checkpoint that a trusted log signed under its own name.
 * @throws Fault
 */
export function openCheckpoint(note: string, logs: readonly VerifierKey[]): Checkpoint {
  const checkpoint = parseCheckpoint(note);
  const trusted = logs.filter(({ name }) => name === checkpoint.origin);
  must(
    trusted.length > 0,
    `it is of the log ${checkpoint.origin}, and you trust ${logs.map(({ name }) => name).join(', ')}`,
  );
  must(
    signersOf(checkpoint, trusted).keys.length > 0,
    `it is not signed by the key of ${checkpoint.origin} that you trust`,
  );
  return checkpoint;
}
