import type { CommonQueryMethods } from '../../database/pool.ts';
import { isJsonObject, type JsonValue } from '../../json/value.ts';
import { signedBytesOf } from '../signed-bytes.ts';
import { completeAt, hashOfLeaf } from './merkle.ts';
import { publishedSize } from './proofs.ts';
import { listLeaves, readRow } from './node-queries.ts';

/** Hashes of a full tile, and levels of the tree from one level of tiles to the next (C2SP tlog-tiles). */
const WIDTH = 256;
const LEVELS = 8;
/** No tree has leaves enough for the levels above: numbers of leaves are below 2^53. */
const MAX_LEVEL = 6;
/** The length of an entry is two bytes. */
const MAX_ENTRY = 65_535;

/** Part of a level of tiles: `width` is less than 256 for the beginning of a tile that is not full yet. */
interface Tile {
  index: number;
  width: number;
}

/**
 * The tile that the elements of a path name: `x001`, `x234`, `067`, and for a part of one `067.p`, `17`.
 * @returns null where they name none
 */
export function parseTile(elements: readonly string[]): Tile | null {
  const path = elements.join('/');
  const [, index = '', width] = /^((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path) ?? [];
  if (index === '' || index.startsWith('x000/')) return null;
  const tile = { index: Number(index.replaceAll(/\D/g, '')), width: width === undefined ? WIDTH : Number(width) };
  return width !== undefined && tile.width >= WIDTH ? null : tile;
}

/** The hashes of a tile, 32 bytes each; null where the published tree has not all of them. */
export async function readTile(
  connection: CommonQueryMethods,
  level: number,
  { index, width }: Tile,
): Promise<Buffer | null> {
  const from = index * WIDTH;
  if (level > MAX_LEVEL) return null;
  if (from + width > completeAt(level * LEVELS, await publishedSize(connection))) return null;
  return readRow(connection, { level: level * LEVELS, from, count: width });
}

/**
 * The signed bytes of the claims of a tile of level 0, each behind its length in two bytes. One that was erased, or has more bytes than can
 * be counted, has length zero: its hash is in the tile all the same.
 * @returns null where the published tree has not all of them
 */
export async function readEntries(connection: CommonQueryMethods, { index, width }: Tile): Promise<Buffer | null> {
  const from = index * WIDTH;
  if (from + width > (await publishedSize(connection))) return null;
  const leaves = await listLeaves(connection, { from, count: width });
  return Buffer.concat(leaves.flatMap(({ envelope, leaf_hash: leaf }) => entryOf(envelope, leaf)));
}

function entryOf(envelope: string, leaf: Buffer): Buffer[] {
  const value = JSON.parse(envelope) as JsonValue;
  const entry = isJsonObject(value) ? signedBytesOf(value) : Buffer.alloc(0);
  const shown = entry.length <= MAX_ENTRY && hashOfLeaf(entry).equals(leaf) ? entry : Buffer.alloc(0);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(shown.length);
  return [length, shown];
}
