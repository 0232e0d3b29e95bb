import { decoded, decodedHash, oneLine, sha256 } from './bytes.ts';
import {
  assertSign1,
  cwtClaimsOf,
  decodeInclusionProof,
  decodeSign1,
  kidOf,
  proofIn,
  type InclusionProof,
} from './cose.ts';
import { Fault, must } from './fault.ts';
import { canonicalJson, isObject, membersOf, type JsonValue, type Members } from './json.ts';
import { ed25519Key, parseVerifierKey, rawOfJwk, sameKey, thumbprintOf, type VerifierKey } from './keys.ts';
import { assertConsistent, leafHash, rootFromInclusion } from './merkle.ts';
import { openCheckpoint, parseCheckpoint, signersOf, type Checkpoint } from './note.ts';
import type { Policy } from './policy.ts';
import { assertFitsSchema } from './schema.ts';

/** The facts that the reader of a bundle trusts or knows from elsewhere; nothing in a bundle is trusted for its own sake. */
export interface Trust {
  /** The log, or logs, whose checkpoints count. */
  logs: readonly VerifierKey[];
  policy: Policy | null;
  /** A checkpoint of this log that was kept. */
  older: string | null;
  /** An answer of /v1/log/proofs/consistency between the older checkpoint and one of the bundle's. */
  consistency: JsonValue | null;
}

/**
 * `skipped`: what is needed for it was not given, or the bundle has nothing of it. `void`: of co-signatures alone, one that shows nothing. They
 * stand beside the claim, and everybody who adds one could otherwise spoil the evidence of somebody else.
 */
export interface Finding {
  check: string;
  outcome: 'ok' | 'failed' | 'skipped' | 'void';
  /** One line. */
  text: string;
}

interface Verdict {
  /** The subject, one line. */
  claim: string;
  findings: Finding[];
  /** `failed`: some check did. `erased`: none did, and what the claim stated cannot be checked any more, since its payload is gone. */
  status: 'verified' | 'erased' | 'failed';
}

/** A check returns what it found or why it was not made, and throws where it fails. */
type Check = () => string | { skipped: string };

/** A check that cannot be made, since another one has failed; `message` names that one. */
class NotMade extends Error {
  override readonly name = 'NotMade';
}

/** Returns what another check is about: where it does not hold, that one fails, and this one is not made. @throws NotMade */
function needed<Needed>(check: string, get: () => Needed): Needed {
  try {
    return get();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new NotMade(`not checked: ${check}`, { cause: error });
  }
}

/** The signed heads of a bundle, for the checks that rest on them. @throws NotMade */
interface Heads {
  /** The checkpoint of the tree of the receipt. */
  atReceipt(): Checkpoint;
  newest(): Checkpoint;
}

/**
 * Judges a bundle, one finding a check, each on its own: a failed one keeps none of the others from being made.
 * @throws Fault where the bundle is not one of version 1, or a member is missing or of another type
 */
