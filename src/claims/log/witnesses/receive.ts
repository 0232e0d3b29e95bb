import type { Context } from '../../../context/context.ts';
import type { CommonQueryMethods } from '../../../database/pool.ts';
import { assertThat, CarnetError, invalid } from '../../../errors/carnet-error.ts';
import { openedLogOf, signedTree, type Log } from '../log-key.ts';
import { hashOfSpan, nodesOf } from '../merkle.ts';
import {
  NoteFault,
  parseCheckpoint,
  parseNote,
  verifiedSignatures,
  type Checkpoint,
  type VerifiedSignature,
} from '../signed-note.ts';
import { readNodes } from '../node-queries.ts';
import { findCheckpoint, findLog, noteWitnessed, readTime } from '../queries.ts';
import { contradictionBy, REMEDY } from '../stopped.ts';
import { insertCosignatures, nameOfKey, noteContradicted } from './queries.ts';
import { knownWitnesses } from './witnessed.ts';

/** The signatures that were taken of a note. */
interface Received {
  tree_size: number;
  /** The names of the witnesses whose signatures are kept. */
  witnesses: string[];
}

/**
 * Takes the signatures that witnesses made of a checkpoint of this log: a signed note with their lines.
 * @throws CarnetError VALIDATION_ERROR for what is no note of this log, or of a time that cannot be; INVALID_SIGNATURE where no known witness signed it, or one of them
 *   did not; CONFLICT where a witness signed a tree that is not the one here.
 */
export async function receiveWitnessSignatures(context: Context, body: Buffer): Promise<Received> {
  const { config, pool, log } = context;
  const note = body.toString('utf8');
  const { text, checkpoint } = readNote(note);
  const opened = await openedLogOf(context);
  if (checkpoint.origin !== opened.origin) throw invalidNote(`must be of this log, ${opened.origin}`);
  const verified = verifiedBy(
    note,
    knownWitnesses(config).map(({ vkey }) => vkey),
  );
  const { size } = checkpoint;
  const ours = await findCheckpoint(pool, size);
  if (ours === null || parseNote(ours.note).text !== text) {
    log.error({ note }, 'a witness signed a checkpoint that the claims log does not have: is this an older copy?');
    await stopUnlessHeld(context, { checkpoint, isOurs: isOurs(opened, note), verified });
    throw new CarnetError('CONFLICT', `This log has no such checkpoint of ${size} claims.`);
  }
  await refuseImpossibleTimes(pool, verified);
  await insertCosignatures(pool, size, verified);
  return { tree_size: size, witnesses: [...new Set(verified.map(({ key }) => key.name))] };
}

/** Whether the log itself signed the note: then it is no tree that only the witness has seen. */
function isOurs(opened: Log, note: string): boolean {
  try {
    signedTree(opened, note);
    return true;
  } catch (error) {
    if (error instanceof NoteFault) return false;
    throw error;
  }
}

interface Shown {
  checkpoint: Checkpoint;
  /** Whether the log signed it too. */
  isOurs: boolean;
  verified: readonly VerifiedSignature[];
}

/**
 * A tree that the log and a witness have signed, and that is no beginning of the one here, proves an older copy. What the log did
 * not sign is the word of its witnesses, and counts where the policy names them (decision L104).
 */
async function stopUnlessHeld({ config, pool }: Context, { checkpoint, isOurs: ours, verified }: Shown): Promise<void> {
  const { size, rootHash } = checkpoint;
  const row = await findLog(pool);
  const whole = { from: 0, to: size };
  const isHeld =
    row !== null && size <= row.tree_size && hashOfSpan(whole, await readNodes(pool, nodesOf(whole))).equals(rootHash);
  if (isHeld) return;
  if (ours) {
    const reason = `A witness has signed a tree of ${size} entries that this log signed too, and that is not in the database: it is an older copy. ${REMEDY}`;
    await noteWitnessed(pool, { size, rootHash, reason });
    return;
  }
  const signed = new Set(verified.map(({ key }) => nameOfKey(key)));
  const against = config.witnessPolicy?.witnesses.filter(({ key }) => signed.has(nameOfKey(key))) ?? [];
  if (against.length === 0) return;
  const why = `It has signed a tree of ${size} claims that is not in the database.`;
  await noteContradicted(pool, {
    by: against.map(({ key }) => key),
    reason: contradictionBy(against.map(({ name }) => ({ name, why }))),
  });
}

const invalidNote = (message: string): CarnetError => invalid({ path: 'note', code: 'invalid_note', message });

function readNote(note: string): { text: string; checkpoint: Checkpoint } {
  try {
    const { text } = parseNote(note);
    return { text, checkpoint: parseCheckpoint(text) };
  } catch (error) {
    if (error instanceof NoteFault) throw invalidNote(`must be a signed note of a checkpoint: ${error.message}`);
    throw error;
  }
}

function verifiedBy(note: string, vkeys: readonly string[]): ReturnType<typeof verifiedSignatures>['verified'] {
  try {
    const { verified } = verifiedSignatures(note, vkeys);
    assertThat(
      verified.length > 0,
      () => new CarnetError('INVALID_SIGNATURE', 'No witness whose key is known here signed this checkpoint.'),
    );
    return verified;
  } catch (error) {
    if (error instanceof NoteFault) throw new CarnetError('INVALID_SIGNATURE', error.message, { cause: error });
    throw error;
  }
}

/** So far a witness' clock may be ahead of the one here; in seconds. Verifiers show when the last witness signed. */
const MAX_AHEAD = 24 * 60 * 60;

/**
 * That cosignatures name times at which somebody can have signed; 0 stands for no time. In what a witness answers to us no time is refused: nobody
 * there reads a refusal, so the signature is kept, and verifiers pass over a time that no date can show.
 * @throws CarnetError
 */
async function refuseImpossibleTimes(
  connection: CommonQueryMethods,
  verified: readonly VerifiedSignature[],
): Promise<void> {
  const latest = Date.parse(await readTime(connection)) / 1_000 + MAX_AHEAD;
  for (const { key, timestamp } of verified) {
    if (timestamp === 0) throw invalidNote(`must name the time at which ${key.name} signed, and names 0`);
    if (timestamp !== null && timestamp > latest)
      throw invalidNote(`must not be signed more than a day from now, as ${key.name} says`);
  }
}
