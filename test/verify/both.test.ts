import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifyBundle } from '../../scripts/verify/checks.ts';
import { Fault } from '../../scripts/verify/fault.ts';
import { reading } from '../../scripts/verify/files.ts';
import { parseJson } from '../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../scripts/verify/keys.ts';
import {
  cbor,
  coSignature,
  inclusionOf,
  leafOf,
  newKeys,
  noteOf,
  plainEnvelope,
  rootOf,
  sign1,
  signedBytes,
  TestLog,
  type Keys,
  type Members,
  type TestBundle,
} from './log.ts';
import { needPython } from './python-here.ts';

// The two verifiers share no code, so a bundle that one of them takes and the other refuses is a fault of one: of the program, or of the
// page that lists what the Python program leaves out (docs/claims.md).

type Verdict = 'verified' | 'erased' | 'refused';
type Outcome = 'ok' | 'void' | 'skipped';

interface Case {
  name: string;
  verdict: Verdict;
  /** The words of the Python program, where it leaves this out. */
  python?: Verdict;
  /** The words of both about its one co-signature. */
  coSignature?: Outcome;
  text: string;
  older?: string;
}

const INDEX = 5;
const signer = newKeys('signer');
const log = TestLog.around(plainEnvelope, { index: INDEX, total: 23 });
const honest = (): TestBundle => structuredClone(log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 23 }));

const cases: Case[] = [];
const add = (
  verdict: Verdict,
  name: string,
  { text, ...more }: Pick<Case, 'older' | 'python'> & { text: string },
): void => void cases.push({ name, verdict, text, ...more });
const change = (verdict: Verdict, name: string, edit: (bundle: TestBundle) => void): void => {
  const bundle = honest();
  edit(bundle);
  add(verdict, name, { text: JSON.stringify(bundle) });
};
/** A bundle of a claim with this payload. */
const withPayload = (payload: unknown, type = 'dossier'): string => {
  const envelope = { ...plainEnvelope, claim_type: type, payload };
  return JSON.stringify(
    TestLog.around(envelope, { index: INDEX, total: 23, keys: log.keys }).bundle(envelope, {
      index: INDEX,
      size: 11,
      newest: 23,
    }),
  );
};
const replaced = (text: string, from: string, to: string): string => {
  assert(text.includes(from), from);
  return text.replace(from, to);
};

const text = JSON.stringify(honest());
const spaces = ' '.repeat(80);
add('verified', 'an honest bundle', { text });
change('verified', 'who submitted it', (bundle) => Object.assign(bundle, { submitter: 'agent_key' }));
change('verified', 'erased: false', (bundle) => Object.assign(bundle, { erased: false }));
add('verified', 'numbers that stay what they are', {
  text: withPayload({ n: [1e21, 1e-7, 5e-324, 1.797e308, 4.35, -1.5] }),
});
add('verified', 'names of other planes, and separators', {
  text: withPayload({ '😀': 1, '\ufb33': 2, '\u007f': '\u2028\u0007' }),
});
add('verified', 'a text of 260,000 characters', { text: withPayload({ t: 'é"\\'.repeat(60_000) }) });
add('verified', 'a pair of surrogates in two cases', {
  text: replaced(withPayload({ text: '😀' }), '😀', String.raw`\ud83d\uDE00`),
});

const plain = withPayload({ limit: null, text: 'ok', big: 1_000 });
add('refused', 'null made 1e400', { text: replaced(plain, '"limit":null', '"limit":1e400') });
add('refused', 'null made NaN', { text: replaced(plain, '"limit":null', '"limit":NaN') });
for (const number of [
  '9007199254740992',
  '10000000000000000',
  '1e16',
  '1E20',
  '1000.0000e13',
  '1000000000000000000001e0',
])
  add('refused', `the number ${number}`, {
    text: replaced(withPayload({ big: Number(number) }), `:${Number(number)}}`, `:${number}}`),
  });
