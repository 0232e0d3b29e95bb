import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeInclusion, encodeInclusion, InclusionFault, rootOf } from '../../../src/claims/log/inclusion.ts';
import { signCoseReceipt, verifyCoseReceipt } from '../../../src/claims/log/cose-receipt.ts';
import { CborTag, encodeCbor, type CborMap, type CborValue } from '../../../src/cose/cbor.ts';
import { CoseFault, decodeSign1 } from '../../../src/cose/sign1.ts';
import { pythonWithScittCose } from '../../support/scitt-cose.ts';
import * as rfc9162 from './rfc9162.ts';

const KID = 'log-1';
const ISSUER = 'https://carnet.example';
const SUBJECT = `sha256:${'ab'.repeat(32)}`;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const entriesOf = (size: number, salt = ''): Buffer[] =>
  Array.from({ length: size }, (_, at) => Buffer.from(`{"entry":"${salt}${at}"}`));
const treeHashOf = (entries: Buffer[]): Buffer => rfc9162.rootOf(entries.map(rfc9162.leafHash));
const pathTo = (index: number, entries: Buffer[]): Buffer[] => rfc9162.pathOf(index, entries.map(rfc9162.leafHash));

function receiptOf(logIndex: number, entries: Buffer[], key = privateKey): Buffer {
  const inclusion = { treeSize: entries.length, logIndex, hashes: pathTo(logIndex, entries) };
  return signCoseReceipt({
    issuer: ISSUER,
    subject: SUBJECT,
    kid: KID,
    privateKey: key,
    rootHash: treeHashOf(entries),
    inclusion,
  });
}

const header = (...members: [number, CborValue][]): CborMap => new Map<number, CborValue>(members);

describe('inclusion proofs', () => {
  it('lead from every leaf of every tree of up to 40 leaves to its root, and from no other leaf', () => {
    for (let size = 1; size <= 40; size += 1) {
      const entries = entriesOf(size);
      const root = treeHashOf(entries);
      for (let logIndex = 0; logIndex < size; logIndex += 1) {
        const proof = decodeInclusion(encodeInclusion({ treeSize: size, logIndex, hashes: pathTo(logIndex, entries) }));
        assert.deepEqual(rootOf(rfc9162.leafHash(entries[logIndex] ?? assert.fail()), proof), root);
        assert.notDeepEqual(rootOf(rfc9162.leafHash(Buffer.from('other')), proof), root);
      }
    }
  });

  it('with a hash too many or too few, or at another place, lead to no root or to another', () => {
    const entries = entriesOf(13);
    const [leafHash, root, hashes] = [
      rfc9162.leafHash(entries[5] ?? assert.fail()),
      treeHashOf(entries),
      pathTo(5, entries),
    ];
    assert.throws(() => rootOf(leafHash, { treeSize: 13, logIndex: 5, hashes: hashes.slice(1) }), InclusionFault);
    assert.throws(() => rootOf(leafHash, { treeSize: 13, logIndex: 5, hashes: [...hashes, root] }), InclusionFault);
    assert.throws(() => rootOf(leafHash, { treeSize: 1, logIndex: 0, hashes }), InclusionFault);
    assert.throws(() => rootOf(leafHash, { treeSize: 17, logIndex: 5, hashes }), InclusionFault);
    assert.notDeepEqual(rootOf(leafHash, { treeSize: 13, logIndex: 4, hashes }), root);
  });

  it('are read only where they are CBOR of a size, an index and hashes', () => {
    const fine = Buffer.alloc(32);
    const wrong: CborValue[] = [
      null,
      [],
      [2, 0],
      [2, 0, [fine], 0],
      [2, 2, [fine]],
      [2, -1, [fine]],
      [0, 0, []],
      ['2', 0, [fine]],
      [2, 0, fine],
      [2, 0, [Buffer.alloc(31)]],
      [2, 0, ['x'.repeat(32)]],
      [2 ** 53, 0, []],
      [2 ** 54, 0, []],
      [2, 0, Array.from({ length: 54 }, () => fine)],
    ];
    for (const shape of wrong) assert.throws(() => decodeInclusion(encodeCbor(shape)), InclusionFault);
    const whole = encodeInclusion({ treeSize: 2, logIndex: 0, hashes: [fine] });
    for (let length = 0; length < whole.length; length += 1) {
      assert.throws(() => decodeInclusion(whole.subarray(0, length)), InclusionFault);
    }
  });
});

