import { noteSchedule } from '../../../commands/schedules.ts';
import type { Context } from '../../../context/context.ts';
import { submissionUrl, type PolicyWitness } from '../../../context/witness-policy.ts';
import { metrics } from '../../../metrics/metrics.ts';
import type { VerifierKey } from '../../../fields/verifier-key.ts';
import { consistencyOf, publishedSize } from '../proofs.ts';
import { findLog, findNewestCheckpoint, type CheckpointRow } from '../queries.ts';
import { NoteFault, verifiedSignatures } from '../signed-note.ts';
import { contradictionBy } from '../stopped.ts';
import {
  contradicting,
  insertCosignatures,
  largestSignedBy,
  nameOfKey,
  noteConfirmed,
  noteContradicted,
  noteNotContradicted,
  noteOutweighed,
} from './queries.ts';

/** Witnesses answer in milliseconds; one that is away holds nothing up but its own signature. */
const TIMEOUT_MS = 10_000;
/** Sixteen signatures of ML-DSA-44 in base64. */
const MAX_REPLY_BYTES = 64 * 1024;
/** One that names another size may be shown checkpoints by somebody else meanwhile, and then names yet another. */
const MAX_TRIES = 3;

const asked = metrics.counter('carnet_log_witnessings', 'Witnesses that were asked to sign a checkpoint, by outcome');

/** How many witnesses were asked, and how many of them signed. */
interface Witnessing {
  asked: number;
  signed: number;
}

/** Why a witness did not sign; `message` is a sentence. */
class NotSigned extends Error {
  override readonly name = 'NotSigned';
}

/** The witness has signed another tree of this log than the one in the database. */
class Contradicts extends NotSigned {}

type Outcome = 'signed' | 'confirmed' | 'not_signed' | 'contradicts';

interface Answer {
  witness: PolicyWitness;
  /** `confirmed`: it signed, and had signed the log before. */
  outcome: Outcome;
  /** Says why one did not sign. */
  reason: string;
}

/**
 * Asks each witness of the policy that has an address for its signature of the newest checkpoint (c2sp.org/tlog-witness), those aside that
 * have signed it; where nobody has confirmed the head of the log, or a witness knows another tree, these too. A witness that does not sign is
 * logged and counted, and holds back nothing; one that knows another tree stops the log, unless enough others confirm this one (decision L104).
 */
export async function askWitnesses(context: Context): Promise<Witnessing> {
  const done = await askAll(context);
  if (done.signed === done.asked) await noteSchedule(context.pool, 'log-witnessing');
  return done;
}

async function askAll(context: Context): Promise<Witnessing> {
  const { config, pool } = context;
  const checkpoint = await findNewestCheckpoint(pool);
  if (checkpoint === null || checkpoint.tree_size === 0) return { asked: 0, signed: 0 };
  const row = await findLog(pool);
  const isDoubted = row !== null && (row.unproven_since !== null || row.contradicted_by !== null);
  const outcomes = await Promise.all(
    (config.witnessPolicy?.witnesses ?? []).map(async (witness): Promise<Answer | null> => {
      if (witness.url === null) return null;
      const known = await largestSignedBy(pool, witness.key);
      if (known >= checkpoint.tree_size && !isDoubted) return null;
      return askOne(context, { witness, url: witness.url, checkpoint, known });
    }),
  );
  const answers = outcomes.filter((answer) => answer !== null);
  for (const { outcome } of answers) asked.add(1, { outcome: outcome === 'confirmed' ? 'signed' : outcome });
  await weigh(context, answers, checkpoint);
  const signed = answers.filter(({ outcome }) => outcome === 'signed' || outcome === 'confirmed');
  return { asked: answers.length, signed: signed.length };
}

async function askOne(context: Context, question: Question): Promise<Answer> {
  const { witness } = question;
  try {
    return { witness, outcome: await askWitness(context, question), reason: '' };
  } catch (error) {
    if (!(error instanceof NotSigned)) throw error;
    const isContradiction = error instanceof Contradicts;
    context.log[isContradiction ? 'error' : 'warn'](
      { witness: witness.name, reason: error.message },
      'a witness did not sign the checkpoint of the claims log',
    );
    return { witness, outcome: isContradiction ? 'contradicts' : 'not_signed', reason: error.message };
  }
}

/**
 * Judges what the answers of a round say of the head together: one witness that lies must not stop a log that enough others confirm. Where those that
 * know another tree meet the policy by themselves, clients may have taken that one, and nobody outweighs them.
 */
