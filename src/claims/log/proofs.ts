import { invalid } from '../../errors/carnet-error.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { consistencySpans, hashOfSpan, inclusionSpans, nodesOf, type Span } from './merkle.ts';
import type { Inclusion as Path } from './inclusion.ts';
import { readNodes } from './node-queries.ts';
import { findLog, findPlace, type PublishedEntry } from './queries.ts';

/** That a leaf is in the tree of a size. Hashes have 32 bytes. */
export interface Inclusion extends Path {
  leafHash: Buffer;
  rootHash: Buffer;
  hashes: Buffer[];
}

/** That one tree is the beginning of another. */
interface Consistency {
  from: number;
  to: number;
  fromRoot: Buffer;
  toRoot: Buffer;
  hashes: Buffer[];
}

/** The hashes of many spans, read together. */
async function hashesOf(connection: CommonQueryMethods, spans: readonly Span[]): Promise<Buffer[]> {
  const read = await readNodes(connection, spans.flatMap(nodesOf));
  return spans.map((span) => hashOfSpan(span, read));
}

const whole = (size: number): Span => ({ from: 0, to: size });
const leafAt = (index: number): Span => ({ from: index, to: index + 1 });

/** How many claims readers see in the log. */
export const publishedSize = async (connection: CommonQueryMethods): Promise<number> =>
  (await findLog(connection))?.published_size ?? 0;

/** Proofs of leaves, each in a tree of its own size; all of them in one statement. */
async function inclusionsOf(
  connection: CommonQueryMethods,
  wanted: readonly { logIndex: number; treeSize: number }[],
): Promise<Inclusion[]> {
  const spans = wanted.map(({ logIndex, treeSize }) => [
    leafAt(logIndex),
    whole(treeSize),
    ...inclusionSpans(logIndex, treeSize),
  ]);
  const hashes = await hashesOf(connection, spans.flat());
  let at = 0;
  return wanted.map(({ logIndex, treeSize }, index) => {
    const [leafHash, rootHash, ...path] = hashes.slice(at, (at += spans[index]?.length ?? 0)) as [Buffer, Buffer];
    return { logIndex, treeSize, leafHash, rootHash, hashes: path };
  });
}

/**
 * The proof that a claim is in the log; null where it has no place yet.
 * @param treeSize of the tree in which it is proven; undefined: what is published now
 * @throws CarnetError VALIDATION_ERROR for a tree that the claim is not in, or that is not there.
 */
export async function inclusionOf(
  connection: CommonQueryMethods,
  claimId: string,
  treeSize?: number,
): Promise<Inclusion | null> {
  const place = await findPlace(connection, claimId);
  if (place === null) return null;
  const { log_index: logIndex, published_size: published } = place;
  const size = treeSize ?? published;
  assertSize('tree_size', size, { atLeast: logIndex + 1, atMost: published });
  return (await inclusionsOf(connection, [{ logIndex, treeSize: size }]))[0] ?? null;
}

/** The proof in the tree of the batch that a claim came with: always the same one. */
export const inclusionsInBatch = (
  connection: CommonQueryMethods,
  entries: readonly PublishedEntry[],
): Promise<Inclusion[]> =>
  inclusionsOf(
    connection,
    entries.map((entry) => ({ logIndex: entry.log_index, treeSize: entry.tree_size })),
  );

/**
 * The proof that the tree of `to` claims begins with that of `from`.
 * @throws CarnetError VALIDATION_ERROR for sizes that are not published, or a `from` above `to`.
 */
export async function consistencyOf(connection: CommonQueryMethods, from: number, to: number): Promise<Consistency> {
  assertSize('to', to, { atLeast: 0, atMost: await publishedSize(connection) });
  assertSize('from', from, { atLeast: 0, atMost: to });
  const [fromRoot, toRoot, ...hashes] = (await hashesOf(connection, [
    whole(from),
    whole(to),
    ...consistencySpans(from, to),
  ])) as [Buffer, Buffer, ...Buffer[]];
  return { from, to, fromRoot, toRoot, hashes };
}

function assertSize(path: string, size: number, { atLeast, atMost }: { atLeast: number; atMost: number }): void {
  if (Number.isSafeInteger(size) && size >= atLeast && size <= atMost) return;
  throw invalid({ path, code: 'invalid_value', message: `must be from ${atLeast} to ${atMost}` });
}