describe('COSE receipts', () => {
  const entries = entriesOf(7);
  const leafHash = rfc9162.leafHash(entries[3] ?? assert.fail());
  const receipt = receiptOf(3, entries);
  const expected = { leafHash, publicKey, kid: KID };
  const refuses = (bytes: Uint8Array, why: RegExp, change: Partial<typeof expected> = {}): void =>
    assert.throws(
      () => verifyCoseReceipt(bytes, { ...expected, ...change }),
      (error) => error instanceof CoseFault && why.test(error.message),
    );
  /** A receipt put together by hand. */
  const handmade = (protectedHeader: CborMap, unprotected: CborMap, payload: Buffer | null = null): Buffer => {
    const protectedBytes = encodeCbor(protectedHeader);
    const signed = encodeCbor(['Signature1', protectedBytes, Buffer.alloc(0), treeHashOf(entries)]);
    return encodeCbor(new CborTag(18, [protectedBytes, unprotected, payload, sign(null, signed, privateKey)]));
  };
  const proof = encodeInclusion({ treeSize: 7, logIndex: 3, hashes: pathTo(3, entries) });
  const about = new Map([
    [1, ISSUER],
    [2, SUBJECT],
  ]);
  const protectedHeader = header([1, -8], [4, Buffer.from(KID)], [15, about], [395, 1]);
  const proofs = (...each: CborValue[]): CborMap => header([396, header([-1, each])]);

  it('are the message of RFC 9942: 395 protected, 396 unprotected, the root detached; with iss and sub, as RFC 9943 requires', () => {
    assert.deepEqual(receipt, handmade(protectedHeader, proofs(proof)));
    assert.deepEqual(receipt, receiptOf(3, entries), 'the same bytes each time');
    const { protectedHeader: kept, unprotectedHeader, payload } = decodeSign1(receipt);
    assert.deepEqual(
      [...kept],
      [
        [1, -8],
        [4, Buffer.from(KID)],
        [15, about],
        [395, 1],
      ],
    );
    assert.deepEqual(unprotectedHeader, new Map([[396, new Map([[-1, [proof]]])]]));
    assert.equal(payload, null);
  });

  it('show at which place of which tree a leaf is', () => {
    const { treeSize, logIndex, rootHash } = verifyCoseReceipt(receipt, expected);
    assert.deepEqual([treeSize, logIndex, rootHash], [7, 3, treeHashOf(entries)]);
    assert.equal(verifyCoseReceipt(receipt, { ...expected, kid: null }).logIndex, 3);
  });

  it('of another tree, leaf, key or kid are refused', () => {
    refuses(receiptOf(3, entriesOf(7, 'other')), /does not verify/);
    refuses(receipt, /does not verify/, { leafHash: rfc9162.leafHash(entries[4] ?? assert.fail()) });
    refuses(receipt, /does not verify/, { publicKey: generateKeyPairSync('ed25519').publicKey });
    refuses(receipt, /another kid/, { kid: 'log-2' });
    // The signature of one tree with the proof of another.
    const grown = entriesOf(8);
    const foreign = encodeInclusion({ treeSize: 8, logIndex: 3, hashes: pathTo(3, grown) });
    refuses(handmade(protectedHeader, proofs(foreign)), /does not verify/);
  });

  it('of another data structure, without a proof, with two, or with an attached root are refused', () => {
    refuses(handmade(header([1, -8]), header([395, 1], [396, header([-1, [proof]])])), /395/);
    refuses(handmade(header([1, -8], [395, 2]), proofs(proof)), /395/);
    for (const unprotected of [
      header(),
      header([396, proof]),
      proofs(),
      proofs(proof, proof),
      proofs('text'),
      header([396, header([-2, [proof]])]),
    ]) {
      refuses(handmade(protectedHeader, unprotected), /exactly one inclusion proof/);
    }
    refuses(handmade(protectedHeader, proofs(proof.subarray(1))), /faulty proof/);
    refuses(handmade(protectedHeader, proofs(proof), treeHashOf(entries)), /attached/);
    refuses(handmade(header([1, -7], [395, 1]), proofs(proof)), /alg -8/);
    refuses(handmade(header([1, -8], [2, [395]], [395, 1]), proofs(proof)), /crit/);
  });

  it('cut off at any byte are refused', () => {
    for (let length = 0; length < receipt.length; length += 1) refuses(receipt.subarray(0, length), /CBOR|COSE_Sign1/);
  });
});

const run = promisify(execFile);
const CHECK = `
import json, sys
from scitt_cose.receipt import verify_receipt
for one in json.loads(sys.argv[1]):
    result = verify_receipt(bytes.fromhex(one["receipt"]), leaf_entry_hex=one["entry"], log_public_key_pem=one["key"])
    print(json.dumps([result.ok, result.root, result.tree_size, result.leaf_index, result.issuer, result.subject]))`;

describe('COSE receipts in scitt-cose, which shares no code with ours', function () {
  this.timeout(300_000);
  let folder: string;
  let python: string;
  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'carnet-scitt-'));
    python = await pythonWithScittCose(this, folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('verify at every place of trees of 1 to 9 leaves, and not with another key, entry or tree', async () => {
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const tries: { receipt: string; entry: string; key: string; outcome: unknown[] }[] = [];
    for (const size of [1, 2, 3, 6, 8, 9]) {
      const entries = entriesOf(size);
      for (const [at, entry] of entries.entries()) {
        const receipt = receiptOf(at, entries).toString('hex');
        tries.push({
          receipt,
          entry: entry.toString('hex'),
          key,
          outcome: [true, treeHashOf(entries).toString('hex'), size, at, ISSUER, SUBJECT],
        });
      }
    }
    const seven = entriesOf(7);
    const entry = (seven[3] ?? assert.fail()).toString('hex');
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const bad = [
      { receipt: receiptOf(3, seven), entry, key: other },
      { receipt: receiptOf(4, seven), entry, key },
      { receipt: receiptOf(3, entriesOf(7, 'other')), entry, key },
    ];
    for (const { receipt, ...rest } of bad) tries.push({ ...rest, receipt: receipt.toString('hex'), outcome: [false] });
    const { stdout } = await run(python, ['-c', CHECK, JSON.stringify(tries)], { timeout: 60_000 });
    const outcomes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown[]);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome[0] === true ? outcome : [false])),
      tries.map(({ outcome }) => outcome),
    );
  });
});