export function verifyBundle(file: JsonValue, trust: Trust): Verdict {
  const bundle = readBundle(file);
  const { envelope, claimId, erased } = bundle;
  const signed = Buffer.from(canonicalJson(withoutLaterMembers(envelope)));
  const leaf = (): Buffer => erased?.leafHash() ?? leafHash(signed);
  const older = trust.older;
  const heads: Heads = {
    atReceipt: () => needed('checkpoint', () => openCheckpoint(bundle.checkpoint, trust.logs)),
    newest: () => needed('newest', () => openNewest(bundle, trust, heads)),
  };

  const checks: [string, Check][] = [
    ['log key', () => judgeLogKey(bundle, trust)],
    ['schema', () => (erased === null ? judgeSchema(bundle) : { skipped: 'the payload was erased' })],
    ['digest', () => judgeDigest(bundle, signed)],
    ['receipt', () => judgeReceipt(bundle)],
    ['checkpoint', () => describeHead(openCheckpoint(bundle.checkpoint, trust.logs))],
    ['inclusion', () => judgeInclusion(bundle, leaf(), heads)],
    ['cose receipt', () => judgeCoseReceipt(bundle, leaf(), { trust, heads })],
    ['tlog proof', () => judgeTlogProof(bundle, leaf(), { trust, heads })],
    ['newest', () => judgeNewest(bundle, leaf(), openNewest(bundle, trust, heads))],
    ['consistency', () => judgeConsistency(bundle, heads)],
    [
      'older checkpoint',
      () => (older === null ? { skipped: 'none was given (--checkpoint)' } : judgeOlder(older, trust, heads)),
    ],
    ['witnesses', () => judgeWitnesses(bundle, trust, heads)],
    ...bundle.coSignatures.map((one): [string, Check] => [
      'co-signature',
      () => judgeCoSignature(one, signed, erased !== null),
    ]),
    ['co-signatures', () => judgeSubmitted(bundle)],
    ...(isObject(envelope['receipt']) ? [foreignReceipt] : []),
    ['revocation', () => judgeRevocation(bundle.revocation)],
  ];
  const findings = checks.map(([check, make]) => beside(made(check, make)));
  return {
    claim: oneLine(`claim ${claimId} (${bundle.digest})`),
    findings,
    status: findings.some(({ outcome }) => outcome === 'failed') ? 'failed' : erased === null ? 'verified' : 'erased',
  };
}

const BESIDE: ReadonlySet<string> = new Set(['co-signature', 'co-signatures']);

/** The parts beside the claim decide nothing about it. */
const beside = (finding: Finding): Finding =>
  finding.outcome === 'failed' && BESIDE.has(finding.check) ? { ...finding, outcome: 'void' } : finding;

/** Nobody has signed it together with the envelope, and the key of its registry is not among those that are trusted here. */
const foreignReceipt: [string, Check] = [
  'external receipt',
  () => ({ skipped: 'the claim came with the receipt of another registry, which this program does not judge' }),
];

function made(check: string, make: Check): Finding {
  try {
    const found = make();
    if (typeof found !== 'string') return { check, outcome: 'skipped', text: oneLine(found.skipped) };
    return { check, outcome: 'ok', text: oneLine(found) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof NotMade) return { check, outcome: 'skipped', text: error.message };
    return { check, outcome: 'failed', text: oneLine(error.message) };
  }
}

type Bundle = ReturnType<typeof readBundle>;

function readBundle(file: JsonValue) {
  const bundle = membersOf(file, '');
  assertNothingElse(bundle);
  must(bundle.value('bundle_version') === 1, 'bundle_version is not 1; this program knows no other');
  const erased = bundle.has('erased') && bundle.flag('erased');
  const [latest, log] = [bundle.members('latest'), bundle.members('log')];
  const coSignatures = bundle.value('co_signatures');
  must(Array.isArray(coSignatures), 'co_signatures is not a list');
  return {
    claimId: bundle.text('claim_id'),
    digest: bundle.text('digest'),
    envelope: bundle.object('envelope'),
    erased: erased ? { leafHash: () => decodedHash(bundle.text('leaf_hash'), 'hex', 'leaf_hash') } : null,
    coSignatures,
    receipt: bundle.members('receipt'),
    coseReceipt: bundle.text('cose_receipt'),
    checkpoint: bundle.text('checkpoint'),
    latest: {
      checkpoint: latest.text('checkpoint'),
      consistency: latest.texts('consistency'),
      inclusion: latest.texts('inclusion'),
    },
    tlogProof: bundle.text('tlog_proof'),
    revocation: bundle.members('revocation'),
    log: { origin: log.text('origin'), vkey: log.text('vkey'), jwk: log.members('jwk') },
  };
}

/** An answer of the service from elsewhere is taken for a bundle now and then. @throws Fault that says what it is */
function assertNothingElse(file: Members): void {
  if (file.has('bundle_version')) return;
  const idOf = (name: string): string => (file.has(name) ? file.text(name) : '<id>');
  const fetched = (name: string): string => `fetch /v1/claims/${idOf(name)}/bundle`;
  must(!(file.has('id') && file.has('digest')), `this is a claim and no bundle; ${fetched('id')}`);
  must(
    !(file.has('claim_id') && file.has('log_index')),
    `this is the answer for a claim that waits for its place in the log; ${fetched('claim_id')} once more`,
  );
  must(!file.has('envelope_version'), `this is an envelope and no bundle; ${fetched('claim_id')}`);
  must(!(file.has('receipt') && file.has('checkpoint')), `this is a receipt and no bundle; ${fetched('claim_id')}`);
  must(
    !(file.has('claims') && file.has('has_more')),
    'this is a list of claims; fetch /v1/claims/<id>/bundle for each',
  );
}