async function weigh(
  { config, pool }: Context,
  answers: readonly Answer[],
  { tree_size: size }: CheckpointRow,
): Promise<void> {
  const { witnessPolicy: policy } = config;
  const row = await findLog(pool);
  if (policy === undefined || row === null) return;
  const keysOf = (outcome: Outcome): VerifierKey[] =>
    answers.filter((answer) => answer.outcome === outcome).map(({ witness }) => witness.key);
  const [confirming, against] = [keysOf('confirmed'), keysOf('contradicts')];
  const known = contradicting(row);
  const standing = policy.witnesses
    .map(({ key }) => key)
    .filter((key) => against.includes(key) || (known.has(nameOfKey(key)) && !confirming.includes(key)));
  const isMetBy = (keys: readonly VerifierKey[]): boolean => keys.length > 0 && policy.isMetBy(keys);
  if (isMetBy(confirming) && !isMetBy(standing)) {
    await noteOutweighed(pool);
    await noteConfirmed(pool, size);
    return;
  }
  await noteNotContradicted(pool, confirming);
  if (against.length === 0) return;
  const saying = answers.filter(({ outcome }) => outcome === 'contradicts');
  const reason = contradictionBy(saying.map(({ witness: { name }, reason: why }) => ({ name, why })));
  await noteContradicted(pool, { by: against, reason });
}

interface Question {
  witness: PolicyWitness;
  url: string;
  checkpoint: CheckpointRow;
  /** The largest tree that the witness is known to have signed; 0: none. */
  known: number;
}

/** @throws NotSigned */
async function askWitness(context: Context, question: Question): Promise<'signed' | 'confirmed'> {
  const { checkpoint, known } = question;
  let old = known;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = await post(context, question, old);
    if (answer.status === 409) {
      old = await sizeAfter(context, question, { old, body: answer.body });
      continue;
    }
    if (answer.status === 422) {
      throw new Contradicts(
        `It finds no proof that the ${checkpoint.tree_size} claims here begin with the ${old} that it has signed.`,
      );
    }
    if (answer.status !== 200) throw new NotSigned(`It answered ${answer.status}.`);
    await keep(context, question, answer.body);
    // One that had signed nothing confirms nothing, and one that has lost what it had signed does not either.
    return old > 0 && old >= known ? 'confirmed' : 'signed';
  }
  throw new NotSigned('It named another size each time that it was asked.');
}

/**
 * The size from which to prove the growth after a 409: the witness has signed another tree than it was told, as when an answer of it was lost. It
 * says 409, too, where it has signed another tree of the same size, and nobody prescribes the body of that.
 * @throws Contradicts, NotSigned
 */
async function sizeAfter(
  { pool }: Context,
  { checkpoint: { tree_size: size } }: Question,
  { old, body }: { old: number; body: string },
): Promise<number> {
  const named = sizeIn(body);
  if (old === size && (named === null || named === size))
    throw new Contradicts(`It has signed another tree of ${size} claims.`);
  if (named === null || named === old) throw new NotSigned('It answered 409 without another size that it knows.');
  if (named <= size) return named;
  // Somebody else may have shown it a checkpoint that was published meanwhile.
  if (named <= (await publishedSize(pool)))
    throw new NotSigned(`It has signed a newer tree of ${named} claims already.`);
  throw new Contradicts(`It has signed a tree of ${named} claims, and the newest here has ${size}.`);
}

async function post(
  { outbound, pool }: Context,
  { url, checkpoint }: Question,
  oldSize: number,
): Promise<{ status: number; body: string }> {
  const { hashes } = oldSize === 0 ? { hashes: [] } : await consistencyOf(pool, oldSize, checkpoint.tree_size);
  const lines = [`old ${oldSize}`, ...hashes.map((hash) => hash.toString('base64'))];
  const outcome = await outbound.send({
    url: submissionUrl(url),
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: `${lines.join('\n')}\n\n${checkpoint.note}`,
    timeoutMs: TIMEOUT_MS,
    maxReplyBytes: MAX_REPLY_BYTES,
    replyTextBytes: MAX_REPLY_BYTES,
  });
  if (outcome.outcome !== 'answered') throw new NotSigned(outcome.sentence);
  if (outcome.replyEnd !== 'whole') throw new NotSigned(`Its answer was read no further: ${outcome.replyEnd}.`);
  return { status: outcome.status, body: outcome.replyText };
}

/** The size that a 409 names; null: it names none. */
function sizeIn(body: string): number | null {
  const size = /^(0|[1-9]\d{0,15})\n$/.test(body) ? Number(body) : Number.NaN;
  return Number.isSafeInteger(size) ? size : null;
}

/** Keeps the lines of the witness; those of others are passed over. */
async function keep({ pool }: Context, { witness, checkpoint }: Question, lines: string): Promise<void> {
  try {
    const { verified } = verifiedSignatures(checkpoint.note + lines, [witness.key.vkey]);
    if (verified.length === 0) throw new NotSigned('Its answer has no signature by its key.');
    await insertCosignatures(pool, checkpoint.tree_size, verified);
  } catch (error) {
    if (error instanceof NoteFault) throw new NotSigned(`Its answer is refused: ${error.message}`, { cause: error });
    throw error;
  }
}
