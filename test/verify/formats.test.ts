import assert from 'node:assert/strict';
import { decodeCbor } from '../../scripts/verify/cbor.ts';
import { assertSign1, decodeSign1, kidOf, proofIn } from '../../scripts/verify/cose.ts';
import { assertConsistent, rootFromInclusion } from '../../scripts/verify/merkle.ts';
import { cbor, consistencyOf, inclusionOf, leafOf, newKeys, rootOf, sign1 } from './log.ts';

const leaves = Array.from({ length: 33 }, (_, at) => leafOf(Buffer.from([at])));
const treeOf = (size: number) => ({ size, root: rootOf(leaves.slice(0, size)) });
const fault = (message: RegExp) => ({ name: 'Fault', message });

describe('proofs in a Merkle tree', () => {
  it('of inclusion hold for every entry of every size, and for no other place, size or length', () => {
    for (let size = 1; size <= leaves.length; size += 1)
      for (let index = 0; index < size; index += 1) {
        const path = inclusionOf(index, leaves.slice(0, size));
        const leaf = leaves[index] ?? assert.fail();
        const leads = (at: number, of: number, hashes: Buffer[]): boolean => {
          try {
            return rootFromInclusion(leaf, { index: at, size: of, path: hashes }).equals(treeOf(size).root);
          } catch {
            return false;
          }
        };
        assert.ok(leads(index, size, path), `${index} of ${size}`);
        assert.ok(
          !leads(index + 1, size, path) && !leads(index ^ 1, size, path),
          `another place than ${index} of ${size}`,
        );
        assert.ok(!leads(index, size, [...path, Buffer.alloc(32)]), `longer than ${index} of ${size}`);
        if (path.length > 0) assert.ok(!leads(index, size, path.slice(1)) && !leads(index, size, path.slice(0, -1)));
      }
  });

  it('of inclusion say what is wrong with them', () => {
    const [leaf = assert.fail()] = leaves;
    assert.throws(() => rootFromInclusion(leaf, { index: 5, size: 5, path: [] }), fault(/a tree of 5 has no entry 5/));
    assert.throws(() => rootFromInclusion(leaf, { index: 0, size: 0, path: [] }), fault(/a tree of 0 has no entry 0/));
    assert.throws(() => rootFromInclusion(leaf, { index: 0, size: 1, path: [leaf] }), fault(/too long/));
    assert.throws(() => rootFromInclusion(leaf, { index: 0, size: 2, path: [] }), fault(/too short/));
  });

  it('of consistency hold between any two sizes, and for no other size, root or length', () => {
    for (let newer = 1; newer <= leaves.length; newer += 1)
      for (let older = 1; older <= newer; older += 1) {
        const path = consistencyOf(older, leaves.slice(0, newer));
        const [before, after] = [treeOf(older), treeOf(newer)];
        assert.doesNotThrow(() => assertConsistent(before, after, path), `${older} to ${newer}`);
        const other = Buffer.alloc(32, 1);
        for (const [one, two, hashes] of [
          [{ ...before, root: other }, after, path],
          [before, { ...after, root: other }, path],
          [before, after, [...path, other]],
          ...(path.length > 0
            ? [[before, after, path.slice(0, -1)] as const, [before, after, path.slice(1)] as const]
            : []),
          ...(older < newer ? [[{ ...before, size: older + 1 }, after, path] as const] : []),
        ] as const)
          assert.throws(() => assertConsistent(one, two, hashes), { name: 'Fault' }, `${older} to ${newer}`);
      }
  });

  it('of consistency never begin with the larger tree, and need nothing from an empty one', () => {
    assert.throws(() => assertConsistent(treeOf(5), treeOf(4), []), fault(/a tree of 4 does not hold one of 5/));
    assert.doesNotThrow(() => assertConsistent(treeOf(0), treeOf(4), []));
    assert.throws(
      () => assertConsistent(treeOf(0), treeOf(4), [Buffer.alloc(32)]),
      fault(/longer than these sizes need/),
    );
    assert.throws(() => assertConsistent(treeOf(3), treeOf(4), []), fault(/empty/));
  });
});

describe('CBOR', () => {
  it('is read in its deterministic spelling alone', () => {
    const cases: [string, RegExp][] = [
      ['1817', /long integer/],
      ['190017', /long integer/],
      ['1a0000ffff', /long integer/],
      ['1b00000000ffffffff', /long integer/],
      ['9fff', /Streaming/],
      ['5f4100ff', /Streaming/],
      ['0000', /Extra data/],
      ['8201', /ends too early/],
      ['420', /end of stream/],
      ['5903e801', /end of stream/],
      ['', /ends too early/],
      ['a201010102', /Duplicate key/],
      ['a18001', /neither integer nor text/],
      ['f7', /undefined/],
      ['f90000', /floating point/],
      [`${'81'.repeat(16)}00`, /nested too deep/],
      [`${'81'.repeat(40)}00`, /depth/],
      ['61ff', /not valid|encoded data/],
    ];
    for (const [hex, message] of cases) assert.throws(() => decodeCbor(Buffer.from(hex, 'hex')), fault(message), hex);
  });

  it('reads what it must', () => {
    assert.deepEqual(
      decodeCbor(cbor([0, 23, 24, 255, 256, 65_536, -1, -400, 'é', Buffer.of(1), null, new Map([[-1, [1]]])])),
      [0, 23, 24, 255, 256, 65_536, -1, -400, 'é', Buffer.of(1), null, new Map([[-1, [1]]])],
    );
  });
});

