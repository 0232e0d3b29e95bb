import { createHash } from 'node:crypto';

/*
 * RFC 9162 §2.1 word for word, sharing no code with the service: roots and paths from all leaves by the definitions (RFC 9162 §2.1.1
 * and §2.1.3.1), proofs judged by the algorithms for verifiers (RFC 9162 §2.1.3.2 and RFC 9162 §2.1.4.2).
 */

const sha256 = (...parts: Uint8Array[]): Buffer => {
  const made = createHash('sha256');
  for (const part of parts) made.update(part);
  return made.digest();
};

export const leafHash = (entry: Uint8Array): Buffer => sha256(Buffer.of(0), entry);
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.of(1), left, right);

/** The largest power of two below `size`. */
const splitOf = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));

/** MTH of leaves that are hashed already. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0] as Buffer;
  const k = splitOf(leaves.length);
  return nodeHash(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

/** PATH(index, leaves), of leaves that are hashed already. */
export function pathOf(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  const k = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return index < k ? [...pathOf(index, left), rootOf(right)] : [...pathOf(index - k, right), rootOf(left)];
}

interface InclusionCase {
  index: number;
  size: number;
  leaf: Buffer;
  root: Buffer;
  proof: readonly Buffer[];
}

export function inclusionVerifies({ index, size, leaf, root, proof }: InclusionCase): boolean {
  if (index >= size || [leaf, root, ...proof].some((hash) => hash.length !== 32)) return false;
  let [fn, sn, r] = [BigInt(index), BigInt(size) - 1n, leaf];
  for (const p of proof) {
    if (sn === 0n) return false;
    if ((fn & 1n) === 1n || fn === sn) {
      r = nodeHash(p, r);
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else {
      r = nodeHash(r, p);
    }
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && r.equals(root);
}

interface ConsistencyCase {
  first: number;
  second: number;
  firstRoot: Buffer;
  secondRoot: Buffer;
  proof: readonly Buffer[];
}

/** The RFC leaves out equal trees, whose proof everybody takes to be empty; of the empty tree nothing is proven. */
export function consistencyVerifies({ first, second, firstRoot, secondRoot, proof }: ConsistencyCase): boolean {
  if (first < 1 || first > second) return false;
  if (first === second) return proof.length === 0 && firstRoot.equals(secondRoot);
  if (proof.length === 0) return false;
  const path = Number.isInteger(Math.log2(first)) ? [firstRoot, ...proof] : [...proof];
  let [fn, sn] = [BigInt(first) - 1n, BigInt(second) - 1n];
  while ((fn & 1n) === 1n) [fn, sn] = [fn >> 1n, sn >> 1n];
  let [fr, sr] = [path[0] as Buffer, path[0] as Buffer];
  for (const c of path.slice(1)) {
    if (sn === 0n) return false;
    if ((fn & 1n) === 1n || fn === sn) {
      [fr, sr] = [nodeHash(c, fr), nodeHash(c, sr)];
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else {
      sr = nodeHash(sr, c);
    }
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && fr.equals(firstRoot) && sr.equals(secondRoot);
}