/** The bytes that are hashed and signed of an envelope: receipt and co-signatures are added to it afterwards. */
const withoutLaterMembers = ({ receipt: _receipt, co_signatures: _coSignatures, ...signed }: Bundle['envelope']) =>
  signed;

/** That the bundle names the key which the reader trusts; no check uses the key in the bundle. */
function judgeLogKey({ log }: Bundle, { logs }: Trust): string {
  const named = parseVerifierKey(log.vkey);
  must(named.name === log.origin, `the bundle's log is ${log.origin}, and its key is of ${named.name}`);
  must(
    logs.some((trusted) => trusted.name === named.name && sameKey(trusted, named)),
    `the bundle names ${log.vkey}, which is not the key that you trust`,
  );
  must(rawOfJwk(log.jwk).equals(named.raw), 'log.jwk and log.vkey are different keys');
  return log.vkey;
}

function judgeSchema({ envelope }: Bundle): string {
  assertFitsSchema(envelope);
  const { text } = membersOf(envelope, 'envelope');
  return `a ${text('claim_type')} by ${text('issuer')} about ${text('subject')}`;
}

function judgeDigest({ digest, erased }: Bundle, signed: Buffer): ReturnType<Check> {
  if (erased !== null) {
    return {
      skipped:
        'the payload was erased: that the entry had this digest the COSE receipt says, and nothing ties what is left of the envelope to the log',
    };
  }
  const computed = `sha256:${sha256(signed).toString('hex')}`;
  must(computed === digest, `the envelope has ${computed}, the bundle says ${digest}`);
  return computed;
}

/** `[tree_size, leaf_index, hashes]` of a receipt's proof. */
const proofOf = (receipt: Members): InclusionProof => {
  const proof = receipt.members('proof');
  must(proof.text('format') === 'svc-merkle-v1', `its format is ${proof.text('format')}, not svc-merkle-v1`);
  return decodeInclusionProof(decoded(proof.text('bytes'), 'base64url', 'receipt.proof.bytes'));
};

function judgeReceipt({ receipt, checkpoint, claimId }: Bundle): string {
  const proof = receipt.members('proof');
  receipt.only('registry', 'registered_at', 'registry_entry_uri', 'proof', 'witnesses');
  proof.only('format', 'bytes', 'log_index', 'tree_size', 'root_hash');
  const { size, index } = proofOf(receipt);
  must(proof.count('tree_size') === size, `its tree_size is ${proof.count('tree_size')}, its proof is for ${size}`);
  must(proof.count('log_index') === index, `its log_index is ${proof.count('log_index')}, its proof is for ${index}`);
  const head = parseCheckpoint(checkpoint);
  must(head.size === size, `the checkpoint beside it has ${head.size} entries, the receipt ${size}`);
  const root = decodedHash(proof.text('root_hash'), 'hex', 'root_hash');
  must(root.equals(head.root), 'its root_hash is not that of the checkpoint beside it');
  const registry = receipt.text('registry');
  const entry = `${registry.replace(/\/$/, '')}/v1/claims/${claimId}`;
  const uri = receipt.textOrNull('registry_entry_uri');
  must(uri === entry, `the claim_id of the bundle is ${claimId}, and its registry_entry_uri is ${uri}, not ${entry}`);
  receipt.count('registered_at');
  must(receipt.value('witnesses') === null, 'it names witnesses, which a receipt of this kind never does');
  return `entry ${index} of ${size}, of ${registry}`;
}

const describeHead = ({ origin, size, root }: Checkpoint): string =>
  `${origin} signed ${size} entries with root ${root.toString('hex')}`;

