import type { Config } from '../../../context/config.ts';
import type { Context } from '../../../context/context.ts';
import type { VerifierKey } from '../../../fields/verifier-key.ts';
import { findCheckpoint, findNewestCheckpoint, type CheckpointRow } from '../queries.ts';
import { parseSignatureLines } from '../signed-note.ts';
import { largestWitnessed, linesOf } from './queries.ts';

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

/** Adds the lines of witnesses to the note of a checkpoint. They were verified when they came. */
export async function withWitnesses(
  { config, pool }: Pick<Context, 'config' | 'pool'>,
  checkpoint: CheckpointRow,
): Promise<WitnessedCheckpoint> {
  const lines = (await linesOf(pool, checkpoint.tree_size)).map((line) => `${line}\n`).join('');
  const signatures = lines === '' ? [] : parseSignatureLines(lines);
  const keys = knownWitnesses(config).filter((key) =>
    signatures.some(({ name, keyId }) => key.name === name && key.keyId === keyId),
  );
  return {
    ...checkpoint,
    note: checkpoint.note + lines,
    witnesses: [...new Set(signatures.map(({ name }) => name))],
    quorum: config.witnessPolicy?.isMetBy(keys) ?? null,
  };
}

/**
 * What is shown to whoever holds a receipt: the newest checkpoint that a witness has signed and of which the tree of the receipt is a part. Where there
 * is none the newest one without any: a witness that is away keeps nothing back, and `witnesses` says that it is missing.
 */
export async function bestCheckpoint(
  context: Pick<Context, 'config' | 'pool'>,
  atLeast: number,
): Promise<WitnessedCheckpoint | null> {
  const size = await largestWitnessed(context.pool, atLeast);
  const row = size === null ? await findNewestCheckpoint(context.pool) : await findCheckpoint(context.pool, size);
  return row === null ? null : withWitnesses(context, row);
}
