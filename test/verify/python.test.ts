import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canonicalJson, type JsonValue } from '../../scripts/verify/json.ts';
import { casesOf, itInFull } from '../support/cases.ts';
import { pythonWithScittCose } from '../support/scitt-cose.ts';
import {
  cbor,
  coSignature,
  leafOf,
  newKeys,
  noteOf,
  rootOf,
  signedBytes,
  plainEnvelope,
  TestLog,
  type Members,
  type TestBundle,
} from './log.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAM = join(ROOT, 'docs', 'verify-claim.py');
const run = promisify(execFile);

/** Exit code and all that was printed. */
async function exitOf(program: string, ...args: string[]): Promise<[number, string]> {
  return run(program, args, { timeout: 100_000 }).then(
    ({ stdout, stderr }) => [0, stdout + stderr],
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => [code, stdout + stderr],
  );
}
const python = (...args: string[]): Promise<[number, string]> => exitOf('python3', ...args);

describe('docs/verify-claim.py', function () {
  this.timeout(120_000);
  let folder: string;
  before(async function () {
    const [missing] = await python('-c', 'import cryptography');
    if (!process.env['CI'] && missing !== 0) {
      process.stderr.write('LEFT OUT: no Python with cryptography here\n');
      this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), 'carnet-python-'));
  });
  after(() => (folder === undefined ? undefined : rm(folder, { recursive: true })));

  const log = TestLog.around(plainEnvelope, { index: 5, total: 23 });
  const signer = newKeys('signer');
  const honest = (): TestBundle => {
    const bundle = structuredClone(
      log.bundle(plainEnvelope, {
        index: 5,
        size: 11,
        newest: 23,
        witnesses: [newKeys('w.example', 4), newKeys('v.example', 6)],
      }),
    );
    bundle.co_signatures.push(coSignature(plainEnvelope, signer));
    return bundle;
  };
  const verify = async (bundle: unknown, vkey = log.keys.vkey, older?: string): Promise<[number, string]> => {
    const file = join(folder, 'bundle.json');
    await writeFile(file, typeof bundle === 'string' ? bundle : JSON.stringify(bundle));
    if (older === undefined) return python(PROGRAM, file, vkey);
    await writeFile(join(folder, 'old.txt'), older);
    return python(PROGRAM, file, vkey, join(folder, 'old.txt'));
  };

  it('verifies an honest bundle, in trees of many sizes', async () => {
    const [code, output] = await verify(honest());
    assert.equal(code, 0, output);
    assert.match(output, /^VERIFIED pc_\w+ sha256:[0-9a-f]{64} is entry 5 of 11 in carnet\.log\/log_test\n$/m);
    const sizes: [number, number, number][] = [];
    for (const newest of [1, 2, 3, 7, 8, 13])
      for (const size of [1, 2, 5, 8, 13]) if (size <= newest) sizes.push([size - 1, size, newest], [0, size, newest]);
    for (const [index, size, newest] of casesOf(sizes, ([, , of]) => of === 2 || of === 13)) {
      const any = TestLog.around(plainEnvelope, { index, total: newest, keys: log.keys });
      const [ended, said] = await verify(any.bundle(plainEnvelope, { index, size, newest }));
      assert.equal(ended, 0, `${index} ${size} ${newest}: ${said}`);
    }
  });

  const foreign = new TestLog(log.keys, log.leaves.with(6, leafOf(Buffer.from('another history'))));
  const { payload: _payload, ...left } = plainEnvelope;
  const leafHash = leafOf(signedBytes(plainEnvelope)).toString('hex');
  const cases: [string, (bundle: TestBundle) => unknown, RegExp][] = [
    ['the payload', (bundle) => ((bundle.envelope['payload'] as Members)['severity'] = 'low'), /the digest is not/],
    ['the digest', (bundle) => (bundle.digest = `sha256:${'0'.repeat(64)}`), /the digest is not/],
    ['the place', (bundle) => (bundle.receipt.proof.log_index = 6), /contradicts itself/],
    ['the root', (bundle) => (bundle.receipt.proof.root_hash = '0'.repeat(64)), /not in the tree of its receipt/],
    [
      'the proof',
      (bundle) => (bundle.receipt.proof.bytes = cbor([11, 5, [Buffer.alloc(32)]]).toString('base64url')),
      /inclusion proof is too short/,
    ],
    [
      'the COSE receipt',
      (bundle) => (bundle.cose_receipt = log.coseReceipt(5, 12).toString('base64url')),
      /^NOT VERIFIED the COSE receipt: a signature is not of its key over these bytes$/m,
    ],
    [
      'the checkpoint',
      (bundle) => (bundle.checkpoint = noteOf(log.text(11), newKeys(log.keys.name))),
      /not signed by the key/,
    ],
    [
      'its size',
      (bundle) => (bundle.checkpoint = bundle.checkpoint.replace('\n11\n', '\n12\n')),
      /^NOT VERIFIED the checkpoint of the receipt: a signature is not of its key/,
    ],
    ['the newest proof', (bundle) => (bundle.latest.inclusion[0] = '0'.repeat(64)), /not in the newest tree/],
    [
      'the history',
      (bundle) => (bundle.latest = foreign.bundle(plainEnvelope, { index: 5, size: 11, newest: 23 }).latest),
      /not consistent/,
    ],
    ['the consistency', (bundle) => bundle.latest.consistency.pop(), /not consistent|too short|another length/],
    [
      'the tlog-proof',
      (bundle) => (bundle.tlog_proof = bundle.tlog_proof.replace('index 5', 'index 4')),
      /another entry/,
    ],
    [
      'the id',
      (bundle) => (bundle.claim_id = 'pc_other'),
      /the receipt: it is of .*pc_01K9ZC4T.*, and claim_id and registry make .*pc_other/,
    ],
    [
      'a member of the receipt',
      (bundle) => delete (bundle.receipt as Partial<TestBundle['receipt']>).proof,
      /^NOT VERIFIED the receipt: it cannot be read \(KeyError 'proof'\)$/m,
    ],
    [
      'a checkpoint that is none',
      (bundle) => (bundle.checkpoint = 'x'),
      /NOT VERIFIED the checkpoint of the receipt: /,
    ],
    ['a tlog-proof that is none', (bundle) => (bundle.tlog_proof = 'x'), /NOT VERIFIED the tlog-proof: /],
    ['a revocation', (bundle) => (bundle.revocation.revoked_at = '2026-11-22T11:00:00.000Z'), /was revoked/],
    [
      'the digest of an erased claim',
      (bundle) =>
        Object.assign(bundle, {
          envelope: left,
          erased: true,
          leaf_hash: leafHash,
          digest: `sha256:${'0'.repeat(64)}`,
        }),
      /about another digest/,
    ],
    [
      'the registry',
      (bundle) => {
        bundle.receipt.registry = 'https://elsewhere.example';
        bundle.receipt.registry_entry_uri = `https://elsewhere.example/v1/claims/${bundle.claim_id}`;
      },
      /of another registry, or about/,
    ],
    [
      'the tree of the tlog-proof',
      (bundle) => (bundle.tlog_proof = foreign.bundle(plainEnvelope, { index: 5, size: 11, newest: 17 }).tlog_proof),
      /another tree than the bundle's two/,
    ],
  ];
  for (const [what, change, message] of cases)
    it(`finds what was changed: ${what}`, async () => {
      const bundle = honest();
      change(bundle);
      const [code, output] = await verify(bundle);
      assert.deepEqual([code, output.startsWith('NOT VERIFIED') && message.test(output)], [1, true], output);
    });

  it('shows co-signatures on lines of their own, which decide nothing', async () => {
    const other = coSignature({ ...plainEnvelope, issuer: 'op_other' }, signer)['cose_sign1'];
    const word = 'which ones a claim has, and in which roles, is the word of the service';
    const lines: [Members | null, string, string][] = [
      [{}, `ok operator_attestation ${signer.jwk.kid}`, `ok 1: ${word}`],
      [
        { jwk: null, verified: false },
        `- operator_attestation ${signer.jwk.kid}: its key is not known`,
        `ok 1: ${word}`,
      ],
      [{ jwk: newKeys('x').jwk }, 'void: its key is another one than it names', `ok 1: ${word}`],
      [{ cose_sign1: other }, 'void: the signature is not of its key over these bytes', `ok 1: ${word}`],
      [null, '', `- 0: ${word}`],
    ];
    for (const [change, line, summary] of lines) {
      const bundle = honest();
      if (change === null) bundle.co_signatures = [];
      else Object.assign(bundle.co_signatures[0] ?? {}, change);
      const [code, output] = await verify(bundle);
      const [verdict, ...others] = output.trimEnd().split('\n').toReversed();
      assert.deepEqual([code, verdict?.startsWith('VERIFIED pc_')], [0, true], output);
      const expected = [summary, ...(line === '' ? [] : [line])].map((text) => `co-signatures: ${text}`);
      assert.deepEqual(others, expected);
    }
  });

  it('exits 3 where the payload was erased and everything else holds', async () => {
    const [code, output] = await verify({ ...honest(), envelope: left, erased: true, leaf_hash: leafHash });
    assert.deepEqual([code, /^ERASED pc_/m.test(output)], [3, true], output);
    const [forged, why] = await verify({ ...honest(), envelope: left, erased: true, leaf_hash: '0'.repeat(64) });
    assert.deepEqual([forged, /not in the tree of its receipt/.test(why)], [1, true], why);
  });

  it('refuses another key, and a name that stands twice', async () => {
    const [code, output] = await verify(honest(), newKeys(log.keys.name).vkey);
    assert.deepEqual([code, /another key than the one that you trust/.test(output)], [1, true], output);
    const [twice, why] = await verify(JSON.stringify(honest()).replace('"digest":', '"digest":"x","digest":'));
    assert.deepEqual([twice, /cannot be read: a member stands twice/.test(why)], [2, true], why);
  });

  it('holds the bundle against an older checkpoint', async () => {
    const [code, output] = await verify(honest(), log.keys.vkey, log.checkpoint(11));
    assert.equal(code, 0, output);
    const fork = new TestLog(log.keys, log.leaves.with(2, leafOf(Buffer.from('forked'))));
    const [forked, why] = await verify(honest(), log.keys.vkey, fork.checkpoint(23));
    assert.deepEqual([forked, /has forked/.test(why)], [1, true], why);
  });

  it('takes the key from a file, and an older checkpoint with blank lines behind it', async () => {
    const key = join(folder, 'log.vkey');
    await writeFile(key, `${log.keys.vkey}\n`);
    const [code, output] = await verify(honest(), key, `${log.checkpoint(11)}\n\n`);
    assert.equal(code, 0, output);
  });

  it('exits 2 with words where a file cannot be read, or is something else', async () => {
    const { bundle_version: _version, ...unversioned } = honest();
    const { digest: _digest, ...lacking } = honest();
    const unreadable: [unknown, RegExp, string?, string?][] = [
      ['{"bundle_version":', /cannot be read: /],
      [{ id: 'pc_1', digest: 'sha256:00' }, /it is a claim; fetch \/v1\/claims\/pc_1\/bundle/],
      [{ ...honest(), bundle_version: 2 }, /no bundle of version 1/],
      [{ claim_id: 'pc_1', log_index: null }, /no bundle of version 1/],
      [unversioned, /cannot be read/],
      [lacking, /digest is missing, or of another type/],
      ['[]', /it is no bundle/],
      [honest(), /nonsense cannot be read/, 'nonsense'],
      [honest(), /cannot be read: its id is another one/, log.keys.vkey.replace('log_test', 'log_else')],
      [honest(), /old\.txt cannot be read: it is no checkpoint/, log.keys.vkey, '<html></html>'],
    ];
    for (const [bundle, message, vkey, older] of unreadable) {
      const [code, output] = await verify(bundle, vkey, older);
      assert.deepEqual([code, message.test(output), output.includes('Traceback')], [2, true, false], output);
    }
    const [code, output] = await python(PROGRAM, join(folder, 'absent.json'), log.keys.vkey);
    assert.deepEqual([code, /absent\.json cannot be read/.test(output)], [2, true], output);
  });

  it('refuses an older checkpoint of a third size, which the bundle has no proof for', async () => {
    const fork = new TestLog(log.keys, log.leaves.with(2, leafOf(Buffer.from('forked'))));
    for (const kept of [fork.checkpoint(17), log.checkpoint(17)]) {
      const [code, output] = await verify(honest(), log.keys.vkey, kept);
      assert.deepEqual([code, /has another size: use npm run verify/.test(output)], [1, true], output);
    }
  });

  it('refuses a place outside of the tree, also of a tree of one', async () => {
    const one = TestLog.around(plainEnvelope, { index: 0, total: 1, keys: log.keys });
    const [code, output] = await verify(one.bundle(plainEnvelope, { index: 7, size: 1, newest: 1 }));
    assert.deepEqual([code, /the log has no such entry/.test(output)], [1, true], output);
  });

  it('reads no file that a bundle names', async () => {
    const bundle = honest();
    const named = join(folder, 'named.vkey');
    await writeFile(named, `${bundle.log.vkey}\n`);
    bundle.log.vkey = named;
    const [code, output] = await verify(bundle, log.keys.vkey);
    assert.deepEqual([code, /NOT VERIFIED the log key: /.test(output)], [1, true], output);
  });

  it('takes no key with a name that the format does not have', async () => {
    for (const name of ['', 'a b', 'a\u00a0b', 'a\ufeffb']) {
      const { vkey } = newKeys(name);
      const [code, output] = await verify(honest(), vkey);
      assert.deepEqual([code, /cannot be read: it is not `<name>/.test(output)], [2, true], `${vkey}: ${output}`);
    }
  });

  it('exits 2 and shows its call where that is wrong', async () => {
    const [code, output] = await python(PROGRAM);
    assert.deepEqual([code, output.includes('python3 verify-claim.py bundle.json')], [2, true], output);
  });

  itInFull('has a COSE receipt that scitt-cose of PyPI verifies', async function () {
    this.timeout(300_000);
    const withScittCose = await pythonWithScittCose(this, join(folder, 'scitt-cose'));
    const driver = `
import sys, scitt_cose
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
receipt, entry, key = sys.argv[1:]
pem = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
found = scitt_cose.verify_receipt(bytes.fromhex(receipt), leaf_entry_hex=entry, log_public_key_pem=pem)
print(found.ok, found.root, found.tree_size, found.leaf_index, found.subject, found.errors)`;
    const judge = (receipt: Buffer, entry: Buffer): Promise<[number, string]> =>
      exitOf(withScittCose, '-c', driver, receipt.toString('hex'), entry.toString('hex'), log.keys.raw.toString('hex'));
    const entry = signedBytes(plainEnvelope);
    const root = rootOf(log.leaves.slice(0, 11)).toString('hex');
    assert.deepEqual(await judge(log.coseReceipt(5, 11), entry), [0, `True ${root} 11 5 ${honest().digest} []\n`]);
    assert.match((await judge(log.coseReceipt(6, 11), entry))[1], /^False/);
  });

  it('writes canonical JSON as the other verifier does', async () => {
    const numbers = [
      0, 1, -1, 0.1, 1e21, 1e20, 123_456_789_012_345_680_000, 1e-6, 1e-7, 1.5e-9, 5e-324, 1.797_693_134_862_315_7e308,
    ];
    const more = [333_333_333.333_333_3, 4.5, 0.002, 1e-27, 2 ** 53 - 1, 100, 1.25e22, -123.456];
    const text = JSON.stringify({
      numbers,
      more,
      é: '\u0000\u001f\u007f"\\/\u2028€😀',
      '\ufb33': null,
      '😀': [true, {}],
      '': [[]],
    });
    const driver = `
import json, runpy, sys
page = runpy.run_path(sys.argv[1])
value = json.loads(sys.argv[2], parse_int=float, object_pairs_hook=page["once"])
sys.stdout.buffer.write(page["canonical"](value).encode())`;
    const [code, output] = await python('-c', driver, PROGRAM, text);
    assert.deepEqual([code, output], [0, canonicalJson(JSON.parse(text) as JsonValue)]);
  });
});