add('refused', 'a name that stands twice, behind white space', {
  text: replaced(plain, '"text":"ok"', `"text"${spaces}:"worthless","text"${spaces}:"ok"`),
});
add('refused', 'a name of the bundle that stands twice', {
  text: replaced(text, '"digest":', `"digest"${spaces}:"","digest":`),
});
add('refused', 'a byte order mark', { text: `\ufeff${text}` });
add('refused', 'half of a surrogate pair, where nothing is signed', {
  text: replaced(text, '"reason":null', String.raw`"reason":"\ud800"`),
});
add('refused', 'what is no JSON', { text: 'VERIFIED\u001b\nVERIFIED  claim pc_1: 16 checks hold' });
add('refused', 'a list', { text: '[]' });

const fork = new TestLog(log.keys, log.leaves.with(2, leafOf(Buffer.from('forked'))));
change('refused', 'a tlog-proof in another tree of the same size', (bundle) => {
  bundle.tlog_proof = fork.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 11 }).tlog_proof;
});
change('refused', 'a receipt that names witnesses', (bundle) =>
  Object.assign(bundle.receipt, {
    witnesses: [{ registry: 'r', registry_entry_uri: 'https://r/1', proof_bytes: null }],
  }),
);
change('refused', 'another format in the receipt', (bundle) => (bundle.receipt.proof.format = 'rekor-v2-tle'));
change('refused', 'another claim_id', (bundle) => (bundle.claim_id = 'pc_other'));
change('refused', 'bundle_version 2', (bundle) => (bundle.bundle_version = 2));
change('refused', 'another log.vkey', (bundle) => (bundle.log.vkey = newKeys(log.keys.name).vkey));
const hexed = (edit: (hash: string) => string) => (bundle: TestBundle) =>
  (bundle.latest.inclusion = bundle.latest.inclusion.map(edit));
change(
  'refused',
  'hex in capitals',
  hexed((hash) => hash.toUpperCase()),
);
change(
  'refused',
  'hex with spaces',
  hexed((hash) => ` ${hash} `),
);
change('verified', 'a line of an unknown key', (bundle) => (bundle.checkpoint += '— w AAAAAAAA\n'));
change('refused', 'U+2028 in a line of a checkpoint', (bundle) => (bundle.checkpoint += '— a\u2028b AAAAAAAA\n'));
change('refused', 'a line that is no signature', (bundle) => (bundle.checkpoint += 'seen\n'));
change('refused', 'a revocation', (bundle) => (bundle.revocation.revoked_at = '\r\u001b[2KVERIFIED pc_1'));

add('verified', 'an older checkpoint of the receipt', { text, older: log.checkpoint(11) });
add('verified', 'an older checkpoint of an empty log', { text, older: log.checkpoint(0) });
add('refused', 'an older checkpoint of another history', { text, older: fork.checkpoint(11) });
add('refused', 'an older checkpoint that is empty', { text, older: '' });

interface ReceiptParts {
  kid?: boolean;
  alg?: boolean;
  crit?: boolean;
  proofs?: number;
  attached?: boolean;
  proof?: Buffer;
}
const coseReceiptWith = ({ receipt: { registry }, digest }: TestBundle, more: ReceiptParts): string => {
  const leaves = log.leaves.slice(0, 11);
  const proof = more.proof ?? cbor([11, INDEX, inclusionOf(INDEX, leaves)]);
  return sign1({
    key: log.keys.privateKey,
    payload: rootOf(leaves),
    attached: more.attached ?? false,
    protectedHeader: [
      [1, -8],
      [4, Buffer.from(log.keys.jwk.kid)],
      [
        15,
        new Map([
          [1, registry],
          [2, digest],
        ]),
      ],
      [395, 1],
    ],
    unprotected: [
      ...(more.alg === true ? [[1, -8] as [number, number]] : []),
      ...(more.crit === true ? [[2, [99]] as [number, number[]]] : []),
      ...(more.kid === true ? [[4, Buffer.from('x')] as [number, Buffer]] : []),
      [396, new Map([[-1, Array.from({ length: more.proofs ?? 1 }, () => proof)]])],
    ],
  }).toString('base64url');
};
const receipt = (name: string, more: ReceiptParts, verdict: Verdict = 'refused'): void =>
  change(verdict, `a COSE receipt ${name}`, (bundle) => (bundle.cose_receipt = coseReceiptWith(bundle, more)));
