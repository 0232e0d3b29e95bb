import { decode, encode, Tag } from 'cbor2';
import { Fault, messageOf, must } from './fault.ts';

/** Only what COSE and proofs use; no floats, no indefinite lengths. An integer past 2^53 is a bigint. */
export type CborValue = null | boolean | number | bigint | string | Buffer | CborValue[] | CborMap | Tag;
export type CborMap = Map<number | bigint | string, CborValue>;

/** The outermost item is level 1, and what is in an array, in a map or under a tag is a level deeper. */
const MAX_DEPTH = 16;

/** One form of each integer and length, and no value that is not used here. The library counts an array as two levels. */
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

/**
 * Decodes one item (RFC 8949): shortest heads, definite lengths, each key once and an integer or a text, nothing behind it. Tags may stand
 * anywhere, and the keys of a map in any order.
 * @throws Fault
 */
export function decodeCbor(bytes: Buffer): CborValue {
  let item: unknown;
  try {
    item = decode(bytes, READING);
  } catch (error) {
    const ends = error instanceof RangeError; // the library reads past the end
    throw new Fault(`it is not CBOR as COSE has it: ${ends ? 'it ends too early' : messageOf(error)}`);
  }
  return checked(item, 1);
}

/** The library takes anything for a key and counts levels otherwise, and its byte strings are no Buffers. */
function checked(item: unknown, depth: number): CborValue {
  must(depth <= MAX_DEPTH, 'the CBOR is nested too deep');
  if (item instanceof Uint8Array) return Buffer.from(item);
  if (Array.isArray(item)) return item.map((member) => checked(member, depth + 1));
  if (item instanceof Tag) return new Tag(item.tag, checked(item.contents, depth + 1));
  if (!(item instanceof Map)) return item as CborValue;
  const map: CborMap = new Map();
  for (const [key, member] of item as ReadonlyMap<unknown, unknown>) {
    const known = typeof key === 'number' || typeof key === 'bigint' || typeof key === 'string';
    must(known, 'the CBOR has a key that is neither integer nor text');
    map.set(key, checked(member, depth + 1));
  }
  return map;
}

/** An array of texts and byte strings: all that a Sig_structure needs (RFC 9052 §4.4). The library would write a Buffer as its JSON. */
export const encodeCbor = (items: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.from(encode(items.map((item) => (typeof item === 'string' ? item : new Uint8Array(item)))));
