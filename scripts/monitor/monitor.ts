import { decodedHash } from '../verify/bytes.ts';
import { Fault, must } from '../verify/fault.ts';
import { membersOf, parseJson, type JsonValue, type Members } from '../verify/json.ts';
import { parseVerifierKey, rawOfJwk, verifierKeyText, type VerifierKey } from '../verify/keys.ts';
import { rootsFromConsistency } from '../verify/merkle.ts';
import { openCheckpoint, parseCheckpoint, type Checkpoint } from '../verify/note.ts';

/** The state that a monitor remembers of a log between two runs. */
export interface State {
  /** The verifier key that every checkpoint must be signed by. */
  key: string;
  /** The last checkpoint to follow that was consistent with all before it: a signed note. */
  checkpoint: string;
  /** The same of the newest of all, which with a policy of witnesses may be larger. */
  newest: string;
}

/** Two heads that the log has signed do not go together, as far as can be seen. The notes are the evidence. */
export class TwoHeads extends Error {
  readonly notes: readonly [string, string];
  constructor(message: string, notes: readonly [string, string]) {
    super(message);
    this.notes = notes;
  }
}

/** A consistency proof as the log gave it. */
interface Proof {
  from: number;
  to: number;
  /** In hex. */
  hashes: readonly string[];
}

/** The log contradicts what it said before: it has signed two trees of one size, or the larger one begins with another one than the smaller. */
export class Forked extends TwoHeads {
  override readonly name = 'Forked';
  /** By which the larger tree begins with another one; null: the notes alone show it. */
  readonly proof: Proof | null;
  constructor(message: string, notes: readonly [string, string], proof: Proof | null) {
    super(message, notes);
    this.proof = proof;
  }
}

/**
 * The log gives no proof that holds or that can be read: a fork would look like this, a fault that passes, and a log that was rolled back to an
 * older copy and does not have the larger tree any more.
 */
export class Unproven extends TwoHeads {
  override readonly name = 'Unproven';
}

/** The log shows a tree with which the known one begins: it was rolled back, or somebody answered from a stale copy. */
export class Older extends Error {
  override readonly name = 'Older';
}

/** The log answers that it does not give what was fetched, as a proof of sizes that it does not have. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The log shows a checkpoint that its key did not sign. */
export class NotSigned extends Error {
  override readonly name = 'NotSigned';
}

/** Fetches a path of the log. @throws Refused for a 4xx. @throws Fault where it does not answer 200 */
export type Fetch = (path: string) => Promise<string>;

interface Step {
  state: State;
  /** One line. */
  text: string;
}

/**
 * One walk from the last known checkpoints to those of now: the one to follow and the newest of all, which are of one tree. A log that shows its
 * followers one tree signs the newest of another just the same.
 * @param known null at the first run; then `key` is trusted, or, without one, any key that the log shows
 * @throws Forked where the log does not hold what it held before; Older where it shows less of the same; Unproven where neither can be shown;
 *   NotSigned where it shows what the key did not sign; Fault where something cannot be read
 */
export async function walk(fetch: Fetch, known: State | null, key: string | null): Promise<Step> {
  must(known === null || key === null || known.key === key, 'the state is of another key than --key');
  const note = await fetch('/v1/log/checkpoint');
  const trusted = known?.key ?? key ?? (await firstKey(fetch, note));
  const signing = parseVerifierKey(trusted);
  const shown = (text: string): Head => ({ note: text, checkpoint: signedCheckpoint(text, signing) });
  const followed = shown(note);
  const newest = shown(await fetch('/v1/log/checkpoint/newest'));
  const before =
    known === null
      ? []
      : [known.checkpoint, known.newest].map((text) => ({ note: text, checkpoint: openCheckpoint(text, [signing]) }));
  assertOneOfEachSize([...before, followed, newest]);
  const [followedBefore, newestBefore] = before;
  const state: State = { key: trusted, checkpoint: note, newest: newest.note };
  const { origin, size, root } = followed.checkpoint;
  const head = `${size} entries, root ${root.toString('hex')}`;
  if (followedBefore !== undefined) await assertHeld(fetch, followedBefore, followed);
  // Where both were one tree, the newest of now is held against it by way of the one to follow.
  if (newestBefore !== undefined && newestBefore.checkpoint.size !== followedBefore?.checkpoint.size)
    await assertHeld(fetch, newestBefore, newest);
  await assertHeld(fetch, followed, newest);
  if (followedBefore !== undefined)
    return { state, text: `${origin}: consistent from ${followedBefore.checkpoint.size} to ${head}` };
  const how = key === null ? `trusted on first use: ${trusted}` : 'signed by the key that you gave';
  return { state, text: `${origin}: first look at ${head}; ${how}` };
}

/** A checkpoint that the log has signed. */
interface Head {
  note: string;
  checkpoint: Checkpoint;
}

/** @throws Forked where two of these have the same size and not the same root: no proof is needed then */
function assertOneOfEachSize(heads: readonly Head[]): void {
  for (const [at, one] of heads.entries())
    for (const other of heads.slice(at + 1)) {
      const { origin, size, root } = other.checkpoint;
      if (one.checkpoint.size !== size || one.checkpoint.root.equals(root)) continue;
      const message = `${origin} HAS FORKED: it has signed two different trees of ${size} entries`;
      throw new Forked(message, [one.note, other.note], null);
    }
}