receipt('that is ours', {}, 'verified');
receipt('with the same proof twice', { proofs: 2 });
receipt('with its payload attached', { attached: true });
receipt('with a second kid', { kid: true });
receipt('with crit', { crit: true });

const thumbprintOf = (x: string): string =>
  createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
interface Made {
  kid?: string | null;
  unprotected?: [number, number | Buffer | number[]][];
  attached?: boolean;
}
const made = ({ kid = signer.jwk.kid, unprotected = [], attached = false }: Made): Buffer =>
  sign1({
    key: signer.privateKey,
    payload: signedBytes(plainEnvelope),
    protectedHeader: [[1, -8], ...(kid === null ? [] : [[4, Buffer.from(kid)] as [number, Buffer]])],
    unprotected,
    attached,
  });
/** A co-signature never decides the claim. */
const coSigned = (
  outcome: Outcome,
  name: string,
  { message, more = {} }: { message: Buffer | string; more?: Members },
): void => {
  change('verified', `a co-signature ${name}`, (bundle) => {
    const cose = typeof message === 'string' ? message : message.toString('base64url');
    bundle.co_signatures.push({ ...coSignature(plainEnvelope, signer), cose_sign1: cose, ...more });
  });
  Object.assign(cases.at(-1) ?? {}, { coSignature: outcome });
};
const ours = made({});
coSigned('ok', 'that is fine', { message: ours });
coSigned('ok', 'in plain base64', { message: ours.toString('base64') });
coSigned('ok', 'without its tag', { message: ours.subarray(1) });
coSigned('ok', 'that names its key outside', {
  message: made({ kid: null, unprotected: [[4, Buffer.from(signer.jwk.kid)]] }),
});
coSigned('skipped', 'of an unknown key, that nobody can read', {
  message: 'free text',
  more: { jwk: null, verified: false },
});
coSigned('void', 'of an unknown key that is called verified', { message: ours, more: { jwk: null } });
coSigned('void', 'with junk around it', { message: `!!!${ours.toString('base64url')}%%` });
coSigned('void', 'with another kid inside', { message: made({ kid: 'somebody' }) });
coSigned('ok', 'without a kid', { message: made({ kid: null }) });
coSigned('void', 'with its kid twice', { message: made({ unprotected: [[4, Buffer.from('x')]] }) });
coSigned('void', 'with crit outside', { message: made({ unprotected: [[2, [99]]] }) });
coSigned('void', 'with an algorithm outside', { message: made({ unprotected: [[1, -7]] }) });
coSigned('void', 'with its payload attached', { message: made({ attached: true }) });
coSigned('void', 'with the tag of another message', {
  message: Buffer.concat([Buffer.of(0xd8, 98), ours.subarray(1)]),
});
coSigned('void', 'of another key', { message: ours, more: { jwk: newKeys('other').jwk } });
{
  const x = Buffer.alloc(32, Buffer.of(1, ...Buffer.alloc(31))).toString('base64url');
  const kid = thumbprintOf(x);
  const header = cbor(
    new Map<number, number | Buffer>([
      [1, -8],
      [4, Buffer.from(kid)],
    ]),
  );
  const forAnything = cbor([header, new Map(), null, Buffer.alloc(64, Buffer.of(1, ...Buffer.alloc(63)))]);
  coSigned('void', 'of a key of small order', {
    message: forAnything,
    more: {
      signer_kid: kid,
      jwk: { kty: 'OKP', crv: 'Ed25519', x } satisfies Partial<Keys['jwk']>,
    },
  });
}
change('verified', 'a co-signature that was sent and is left out', (bundle) => {
  const { signer_kid, signer_role, cose_sign1 } = coSignature(plainEnvelope, signer);
  bundle.envelope = { ...bundle.envelope, co_signatures: [{ signer_kid, signer_role, cose_sign1 }] };
});
{
  const { payload: _payload, ...left } = plainEnvelope;
  const leaf_hash = leafOf(signedBytes(plainEnvelope)).toString('hex');
  change('erased', 'an erased claim', (bundle) => Object.assign(bundle, { envelope: left, erased: true, leaf_hash }));
  change('refused', 'an erased claim of another leaf', (bundle) =>
    Object.assign(bundle, { envelope: left, erased: true, leaf_hash: '00'.repeat(32) }),
  );
}
// Members that Python would take for something else than they are.
for (const edit of [(vkey: string) => ` ${vkey}`, (vkey: string) => `${vkey}\n`, (vkey: string) => `${vkey} `])
  change('refused', `log.vkey with blanks: ${JSON.stringify(edit('key'))}`, (bundle) => {
    bundle.log.vkey = edit(bundle.log.vkey);
  });