describe('COSE_Sign1', () => {
  const keys = newKeys('signer');
  const payload = Buffer.from('signed');
  const signed = (protectedHeader: [number, number | Buffer][], unprotected: [number, number | Buffer][] = []) =>
    decodeSign1(sign1({ key: keys.privateKey, payload, protectedHeader, unprotected }));

  it('is held against payload, key and protected algorithm', () => {
    const one = signed([[1, -8]]);
    assert.doesNotThrow(() => assertSign1(one, payload, keys.privateKey));
    assert.throws(
      () => assertSign1(one, Buffer.from('else'), keys.privateKey),
      fault(/not of this key over these bytes/),
    );
    assert.throws(() => assertSign1(one, payload, newKeys('x').privateKey), fault(/not of this key/));
    for (const attached of [payload, Buffer.from('else')])
      assert.throws(
        () => assertSign1({ ...one, payload: attached }, payload, keys.privateKey),
        fault(/its payload is attached/),
      );
    assert.throws(
      () => assertSign1(signed([], [[1, -8]]), payload, keys.privateKey),
      fault(/protected algorithm is not/),
    );
    assert.throws(() => assertSign1(signed([[1, -8]], [[2, 1]]), payload, keys.privateKey), fault(/critical/));
    assert.throws(
      () =>
        assertSign1(
          signed([
            [1, -8],
            [2, 1],
          ]),
          payload,
          keys.privateKey,
        ),
      fault(/critical/),
    );
    assert.throws(() => assertSign1(signed([]), payload, keys.privateKey), fault(/protected algorithm/));
  });

  it('names its key once, and is not large', () => {
    const kid = Buffer.from('k');
    assert.equal(kidOf(signed([[1, -8]])), null);
    assert.throws(() => kidOf(signed([[4, kid]], [[4, kid]])), fault(/parameter 4 in both headers/));
    assert.throws(() => kidOf(signed([[4, 7]])), fault(/not bytes/));
    assert.throws(
      () =>
        signed([
          [1, -8],
          [4, Buffer.alloc(9_000)],
        ]),
      fault(/more than 8192 bytes/),
    );
  });

  it('has the tag 18 or none, four parts, and maps for headers', () => {
    const parts = (...items: Parameters<typeof cbor>[0][]) => cbor(items);
    const bytes = Buffer.alloc(0);
    assert.throws(
      () => decodeSign1(Buffer.concat([Buffer.of(0xd1), parts(bytes, new Map(), null, bytes)])),
      fault(/not a COSE_Sign1/),
    );
    assert.throws(() => decodeSign1(parts(bytes, new Map(), null)), fault(/not a COSE_Sign1/));
    assert.throws(() => decodeSign1(parts(bytes, [], null, bytes)), fault(/not a COSE_Sign1/));
    assert.throws(() => decodeSign1(parts(cbor([]), new Map(), null, bytes)), fault(/not a map/));
    assert.throws(() => decodeSign1(parts(bytes, new Map(), 7, bytes)), fault(/payload/));
  });

  it('is a receipt of the tree of RFC 9162 alone, with a proof', () => {
    const proof = cbor([1, 0, []]);
    const receipt = (vds: number, proofs: Parameters<typeof cbor>[0]) =>
      decodeSign1(cbor([cbor(new Map([[395, vds]])), new Map([[396, proofs]]), null, Buffer.alloc(64)]));
    assert.deepEqual(proofIn(receipt(1, new Map([[-1, [proof]]]))), { size: 1, index: 0, hashes: [] });
    assert.throws(() => proofIn(receipt(1, new Map([[-1, [proof, proof]]]))), fault(/not hold one inclusion proof/));
    assert.throws(() => proofIn(receipt(2, new Map([[-1, [proof]]]))), fault(/data structure/));
    assert.throws(() => proofIn(receipt(1, new Map([[-2, [proof]]]))), fault(/not hold one inclusion proof/));
    assert.throws(() => proofIn(receipt(1, new Map([[-1, []]]))), fault(/not hold one inclusion proof/));
    assert.throws(() => proofIn(receipt(1, new Map([[-1, [7]]]))), fault(/not bytes/));
    assert.throws(
      () => proofIn(receipt(1, new Map([[-1, [cbor([1, 0, [Buffer.alloc(31)]])]]]))),
      fault(/no SHA-256 hash/),
    );
    assert.throws(() => proofIn(receipt(1, 7)), fault(/no proofs/));
  });
});