function assertIncluded(leaf: Buffer, { index, size, hashes }: InclusionProof, head: Checkpoint): void {
  must(size === head.size, `the proof is for ${size} entries, the checkpoint for ${head.size}`);
  const root = rootFromInclusion(leaf, { index, size, path: hashes });
  must(root.equals(head.root), `the entry at ${index} and its proof lead to another root than that of the checkpoint`);
}

function judgeInclusion({ receipt, erased }: Bundle, leaf: Buffer, heads: Heads): string {
  const proof = proofOf(receipt);
  assertIncluded(leaf, proof, heads.atReceipt());
  const what = erased === null ? 'the claim' : 'an entry whose payload is gone';
  return `${what} (leaf ${leaf.toString('hex')}) is entry ${proof.index} of ${proof.size}`;
}

function judgeCoseReceipt(
  { coseReceipt, log, receipt, digest }: Bundle,
  leaf: Buffer,
  { trust: { logs }, heads }: { trust: Trust; heads: Heads },
): string {
  const sign1 = decodeSign1(decoded(coseReceipt, 'base64url', 'cose_receipt'));
  const head = heads.atReceipt();
  const { index, size } = proofOf(receipt);
  const proof = proofIn(sign1);
  must(proof.index === index && proof.size === size, 'its proof is about another entry than the receipt');
  assertIncluded(leaf, proof, head);
  const signers = logs.filter(({ name, raw }) => name === head.origin && raw.length === 32);
  must(signers.length > 0, `you trust no Ed25519 key of ${head.origin}`);
  const kid = kidOf(sign1);
  must(kid === log.jwk.text('kid'), `its key id is ${String(kid)}, that of the log's JWK is ${log.jwk.text('kid')}`);
  const { iss, sub } = cwtClaimsOf(sign1);
  must(iss === receipt.text('registry'), `its issuer is ${iss}, the registry of the receipt another`);
  must(sub === digest, `its subject is ${sub}, and not the digest of the claim`);
  assertByOneOf(signers, (signer) => assertSign1(sign1, head.root, signer.key));
  return `signed by ${head.origin} over the root of ${size} entries, about ${sub}`;
}

/** @throws Fault of the last of them where none passes */
function assertByOneOf(keys: readonly VerifierKey[], assert: (key: VerifierKey) => void): void {
  for (const [index, key] of keys.entries()) {
    try {
      assert(key);
      return;
    } catch (error) {
      if (!(error instanceof Fault) || index === keys.length - 1) throw error;
    }
  }
}

/** C2SP tlog-proof: the same entry in the format that other tools read. */
function judgeTlogProof(
  { tlogProof, receipt, checkpoint, latest }: Bundle,
  leaf: Buffer,
  { trust, heads }: { trust: Trust; heads: Heads },
): string {
  const end = tlogProof.indexOf('\n\n');
  must(end >= 0, 'it holds no checkpoint');
  const [first, ...lines] = tlogProof.slice(0, end).split('\n');
  must(first === 'c2sp.org/tlog-proof@v1', 'its first line is not c2sp.org/tlog-proof@v1');
  const [line = '', ...hashes] = lines[0]?.startsWith('extra ') === true ? lines.slice(1) : lines;
  const [, index] = /^index (0|[1-9]\d*)$/.exec(line) ?? [];
  must(Number(index) === proofOf(receipt).index, 'its index is not that of the receipt');
  const note = tlogProof.slice(end + 2);
  const head =
    note === checkpoint
      ? heads.atReceipt()
      : note === latest.checkpoint
        ? heads.newest()
        : openCheckpoint(note, trust.logs);
  // These two are held for consistency with each other and with an older checkpoint: a third tree would be held against nothing.
  const isOfTheBundle = [checkpoint, latest.checkpoint].some((one) => parseCheckpoint(one).text === head.text);
  must(isOfTheBundle, 'its checkpoint is neither that of the receipt nor the newest of the bundle');
  assertIncluded(
    leaf,
    { index: Number(index), size: head.size, hashes: hashes.map((hash) => decodedHash(hash, 'base64', 'a hash')) },
    head,
  );
  return `entry ${index} of ${head.size}`;
}