/** @throws Forked, Older; Unproven where neither they nor the opposite can be shown */
async function assertHeld(fetch: Fetch, older: Head, newer: Head): Promise<void> {
  try {
    await assertGrown(fetch, older, newer);
  } catch (error) {
    if (error instanceof Forked || error instanceof Older || !(error instanceof Error)) throw error;
    const [last, next] = [older.checkpoint, newer.checkpoint];
    const sizes = `its trees of ${last.size} and of ${next.size} entries`;
    const rolledBack = next.size < last.size ? ' It was rolled back to an older copy, or hides a fork.' : '';
    throw new Unproven(`${next.origin}: nothing shows that ${sizes} are of one log: ${error.message}.${rolledBack}`, [
      older.note,
      newer.note,
    ]);
  }
}

/** @throws NotSigned; Fault where the note is no checkpoint at all */
function signedCheckpoint(note: string, key: VerifierKey): Checkpoint {
  parseCheckpoint(note);
  try {
    return openCheckpoint(note, [key]);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new NotSigned(error.message, { cause: error });
  }
}

/** The one key that the log shows and that signed its checkpoint. @throws NotSigned */
async function firstKey(fetch: Fetch, note: string): Promise<string> {
  const { origin } = parseCheckpoint(note);
  const keys = jsonOf(await fetch('/.well-known/scitt-keys'))
    .eachOf('keys')
    .map((jwk) => verifierKeyText(origin, rawOfJwk(jwk)));
  const signing = keys.find((key) => isSignedBy(note, key));
  if (signing !== undefined) return signing;
  throw new NotSigned(`the checkpoint of ${origin} is signed by none of the ${keys.length} keys that the log shows`);
}

function isSignedBy(note: string, key: string): boolean {
  try {
    signedCheckpoint(note, parseVerifierKey(key));
    return true;
  } catch (error) {
    if (error instanceof NotSigned) return false;
    throw error;
  }
}

const jsonOf = (text: string): Members => membersOf(parseJson(text) satisfies JsonValue, '');

/** Both have the same root where they have one size. @throws Forked, Older; Fault where nothing is shown */
async function assertGrown(fetch: Fetch, older: Head, newer: Head): Promise<void> {
  const [last, newest] = [older.checkpoint, newer.checkpoint];
  const notes = [older.note, newer.note] as const;
  const forked = (why: string, proof: Proof): Forked => new Forked(`${newest.origin} HAS FORKED: ${why}`, notes, proof);
  if (newest.size < last.size) {
    const shown = `it had ${last.size} entries and shows ${newest.size}`;
    const other = await proofOfAnother(fetch, newest, last);
    if (other !== null) throw forked(`${shown}, which are not the same ones`, other);
    throw new Older(`${newest.origin} shows an older tree: ${shown} of the same: rolled back, or a stale copy`);
  }
  if (newest.size === last.size) return;
  const other = await proofOfAnother(fetch, last, newest);
  if (other !== null) throw forked(`its ${newest.size} entries do not begin with the ${last.size} that it had`, other);
}

/**
 * The proof by which the newer tree begins with another one than the older; null: it begins with that. A wrong proof shows neither, no matter who made it
 * so: only one that leads to the root of the newer tree is of its nodes. A log that gives none proves nothing either: one that was restored from
 * an older copy does not have the larger tree.
 * @throws Fault
 */
async function proofOfAnother(fetch: Fetch, older: Checkpoint, newer: Checkpoint): Promise<Proof | null> {
  if (older.size === 0) return null;
  const { proof, hashes } = await proofBetween(fetch, older.size, newer.size);
  const roots = rootsFromConsistency(older, newer, hashes);
  if (roots.newer.equals(newer.root)) return roots.older.equals(older.root) ? null : proof;
  const other = isPowerOfTwo(older.size) ? await proofPast(fetch, older, newer) : null;
  must(other !== null, `the proof does not lead to the root of ${newer.size} entries`);
  return other;
}

const isPowerOfTwo = (size: number): boolean => Number.isInteger(Math.log2(size));

/**
 * A proof leaves out the older root where that is a node of the newer tree, and a fork looks like a wrong proof then. The one from a size more has
 * that node. Null: it shows nothing.
 * @throws Fault
 */
async function proofPast(fetch: Fetch, older: Checkpoint, newer: Checkpoint): Promise<Proof | null> {
  const size = older.size + 1;
  if (older.size === 1 || size >= newer.size) return null;
  const { proof, hashes } = await proofBetween(fetch, size, newer.size);
  const roots = rootsFromConsistency({ size, root: older.root }, newer, hashes);
  return roots.newer.equals(newer.root) && !hashes.some((hash) => hash.equals(older.root)) ? proof : null;
}

/** @throws Fault */
async function proofBetween(fetch: Fetch, from: number, to: number): Promise<{ proof: Proof; hashes: Buffer[] }> {
  const texts = jsonOf(await fetch(`/v1/log/proofs/consistency?from=${from}&to=${to}`)).texts('hashes');
  return {
    proof: { from, to, hashes: texts },
    hashes: texts.map((hash) => decodedHash(hash, 'hex', 'a hash of the proof')),
  };
}
