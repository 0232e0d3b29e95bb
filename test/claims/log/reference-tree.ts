import { createHash } from 'node:crypto';

/** The Merkle tree of RFC 9162 as its definition reads, over entries in memory: slow, and without any code of the service. */

const sha256 = (...parts: Uint8Array[]): Buffer => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
};

export const leafHashOf = (entry: Uint8Array): Buffer => sha256(Buffer.of(0), entry);

/** The largest power of two below `size`. */
const splitOf = (size: number): number => 2 ** (Math.ceil(Math.log2(size)) - 1);

export function treeHashOf(entries: readonly Uint8Array[]): Buffer {
  const [first] = entries;
  if (first === undefined) return sha256();
  if (entries.length === 1) return leafHashOf(first);
  const middle = splitOf(entries.length);
  return sha256(Buffer.of(1), treeHashOf(entries.slice(0, middle)), treeHashOf(entries.slice(middle)));
}

/** PATH(m, D[n]) of RFC 9162 §2.1.3.1. */
export function pathOf(index: number, entries: readonly Uint8Array[]): Buffer[] {
  if (entries.length <= 1) return [];
  const middle = splitOf(entries.length);
  const [left, right] = [entries.slice(0, middle), entries.slice(middle)];
  return index < middle
    ? [...pathOf(index, left), treeHashOf(right)]
    : [...pathOf(index - middle, right), treeHashOf(left)];
}
