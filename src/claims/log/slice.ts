import type { CommonQueryMethods } from '../../database/pool.ts';
import { completeAt, HASH_BYTES, hashOfPair, hashOfSpan, inclusionSpans, nodesOf, type Span } from './merkle.ts';
import { NodesGone, readNodes, readRow } from './node-queries.ts';

/** A slice has this many levels of nodes above its leaves: 16,384 leaves and as many nodes, a megabyte, hashed within 50 ms. */
const LEVELS = 14;
const LEAVES = 2 ** LEVELS;

/** The tree of a checkpoint that the log has signed. */
export interface SignedTree {
  size: number;
  rootHash: Buffer;
}

/** Where the slice ends that begins at this leaf, a multiple of its length. */
export const endOfSlice = (from: number, size: number): number => Math.min(from + LEAVES, size);

/**
 * Computes every node of a slice again from its leaves, and the root from the slice and the nodes beside it.
 * @param from the first leaf, the end of the slice before it
 * @returns what is wrong, in words for a person; null: the nodes are what was signed
 */
export async function faultOfSlice(
  connection: CommonQueryMethods,
  from: number,
  { size, rootHash }: SignedTree,
): Promise<string | null> {
  const slice = { from, to: endOfSlice(from, size) };
  try {
    const hash = await hashFromLeaves(connection, slice);
    if (hash !== null && (await rootAround(connection, slice, { hash, size })).equals(rootHash)) return null;
  } catch (error) {
    if (!(error instanceof NodesGone)) throw error;
  }
  return (
    `The nodes of the log from entry ${from} to ${slice.to - 1} do not make the root that was signed: rows of log_nodes are gone or changed. ` +
    'Restore a copy of the database in which they are whole.'
  );
}

/** The hash of a slice; null where a node in it is not the hash of the two below it. @throws NodesGone */
async function hashFromLeaves(connection: CommonQueryMethods, { from, to }: Span): Promise<Buffer | null> {
  const levels: Buffer[][] = [];
  for (let level = 0; level <= LEVELS; level += 1) {
    const [first, end] = [completeAt(level, from), completeAt(level, to)];
    const kept = end > first ? hashesIn(await readRow(connection, { level, from: first, count: end - first })) : [];
    const below = levels.at(-1);
    const isComputed = kept.every((node, at) => below === undefined || isParent(node, below, 2 * at));
    if (!isComputed) return null;
    levels.push(kept);
  }
  return hashOfSpan({ from, to }, ({ level, index }) => {
    const node = levels[level]?.[index - completeAt(level, from)];
    if (node === undefined) throw new NodesGone('Rows of log_nodes are gone.');
    return node;
  });
}

const isParent = (node: Buffer, below: readonly Buffer[], at: number): boolean =>
  node.equals(hashOfPair(below[at] as Buffer, below[at + 1] as Buffer));

const hashesIn = (row: Buffer): Buffer[] =>
  Array.from({ length: row.length / HASH_BYTES }, (_, at) => row.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));

/** The root of the tree of a size, made of the hash of a slice and of the spans beside it. */
async function rootAround(
  connection: CommonQueryMethods,
  slice: Span,
  { hash, size }: { hash: Buffer; size: number },
): Promise<Buffer> {
  const beside = inclusionSpans(slice.from, size).filter(({ from, to }) => to <= slice.from || from >= slice.to);
  const read = await readNodes(connection, beside.flatMap(nodesOf));
  return beside.reduce((root, span) => {
    const sibling = hashOfSpan(span, read);
    return span.from < slice.from ? hashOfPair(sibling, root) : hashOfPair(root, sibling);
  }, hash);
}