// Numbers of open files: a program that opens what stands there would wait for them.
for (const vkey of [true, false, 0, 1, null])
  change('refused', `log.vkey that is ${vkey}`, (bundle) => Object.assign(bundle.log, { vkey }));
for (const [member, value] of [
  ['kty', 'EC'],
  ['kty', undefined],
  ['crv', 'X25519'],
  ['crv', ['Ed25519']],
] as const) {
  change('refused', `log.jwk with ${member} ${JSON.stringify(value)}`, (bundle) =>
    Object.assign(bundle.log.jwk, { [member]: value }),
  );
  coSigned('void', `of a key with ${member} ${JSON.stringify(value)}`, {
    message: ours,
    more: {
      jwk: { ...signer.jwk, [member]: value },
    },
  });
}
const sameTree = (): Members =>
  structuredClone<Members>(log.bundle(plainEnvelope, { index: INDEX, size: 11, newest: 11 }));
add('verified', 'a newest tree that is that of the receipt', { text: JSON.stringify(sameTree()) });
for (const wrong of ['', {}, null, false, 0])
  add('refused', `a consistency that is ${JSON.stringify(wrong)}`, {
    text: JSON.stringify({ ...sameTree(), latest: { ...(sameTree()['latest'] as Members), consistency: wrong } }),
  });
{
  const alone = structuredClone(
    TestLog.around(plainEnvelope, { index: 0, total: 1, keys: log.keys }).bundle(plainEnvelope, {
      index: 0,
      size: 1,
      newest: 1,
    }),
  ) as unknown as Members;
  add('verified', 'a tree of one', { text: JSON.stringify(alone) });
  for (const wrong of ['', {}])
    add('refused', `an inclusion that is ${JSON.stringify(wrong)}`, {
      text: JSON.stringify({ ...alone, latest: { ...(alone['latest'] as Members), inclusion: wrong } }),
    });
}
change('refused', 'a line of a key whose name has U+FEFF', (bundle) => (bundle.checkpoint += '— a\ufeffb AAAAAAAA\n'));
change('refused', 'a tlog-proof with a checkpoint of the same tree and another text', (bundle) => {
  const extended = noteOf(`${log.text(11)}more\n`, log.keys);
  bundle.tlog_proof = log
    .bundle(plainEnvelope, { index: INDEX, size: 11, newest: 11 })
    .tlog_proof.replace(/\n\n[^]*$/, `\n\n${extended}`);
});
{
  const { payload: _payload, ...left } = plainEnvelope;
  const leaf = leafOf(signedBytes(plainEnvelope));
  for (const erased of [1, 'yes', [true]])
    change('refused', `erased: ${JSON.stringify(erased)}`, (bundle) =>
      Object.assign(bundle, { envelope: left, erased, leaf_hash: leaf.toString('hex') }),
    );
  // A byte moves from the leaf to the hash beside it: their node is the same.
  change('refused', 'a leaf of 31 bytes beside a hash of 33', (bundle) => {
    const moved = ([first = Buffer.alloc(0), ...others]: Buffer[]): Buffer[] => [
      Buffer.concat([first, leaf.subarray(0, 1)]),
      ...others,
    ];
    const pathIn = (size: number): Buffer[] => moved(inclusionOf(INDEX, log.leaves.slice(0, size)));
    const proof = cbor([11, INDEX, pathIn(11)]);
    Object.assign(bundle, { envelope: left, erased: true, leaf_hash: leaf.subarray(1).toString('hex') });
    bundle.receipt.proof.bytes = proof.toString('base64url');
    bundle.latest.inclusion = pathIn(23).map((hash) => hash.toString('hex'));
    bundle.cose_receipt = coseReceiptWith(bundle, { proof });
    const lines = pathIn(11).map((hash) => hash.toString('base64'));
    bundle.tlog_proof = `c2sp.org/tlog-proof@v1\nindex ${INDEX}\n${lines.join('\n')}\n\n${bundle.checkpoint}`;
  });
}
// The formats say nothing of these, and the Python program leaves them out (docs/claims.md).
change('refused', 'a receipt with a member that it has not', (bundle) => Object.assign(bundle.receipt, { seen: true }));
Object.assign(cases.at(-1) ?? {}, { python: 'verified' });
coSigned('void', 'of another role', { message: ours, more: { signer_role: 'king' } });
add('refused', 'a payload that fits no schema', {
  text: withPayload({ severity: 'fatal' }, 'detector_signal'),
  python: 'verified',
});

