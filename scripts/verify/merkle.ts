import { sha256 } from './bytes.ts';
import { must } from './fault.ts';

/** The Merkle tree of RFC 9162 §2.1 with SHA-256. Sizes are plain numbers, halved by division: 32-bit shifts end at 2^31 leaves. */

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

export const leafHash = (entry: Uint8Array): Buffer => sha256(LEAF, entry);
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(NODE, left, right);

const odd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);

/**
 * The root that an inclusion path leads to (RFC 9162 §2.1.3.2).
 * @throws Fault where the path does not have the length that index and size require
 */
export function rootFromInclusion(
  leaf: Uint8Array,
  { index, size, path }: { index: number; size: number; path: readonly Uint8Array[] },
): Buffer {
  must(index < size, `a tree of ${size} has no entry ${index}`);
  let [place, last] = [index, size - 1];
  let root: Buffer = Buffer.from(leaf);
  for (const hash of path) {
    must(last > 0, 'the inclusion proof is too long for its tree');
    if (odd(place) || place === last) {
      root = nodeHash(hash, root);
      while (!odd(place) && place > 0) [place, last] = [half(place), half(last)];
    } else root = nodeHash(root, hash);
    [place, last] = [half(place), half(last)];
  }
  must(last === 0, 'the inclusion proof is too short for its tree');
  return root;
}

interface Head {
  size: number;
  root: Uint8Array;
}

/**
 * The roots of both trees that a consistency path makes (RFC 9162 §2.1.4.2), where `older` is neither empty nor as large as `newer`. Where the newer
 * one is the root that was signed, every hash of the path is one of that tree, and so is the older root: another one that was signed, too, is
 * of another tree. Of an older size that is a power of two its root is itself a node of the path.
 * @throws Fault where the path does not have the length that the sizes require
 */
export function rootsFromConsistency(
  older: Head,
  newer: Pick<Head, 'size'>,
  path: readonly Uint8Array[],
): { older: Buffer; newer: Buffer } {
  let [place, last] = [older.size - 1, newer.size - 1];
  while (odd(place)) [place, last] = [half(place), half(last)];
  const [first, ...rest] = place === 0 ? [older.root, ...path] : path;
  must(first !== undefined, 'the consistency proof is empty');
  let [olderRoot, newerRoot]: [Buffer, Buffer] = [Buffer.from(first), Buffer.from(first)];
  for (const hash of rest) {
    must(last > 0, 'the consistency proof is too long for its trees');
    if (odd(place) || place === last) {
      olderRoot = nodeHash(hash, olderRoot);
      newerRoot = nodeHash(hash, newerRoot);
      while (!odd(place) && place > 0) [place, last] = [half(place), half(last)];
    } else newerRoot = nodeHash(newerRoot, hash);
    [place, last] = [half(place), half(last)];
  }
  must(last === 0, 'the consistency proof is too short for its trees');
  return { older: olderRoot, newer: newerRoot };
}

/**
 * Checks that the tree of `newer` begins with the entries of `older`.
 * @throws Fault where it does not, or where the proof is about other sizes
 */
export function assertConsistent(older: Head, newer: Head, path: readonly Uint8Array[]): void {
  must(older.size <= newer.size, `a tree of ${newer.size} does not hold one of ${older.size}`);
  if (older.size === newer.size || older.size === 0) {
    must(path.length === 0, 'the consistency proof is longer than these sizes need');
    must(
      older.size === 0 || Buffer.compare(older.root, newer.root) === 0,
      `two trees of ${older.size} have different roots`,
    );
    return;
  }
  const roots = rootsFromConsistency(older, newer, path);
  must(Buffer.compare(roots.older, older.root) === 0, `the proof does not lead to the root of ${older.size} entries`);
  must(Buffer.compare(roots.newer, newer.root) === 0, `the proof does not lead to the root of ${newer.size} entries`);
}
