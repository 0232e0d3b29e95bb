import type { Config } from '../../../context/config.ts';
import type { Context } from '../../../context/context.ts';
import type { VerifierKey } from '../../../fields/verifier-key.ts';
import { findCheckpoint, findNewestCheckpoint, type CheckpointRow } from '../queries.ts';
import { MAX_SIGNATURES, NoteFault, parseSignatureLines, verifiedSignatures } from '../signed-note.ts';
import { largestSignedWithin, linesOf } from './queries.ts';

/** A checkpoint with what witnesses have signed of it. */
interface WitnessedCheckpoint extends CheckpointRow {
  /** The names of the witnesses. */
  witnesses: string[];
  /** Whether the policy has enough of them; null: there is no policy. */
  quorum: boolean | null;
}

/** Every key whose cosignatures are taken: those of the policy and those of WITNESS_KEYS. */
export const knownWitnesses = ({ witnessKeys, witnessPolicy }: Config): VerifierKey[] => [
  ...(witnessPolicy?.witnesses.map(({ key }) => key) ?? []),
  ...witnessKeys,
];

/**
 * Adds the lines of witnesses to the note of a checkpoint. They were verified when they came, and are again: rows may have been changed since.
 * Those of known keys come first, and no more than verifiers read beside the one of the log.
 */
export async function withWitnesses(
  { config, pool }: Pick<Context, 'config' | 'pool'>,
  checkpoint: CheckpointRow,
): Promise<WitnessedCheckpoint> {
  const known = knownWitnesses(config);
  const lines = (await linesOf(pool, checkpoint.tree_size)).map((line) => `${line}\n`);
  const read = lines.flatMap((line) => signedBy(checkpoint.note, { line, known }) ?? []);
  const isKnown = ({ keys }: (typeof read)[number]): boolean => keys.length > 0;
  const others = read.filter((line) => !isKnown(line));
  const signed = [...read.filter(isKnown), ...others].slice(0, MAX_SIGNATURES - 1);
  return {
    ...checkpoint,
    note: checkpoint.note + signed.map(({ line }) => line).join(''),
    witnesses: [...new Set(signed.flatMap(({ keys }) => keys.map(({ name }) => name)))],
    quorum: config.witnessPolicy?.isMetBy(signed.flatMap(({ keys }) => keys)) ?? null,
  };
}

/**
 * A line under a checkpoint with the known keys that made it, of which there is none where a witness has another key by now: that line stays as
 * it came, and is called nobody's. Null: it is no signature, or of a known key and does not verify.
 */
function signedBy(
  note: string,
  { line, known }: { line: string; known: readonly VerifierKey[] },
): { line: string; keys: VerifierKey[] } | null {
  try {
    const [signature] = parseSignatureLines(line);
    if (signature === undefined) return null;
    const keys = known.filter(({ name, keyId }) => name === signature.name && keyId === signature.keyId);
    verifiedSignatures(
      note + line,
      keys.map(({ vkey }) => vkey),
    );
    return { line, keys };
  } catch (error) {
    if (error instanceof NoteFault) return null;
    throw error;
  }
}

/** Whether the keys that signed a checkpoint are enough. More keys are never less than fewer. */
type IsEnough = (signers: readonly VerifierKey[]) => boolean;

/** The verdict of the policy on signers; a policy that needs nobody is met by one at least. Null: there is no policy. */
const enoughBy = ({ witnessPolicy: policy }: Config): IsEnough | null =>
  policy === undefined ? null : (signers) => signers.length > 0 && policy.isMetBy(signers);

/** Looks from one checkpoint to the next older one that could do, each a read of an index; then the caller is content with less. */
const MAX_LOOKS = 100;

/**
 * The size of the newest checkpoint, of this size at least, whose signers among `keys` are enough; null: none is found. It passes over everything that
 * is newer than the last signature of a key without which the others are not enough, however many checkpoints that are.
 */
async function newestSignedBy(
  { pool }: Pick<Context, 'pool'>,
  keys: readonly VerifierKey[],
  { atLeast, isEnough }: { atLeast: number; isEnough: IsEnough },
): Promise<number | null> {
  let atMost = Number.MAX_SAFE_INTEGER;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const rows = await largestSignedWithin(pool, keys, { atLeast: Math.max(atLeast, 1), atMost });
    const largest = (key: VerifierKey): number =>
      rows.find(({ name, key_id: keyId }) => name === key.name && keyId === key.keyId)?.size ?? 0;
    const sizes = [...new Set(rows.map(({ size }) => size))].toSorted((one, other) => other - one);
    // No key has signed anything between its largest tree and `atMost`, so no tree above this one can have enough.
    const candidate = sizes.find((size) => isEnough(keys.filter((key) => largest(key) >= size)));
    if (candidate === undefined) return null;
    if (isEnough(keys.filter((key) => largest(key) === candidate))) return candidate;
    // The next look shows whether those with a larger tree signed this one too.
    atMost = candidate;
  }
  return null;
}

/**
 * Clients and monitors follow this: the newest checkpoint that meets the policy. Where none does yet, or there is no policy, the newest of all
 * (decision L40).
 * @throws Error where nothing is published
 */
export async function checkpointToFollow(context: Pick<Context, 'config' | 'pool'>): Promise<WitnessedCheckpoint> {
  const isEnough = enoughBy(context.config);
  const size =
    isEnough === null ? null : await newestSignedBy(context, knownWitnesses(context.config), { atLeast: 0, isEnough });
  const row = size === null ? null : await findCheckpoint(context.pool, size);
  return row === null ? newestCheckpoint(context) : withWitnesses(context, row);
}

/** The checkpoint of all that is published. @throws Error */
export async function newestCheckpoint(context: Pick<Context, 'config' | 'pool'>): Promise<WitnessedCheckpoint> {
  const newest = await findNewestCheckpoint(context.pool);
  if (newest === null) throw new Error('The log has no checkpoint of what it has published.');
  return withWitnesses(context, newest);
}

/**
 * The holder of a receipt is shown this: the newest checkpoint that meets the policy and of which the tree of the receipt is a part: the one
 * with the newest signature may have lost a quorum that was met before. Where none does, or there is no policy, the newest of those that the
 * most known witnesses have signed; where none has, the newest of all: a witness that is away keeps nothing back, and `witnesses` says that it
 * is missing (decision L104).
 */
export async function bestCheckpoint(
  context: Pick<Context, 'config' | 'pool'>,
  atLeast: number,
): Promise<WitnessedCheckpoint | null> {
  const keys = knownWitnesses(context.config);
  const isEnough = enoughBy(context.config);
  const wanted: IsEnough[] = isEnough === null ? [] : [isEnough];
  for (let count = namesOf(keys); count > 0; count -= 1) wanted.push((signers) => namesOf(signers) >= count);
  for (const isWanted of wanted) {
    const size = await newestSignedBy(context, keys, { atLeast, isEnough: isWanted });
    const row = size === null ? null : await findCheckpoint(context.pool, size);
    if (row !== null) return withWitnesses(context, row);
  }
  const newest = await findNewestCheckpoint(context.pool);
  return newest === null ? null : withWitnesses(context, newest);
}

const namesOf = (keys: readonly VerifierKey[]): number => new Set(keys.map(({ name }) => name)).size;