/** A fault of it is that of the check `newest`, unless it is the checkpoint of the receipt. @throws Fault, NotMade */
const openNewest = ({ checkpoint, latest }: Bundle, { logs }: Trust, heads: Heads): Checkpoint =>
  latest.checkpoint === checkpoint ? heads.atReceipt() : openCheckpoint(latest.checkpoint, logs);

function judgeNewest({ latest, receipt }: Bundle, leaf: Buffer, head: Checkpoint): string {
  const hashes = latest.inclusion.map((hash) => decodedHash(hash, 'hex', 'a hash of latest.inclusion'));
  const { index } = proofOf(receipt);
  assertIncluded(leaf, { index, size: head.size, hashes }, head);
  return `still entry ${index} of ${head.size}`;
}

function judgeConsistency({ latest }: Bundle, heads: Heads): string {
  const [older, newer] = [heads.atReceipt(), heads.newest()];
  must(older.origin === newer.origin, 'the two checkpoints are of different logs');
  assertConsistent(
    older,
    newer,
    latest.consistency.map((hash) => decodedHash(hash, 'hex', 'a hash of latest.consistency')),
  );
  return `the tree of ${newer.size} begins with that of ${older.size}`;
}

/** The answer of /v1/log/proofs/consistency. @throws Fault */
export function readConsistency(answer: JsonValue): { from: number; to: number; hashes: Buffer[] } {
  const proof = membersOf(answer, 'the consistency proof');
  const hashes = proof.texts('hashes').map((hash) => decodedHash(hash, 'hex', 'a hash of the consistency proof'));
  return { from: proof.count('from'), to: proof.count('to'), hashes };
}

/** Against one of the bundle's two checkpoints, which `consistency` has shown to be of one tree. */
function judgeOlder(note: string, { logs, consistency }: Trust, { atReceipt, newest }: Heads): ReturnType<Check> {
  const kept = openCheckpoint(note, logs);
  const heads = [atReceipt(), newest()];
  must(
    heads.every(({ origin }) => origin === kept.origin),
    `it is of ${kept.origin}, the bundle of another log`,
  );
  const same = heads.find(({ size }) => size === kept.size);
  if (same !== undefined || kept.size === 0) {
    assertConsistent(kept, same ?? kept, []);
    return `that of ${kept.size} entries has the same root`;
  }
  const sizes = heads.map(({ size }) => `from=${Math.min(size, kept.size)}&to=${Math.max(size, kept.size)}`);
  if (consistency === null) {
    return {
      skipped: `not checked: give --consistency; it has ${kept.size} entries, and the proof to one of the bundle's is at /v1/log/proofs/consistency?${sizes.at(-1)}`,
    };
  }
  const { from, to, hashes } = readConsistency(consistency);
  const other = heads.find(({ size }) => Math.min(size, kept.size) === from && Math.max(size, kept.size) === to);
  must(other !== undefined, `the proof leads from ${from} to ${to}; needed is ${sizes.join(' or ')}`);
  const [older, newer] = kept.size < other.size ? [kept, other] : [other, kept];
  assertConsistent(older, newer, hashes);
  return `the tree of ${newer.size} begins with that of ${older.size}`;
}

/** One checkpoint must have enough; it does not matter which, since inclusion was proven in each. */
function judgeWitnesses(
  { checkpoint, latest, tlogProof }: Bundle,
  { policy, logs }: Trust,
  { atReceipt, newest }: Heads,
): ReturnType<Check> {
  const inProof = tlogProof.slice(tlogProof.indexOf('\n\n') + 2);
  const notes = [latest.checkpoint, checkpoint, inProof];
  if (policy === null) {
    const lines = Math.max(...notes.map((note) => parseCheckpoint(note).signatures.length));
    return { skipped: `no policy was given (--policy); the checkpoints have ${lines - 1} other signatures` };
  }
  const signed = [newest(), atReceipt(), needed('tlog proof', () => openCheckpoint(inProof, logs))].map((head) => ({
    head,
    ...signersOf(head, policy.witnesses),
  }));
  const enough = signed.find(({ keys }) => policy.isMetBy(keys));
  if (enough === undefined) {
    const most = signed.toSorted((one, other) => other.keys.length - one.keys.length)[0]?.keys ?? [];
    throw new Fault(
      `the quorum ${policy.quorum} is not met; ${most.length === 0 ? 'no known witness has signed' : `signed by ${most.map(({ name }) => name).join(', ')}`}`,
    );
  }
  const { head, keys, latest: seconds } = enough;
  if (keys.length === 0) return 'the policy needs none';
  const when = seconds === null ? '' : `, the last at ${new Date(seconds * 1_000).toISOString()}`;
  return `the quorum ${policy.quorum} is met for ${head.size} entries: ${keys.map(({ name }) => name).join(', ')}${when}`;
}

