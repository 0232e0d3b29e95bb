import { decode, encode, Tag } from 'cbor2';

/** The values that our own messages are made of. Labels of COSE are integers. */
export type CborValue = number | string | boolean | null | Uint8Array | readonly CborValue[] | CborMap | Tag;
export type CborMap = ReadonlyMap<number, CborValue>;

export { Tag as CborTag };

/** The outermost item is level 1, and what is in an array, in a map or under a tag is a level deeper. A receipt has five. */
const MAX_DEPTH = 16;

/** One form of each integer and length; of values those alone that every reader of ours tells apart. The library counts an array as two levels. */
const READING = {
  rejectStreaming: true,
  requirePreferred: true,
  rejectDuplicateKeys: true,
  rejectFloats: true,
  rejectSimple: true,
  rejectUndefined: true,
  ignoreGlobalTags: true,
  preferMap: true,
  maxDepth: 2 * MAX_DEPTH,
};

/** The one encoding of a value that RFC 8949 §4.2.1 allows: shortest lengths, map keys in order. */
export const encodeCbor = (value: CborValue): Buffer => Buffer.from(encode(plain(value), { cde: true }));

/**
 * Reads one item that fills all the bytes, as the verifiers do: integers and lengths in their shortest form, definite lengths,
 * no floats, no simple values but false, true and null, each key once and an integer or a text, 16 levels. Tags may stand anywhere, and the
 * keys of a map in any order. Maps become `Map`, byte strings `Uint8Array`, tags stay tags; an integer past 2^53 is a bigint.
 * @throws Error for anything that is not so
 */
export function decodeCbor(bytes: Uint8Array): unknown {
  const item = decode(bytes, READING);
  assertKeysAndDepth(item, 1);
  return item;
}

function assertKeysAndDepth(item: unknown, level: number): void {
  if (level > MAX_DEPTH) throw new Error(`It has more than ${MAX_DEPTH} levels`);
  if (Array.isArray(item)) for (const member of item) assertKeysAndDepth(member, level + 1);
  else if (item instanceof Tag) assertKeysAndDepth(item.contents, level + 1);
  else if (item instanceof Map) {
    for (const [key, member] of item as ReadonlyMap<unknown, unknown>) {
      if (!['number', 'bigint', 'string'].includes(typeof key))
        throw new Error('A key is neither an integer nor a text');
      assertKeysAndDepth(member, level + 1);
    }
  }
}

/** A Buffer would be written as its JSON, since it has `toJSON`. */
function plain(value: CborValue): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) {
    return new Map([...(value as CborMap)].map(([label, member]) => [label, plain(member)]));
  }
  if (value instanceof Tag) return new Tag(value.tag, plain(value.contents as CborValue));
  return value;
}
