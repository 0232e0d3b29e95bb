import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  completeAt,
  consistencySpans,
  EMPTY_ROOT,
  grow,
  hashOfLeaf,
  hashOfSpan,
  inclusionSpans,
  nodesOf,
  type NodeId,
  type ReadNode,
} from '../../../src/claims/log/merkle.ts';
import { consistencyVerifies, inclusionVerifies, leafHash, rootOf } from './rfc9162.ts';

/** Vectors of transparency-dev/merkle; `source` in the file says which version. */
const vectors = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')) as {
  inclusion: {
    name: string;
    valid: boolean;
    leafIdx: number;
    treeSize: number;
    root: string;
    leafHash: string;
    proof: string[];
  }[];
  consistency: {
    name: string;
    valid: boolean;
    size1: number;
    size2: number;
    root1: string;
    root2: string;
    proof: string[];
  }[];
};

/** Entries, and roots by size, of testonly/constants.go there. */
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const hexes = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));

/** A tree that keeps its complete nodes as the database does: in the order in which they come, and never another one. */
class Tree {
  size = 0;
  root = EMPTY_ROOT;
  readonly #nodes = new Map<string, Buffer>();
  readonly read: ReadNode = ({ level, index }) => {
    const node = this.#nodes.get(`${level}/${index}`);
    assert(node, `node ${level}/${index} is complete in a tree of ${this.size}`);
    return node;
  };

  append(leaves: Buffer[]): void {
    const allowed = new Set(nodesOf({ from: 0, to: this.size }).map(({ level, index }) => `${level}/${index}`));
    const { size, root, levels } = grow(this.size, leaves, (id: NodeId) => {
      assert(allowed.has(`${id.level}/${id.index}`), 'a batch reads only the edge of the tree before');
      return this.read(id);
    });
    for (const [level, hashes] of levels.entries()) {
      assert.equal(hashes.length, completeAt(level, size) - completeAt(level, this.size));
      for (const [at, hash] of hashes.entries()) this.#nodes.set(`${level}/${completeAt(level, this.size) + at}`, hash);
    }
    [this.size, this.root] = [size, root];
  }

  rootAt = (size: number): Buffer => hashOfSpan({ from: 0, to: size }, this.read);
  inclusion = (index: number, size: number): Buffer[] =>
    inclusionSpans(index, size).map((span) => hashOfSpan(span, this.read));
  consistency = (first: number, size: number): Buffer[] =>
    consistencySpans(first, size).map((span) => hashOfSpan(span, this.read));
}