const ROLES = ['operator_attestation', 'agent_self', 'witness'];

/** The id of a key is its thumbprint: a name that anybody may choose would let one signer stand in the place of another. */
function judgeCoSignature(one: JsonValue, signed: Buffer, erased: boolean): ReturnType<Check> {
  const coSignature = membersOf(one, 'it');
  const kid = coSignature.text('signer_kid');
  const role = coSignature.text('signer_role');
  must(ROLES.includes(role), `signer_role is not one of ${ROLES.join(', ')}`);
  const [who, saysVerified] = [`${role} ${kid}`, coSignature.flag('verified')];
  const message = coSignature.text('cose_sign1');
  if (erased) return { skipped: `${who}: what was signed was erased` };
  if (coSignature.value('jwk') === null) {
    must(!saysVerified, `${who}: the bundle says verified and has no key for it`);
    return { skipped: `${who}: its key is not known` };
  }
  try {
    const sign1 = decodeSign1Of(message);
    const raw = rawOfJwk(coSignature.members('jwk'));
    must(thumbprintOf(raw) === kid, `the key in the bundle has another thumbprint, ${thumbprintOf(raw)}`);
    const named = kidOf(sign1) ?? kid;
    must(named === kid, `the signature names the key ${named}`);
    assertSign1(sign1, signed, ed25519Key(raw));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Fault(`${who}: ${error.message}`, { cause: error });
  }
  return `${who}: signed, by the key of this thumbprint`;
}

/** base64url, or plain base64 where the signer wrote that. */
const decodeSign1Of = (text: string) =>
  decodeSign1(decoded(text, /[+/=]/.test(text) ? 'base64' : 'base64url', 'cose_sign1'));

/** Those that were sent with the envelope stand among the bundle's, and what the bundle says of each is so. */
function judgeSubmitted({ envelope, coSignatures }: Bundle): ReturnType<Check> {
  const spelled = (one: JsonValue): string =>
    isObject(one) ? canonicalJson([one['signer_kid'] ?? null, one['cose_sign1'] ?? null]) : '';
  const known = new Set(coSignatures.map(spelled));
  const sent = Object.hasOwn(envelope, 'co_signatures') ? envelope['co_signatures'] : [];
  must(Array.isArray(sent), 'envelope.co_signatures is not a list');
  const missing = sent.filter((one) => !known.has(spelled(one)));
  must(missing.length === 0, `the bundle leaves out ${missing.length} that the envelope has`);
  if (known.size === 0) return { skipped: `the bundle has none; ${UNSIGNED}` };
  return `${coSignatures.length}, among them all ${sent.length} of the envelope; ${UNSIGNED}`;
}

const UNSIGNED = 'which ones a claim has, and in which roles, is the word of the service (it is not signed)';

/** Nobody signs it: what the bundle says is what the service said when it was made. */
function judgeRevocation(revocation: Members): string {
  const [revokedAt, reason] = [revocation.textOrNull('revoked_at'), revocation.textOrNull('reason')];
  const asOf = revocation.text('as_of');
  must(!Number.isNaN(Date.parse(asOf)), 'as_of is not a time');
  must(revokedAt === null, `the claim was revoked at ${revokedAt}${reason === null ? '' : `: ${reason}`}`);
  return `not revoked as of ${asOf}, by the word of the service (it is not signed)`;
}