const exec = promisify(execFile);
const PROGRAM = 'docs/verify-claim.py';
/** Runs the program once for each list of arguments, as if each were a call of its own, and prints exit codes and what was said. */
const DRIVER = `
import contextlib, io, json, runpy, sys
program, calls = sys.argv[1], json.load(open(sys.argv[2]))
found = []
for call in calls:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            sys.argv = [program, *call]
            runpy.run_path(program, run_name="__main__")
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
            if code == 1: said.write("" if isinstance(end.code, int) else str(end.code))
        except BaseException as error:
            code = "an error of its own: %r" % error
    found.append([code, said.getvalue()])
json.dump(found, sys.stdout)`;

describe('the two verifiers', function () {
  this.timeout(120_000);
  const verdicts: Record<string, Verdict> = { 0: 'verified', 1: 'refused', 2: 'refused', 3: 'erased' };
  let folder: string;
  let inPython: [number | string, string][];
  const fileOf = (index: number, what: string): string => join(folder, `${index}.${what}`);

  before(async function () {
    await needPython(this);
    folder = await mkdtemp(join(tmpdir(), 'carnet-both-'));
    const calls = await Promise.all(
      cases.map(async (one, index) => {
        await writeFile(fileOf(index, 'json'), one.text);
        if (one.older !== undefined) await writeFile(fileOf(index, 'old'), one.older);
        return [fileOf(index, 'json'), log.keys.vkey, ...(one.older === undefined ? [] : [fileOf(index, 'old')])];
      }),
    );
    await writeFile(join(folder, 'calls'), JSON.stringify(calls));
    const { stdout } = await exec('python3', ['-c', DRIVER, PROGRAM, join(folder, 'calls')]);
    inPython = JSON.parse(stdout) as typeof inPython;
  });
  after(() => (folder === undefined ? undefined : rm(folder, { recursive: true })));

  const inTypeScript = (one: Case, index: number): [Verdict, string, Outcome[]] => {
    const trust = {
      logs: [parseVerifierKey(log.keys.vkey)],
      policy: null,
      older: one.older ?? null,
      consistency: null,
    };
    try {
      const { status, findings } = reading(fileOf(index, 'json'), (read) => verifyBundle(parseJson(read), trust));
      const failed = findings
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ check, text: why }) => `${check}: ${why}`);
      const coSignatures = findings.flatMap(({ check, outcome }) =>
        check === 'co-signature' ? [outcome as Outcome] : [],
      );
      return [status === 'failed' ? 'refused' : status, failed.join('; '), coSignatures];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return ['refused', error.message, []];
    }
  };

  for (const [index, one] of cases.entries())
    it(`agree on ${one.name}: ${one.verdict}`, () => {
      const [verdict, why, coSignatures] = inTypeScript(one, index);
      assert.equal(verdict, one.verdict, `TypeScript: ${why}`);
      const [code, said] = inPython[index] ?? assert.fail('no answer');
      assert.equal(verdicts[code] ?? code, one.python ?? one.verdict, `Python: ${said}`);
      assert.match(said, /^[ -~\n]*$/, 'plain characters');
      if (one.coSignature === undefined) return;
      assert.deepEqual(coSignatures, [one.coSignature]);
      const mark = { ok: 'ok', void: 'void:', skipped: '-' }[one.coSignature];
      assert.ok(said.startsWith(`co-signatures: ${mark} `), said);
    });
});