describe('The Merkle tree of the log', () => {
  describe('and the vectors of transparency-dev/merkle', () => {
    const leaves = ENTRIES.map((entry) => hashOfLeaf(hex(entry)));
    const tree = new Tree();
    before(() => tree.append(leaves));

    it('has their roots, one entry after the other', () => {
      const oneByOne = new Tree();
      assert.equal(oneByOne.root.toString('hex'), ROOTS[0]);
      for (const [at, leaf] of leaves.entries()) {
        oneByOne.append([leaf]);
        assert.equal(oneByOne.root.toString('hex'), ROOTS[at + 1]);
      }
      assert.deepEqual(hexes(ROOTS.map((_, size) => tree.rootAt(size))), ROOTS);
    });

    it('gives their proofs', () => {
      let compared = 0;
      for (const { valid, leafIdx, treeSize, root, proof } of vectors.inclusion) {
        if (!valid || root !== ROOTS[treeSize]) continue;
        assert.deepEqual(hexes(tree.inclusion(leafIdx, treeSize)), proof);
        compared += 1;
      }
      for (const { valid, size1, size2, root2, proof } of vectors.consistency) {
        if (!valid || root2 !== ROOTS[size2]) continue;
        assert.deepEqual(hexes(tree.consistency(size1, size2)), proof);
        compared += 1;
      }
      assert(compared >= 10, `${compared} of them are of this tree`);
    });

    it('the verifier of these tests judges all of them, valid and not, as they say', () => {
      const judged = [
        ...vectors.inclusion.map(({ name, valid, leafIdx, treeSize, leafHash: leaf, root, proof }) => {
          const verifies = inclusionVerifies({
            index: leafIdx,
            size: treeSize,
            leaf: hex(leaf),
            root: hex(root),
            proof: proof.map(hex),
          });
          return { name, valid, verifies };
        }),
        ...vectors.consistency.map(({ name, valid, size1, size2, root1, root2, proof }) => {
          const roots = { firstRoot: hex(root1), secondRoot: hex(root2) };
          const verifies = consistencyVerifies({ first: size1, second: size2, ...roots, proof: proof.map(hex) });
          return { name, valid, verifies };
        }),
      ];
      assert.deepEqual(
        judged.filter(({ valid, verifies }) => valid !== verifies).map(({ name }) => name),
        [],
      );
      assert.equal(judged.length, 196);
    });
  });

  it('proves what the examples of RFC 9162 §2.1.5 prove, with the nodes that they name', () => {
    const d = Array.from({ length: 7 }, (_, at) => hashOfLeaf(Buffer.from(`${at}`)));
    const tree = new Tree();
    tree.append(d);
    const over = (from: number, to: number): Buffer => rootOf(d.slice(from, to));
    const [a, b, c, dd, e, f, j] = d as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    const [g, h, i, k, l] = [over(0, 2), over(2, 4), over(4, 6), over(0, 4), over(4, 7)];
    assert(a.equals(tree.read({ level: 0, index: 0 })));
    assert.deepEqual(tree.inclusion(0, 7), [b, h, l]);
    assert.deepEqual(tree.inclusion(3, 7), [c, g, l]);
    assert.deepEqual(tree.inclusion(4, 7), [f, j, k]);
    assert.deepEqual(tree.inclusion(6, 7), [i, k]);
    assert.deepEqual(tree.consistency(3, 7), [c, dd, g, l]);
    assert.deepEqual(tree.consistency(4, 7), [l]);
    assert.deepEqual(tree.consistency(6, 7), [i, j, k]);
    assert(e.equals(tree.read({ level: 0, index: 4 })));
  });

  it('no matter which batches come: every root is the one of the definition, and every proof between any two sizes verifies', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }), (batches) => {
        const tree = new Tree();
        const leaves: Buffer[] = [];
        for (const count of batches) {
          const batch = Array.from({ length: count }, (_, at) => Buffer.from(`${leaves.length + at}`));
          leaves.push(...batch.map(leafHash));
          tree.append(batch.map(hashOfLeaf));
          assert.deepEqual(tree.root, rootOf(leaves));
        }
        const roots = Array.from({ length: leaves.length + 1 }, (_, size) => rootOf(leaves.slice(0, size)));
        for (let second = 0; second <= leaves.length; second += 1) {
          assert.deepEqual(tree.rootAt(second), roots[second]);
          const root = roots[second] as Buffer;
          for (let index = 0; index < second; index += 1) {
            const leaf = leaves[index] as Buffer;
            assert(inclusionVerifies({ index, size: second, leaf, root, proof: tree.inclusion(index, second) }));
          }
          assert.deepEqual(tree.consistency(0, second), []);
          for (let first = 1; first <= second; first += 1) {
            const firstRoot = roots[first] as Buffer;
            const proof = tree.consistency(first, second);
            assert(consistencyVerifies({ first, second, firstRoot, secondRoot: root, proof }), `${first} to ${second}`);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('a proof of another leaf, index, size or root does not verify', () => {
    const leaves = Array.from({ length: 21 }, (_, at) => leafHash(Buffer.from(`${at}`)));
    const tree = new Tree();
    tree.append(leaves);
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (index, other) => {
        const right = {
          index,
          size: 21,
          leaf: leaves[index] as Buffer,
          root: tree.root,
          proof: tree.inclusion(index, 21),
        };
        assert(inclusionVerifies(right));
        fc.pre(other !== index);
        assert(!inclusionVerifies({ ...right, index: other }));
        assert(!inclusionVerifies({ ...right, leaf: leaves[other] as Buffer }));
        assert(!inclusionVerifies({ ...right, root: tree.rootAt(other) }));
        assert(!inclusionVerifies({ ...right, proof: tree.inclusion(other, 21) }));
        assert(!inclusionVerifies({ ...right, proof: right.proof.slice(1) }));
      }),
    );
  });

  it('names nodes beyond 2^32 exactly', () => {
    const size = 2 ** 40 + 5;
    assert.deepEqual(nodesOf({ from: 0, to: size }), [
      { level: 40, index: 0 },
      { level: 2, index: 2 ** 38 },
      { level: 0, index: 2 ** 40 + 4 },
    ]);
    assert.deepEqual(inclusionSpans(size - 1, size), [
      { from: 2 ** 40, to: 2 ** 40 + 4 },
      { from: 0, to: 2 ** 40 },
    ]);
  });
});
