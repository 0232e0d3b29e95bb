import { decode, encode, Tag } from 'cbor2';

/** What our own messages are made of. Labels of COSE are integers. */
export type CborValue = number | string | boolean | null | Uint8Array | readonly CborValue[] | CborMap | Tag;
export type CborMap = ReadonlyMap<number, CborValue>;

export { Tag as CborTag };

/** Containers inside one another: a receipt has five, and no message of ours or of a signer needs more than this. */
const MAX_DEPTH = 16;

/** The one encoding of a value that RFC 8949 §4.2.1 allows: shortest lengths, map keys in order. */
export const encodeCbor = (value: CborValue): Buffer => Buffer.from(encode(plain(value), { cde: true }));

/**
 * Reads one item that fills all the bytes. Maps become `Map`, byte strings `Uint8Array`, tags stay tags.
 * @throws Error for whatever is not the deterministic encoding: truncated, indefinite, with a repeated key, followed by more.
 */
export const decodeCbor = (bytes: Uint8Array): unknown =>
  decode(bytes, { cde: true, ignoreGlobalTags: true, preferMap: true, maxDepth: MAX_DEPTH });

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
