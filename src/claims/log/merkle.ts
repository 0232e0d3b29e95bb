import { hash } from 'node:crypto';

/*
 * The Merkle tree of RFC 9162 §2.1 over SHA-256. A node is complete when both of its halves are: level 0 are the hashes of the leaves, and
 * node `index` of `level` spans the leaves from index * 2^level. Complete nodes never change, so they are kept; everything else is made of them.
 * Sizes and indexes are whole numbers up to 2^53, hashes have 32 bytes.
 */

export const HASH_BYTES = 32;

const LEAF = Buffer.from([0]);
const INNER = Buffer.from([1]);

const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

/** How hashes are written in JSON. */
export const hex = (bytes: Buffer): string => bytes.toString('hex');

/** The root of a tree without leaves. */
export const EMPTY_ROOT = sha256(Buffer.alloc(0));

export const hashOfLeaf = (entry: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, entry]));

/** The hash of an inner node. */
export const hashOfPair = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.concat([INNER, left, right]));

/** A complete node, which never changes: a batch costs its leaves and the right edge, a proof about one node a level. */
export interface NodeId {
  level: number;
  index: number;
}

/** The leaves from `from` to before `to`, as one of the trees that the definition of the RFC makes. */
export interface Span {
  from: number;
  to: number;
}

/** Reads a complete node. @throws Error where it is not there. */
export type ReadNode = (id: NodeId) => Buffer;

/** How many nodes of a level are complete in a tree of this size. */
export const completeAt = (level: number, size: number): number => Math.floor(size / 2 ** level);

/** The largest power of two below `size`, which is 2 or more. */
function halfOf(size: number): number {
  let half = 1;
  while (half * 2 < size) half *= 2;
  return half;
}

/** The complete nodes that a span is made of, from left to right: one for each bit of its length. */
export function nodesOf({ from, to }: Span): NodeId[] {
  const nodes: NodeId[] = [];
  let at = from;
  while (at < to) {
    let level = 0;
    while (2 ** (level + 1) <= to - at) level += 1;
    nodes.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

/** The hash of a span. */
export function hashOfSpan(span: Span, read: ReadNode): Buffer {
  const hashes = nodesOf(span).map(read);
  return hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => hashOfPair(left, right));
}

/** The spans whose hashes prove that leaf `index` is in the tree of `size`, from the leaf's sibling up (RFC 9162 §2.1.3.1). */
export function inclusionSpans(index: number, size: number): Span[] {
  const spans: Span[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + halfOf(to - from);
    if (index < middle) {
      spans.push({ from: middle, to });
      to = middle;
    } else {
      spans.push({ from, to: middle });
      from = middle;
    }
  }
  return spans.toReversed();
}

/** The spans whose hashes prove that the tree of `size` begins with that of `first` (RFC 9162 §2.1.4.1); none where `first` is 0 or `size`. */
export function consistencySpans(first: number, size: number): Span[] {
  if (first === 0) return [];
  const spans: Span[] = [];
  let [from, to, isWhole] = [0, size, true];
  while (to > first) {
    const middle = from + halfOf(to - from);
    if (first <= middle) {
      spans.push({ from: middle, to });
      to = middle;
    } else {
      spans.push({ from, to: middle });
      from = middle;
      isWhole = false;
    }
  }
  // The part that the verifier has already, the whole of the first tree, is left out.
  if (!isWhole) spans.push({ from, to });
  return spans.toReversed();
}

/** The nodes that a batch adds to a tree. */
interface Growth {
  size: number;
  root: Buffer;
  /** The nodes that become complete: by level, in the order of their indexes, from `completeAt(level, size before)` on. */
  levels: Buffer[][];
}

/**
 * Adds leaves to a tree of `size`. @param read the complete nodes of the tree before: those that `nodesOf({from: 0, to: size})` names.
 */
export function grow(size: number, leaves: Buffer[], read: ReadNode): Growth {
  const levels: Buffer[][] = [];
  for (let level = 0, added = leaves; added.length > 0; level += 1) {
    levels.push(added);
    const first = completeAt(level, size);
    // An odd number of nodes were complete: the last of them waits for its sibling.
    const row = first % 2 === 1 ? [read({ level, index: first - 1 }), ...added] : added;
    added = [];
    for (let at = 0; at + 1 < row.length; at += 2) added.push(hashOfPair(row[at] as Buffer, row[at + 1] as Buffer));
  }
  const grown = size + leaves.length;
  const root = hashOfSpan({ from: 0, to: grown }, (id) => {
    const added = levels[id.level]?.[id.index - completeAt(id.level, size)];
    return added ?? read(id);
  });
  return { size: grown, root, levels };
}
