import { must } from './fault.ts';

/** Only what COSE and proofs use; no floats, no indefinite lengths. An integer past 2^53 is a bigint. */
export type CborValue = null | boolean | number | bigint | string | Buffer | CborValue[] | CborMap | CborTag;
export type CborMap = Map<number | bigint | string, CborValue>;
export class CborTag {
  readonly tag: number | bigint;
  readonly value: CborValue;
  constructor(tag: number | bigint, value: CborValue) {
    this.tag = tag;
    this.value = value;
  }
}

/** The outermost item is level 1, and what is in an array, in a map or under a tag is a level deeper. */
const MAX_DEPTH = 16;

/**
 * Decodes one item (RFC 8949): shortest heads, definite lengths, each key once and an integer or a text, nothing behind it. Tags may stand
 * anywhere, and the keys of a map in any order.
 * @throws Fault
 */
export function decodeCbor(bytes: Buffer): CborValue {
  let at = 0;
  const take = (length: number): Buffer => {
    must(at + length <= bytes.length, 'the CBOR ends too early');
    at += length;
    return bytes.subarray(at - length, at);
  };

  const argument = (low: number): number | bigint => {
    if (low < 24) return low;
    const width = { 24: 1, 25: 2, 26: 4, 27: 8 }[low];
    must(width !== undefined, 'the CBOR has an indefinite length');
    const exact = BigInt(`0x${take(width).toString('hex')}`);
    const least = { 1: 24, 2: 0x100, 4: 0x1_0000, 8: 0x1_0000_0000 }[width];
    must(least !== undefined && exact >= least, 'the CBOR spells an integer longer than needed');
    return narrowed(exact);
  };

  const item = (depth: number): CborValue => {
    must(depth <= MAX_DEPTH, 'the CBOR is nested too deep');
    const [head = 0] = take(1);
    const major = head >> 5;
    if (major === 7) {
      must(head >= 0xf4 && head <= 0xf6, 'the CBOR holds a value that is not used here');
      return head === 0xf6 ? null : head === 0xf5;
    }
    const value = argument(head & 0x1f);
    if (major === 0) return value;
    if (major === 1) return narrowed(-1n - BigInt(value));
    if (major === 6) return new CborTag(value, item(depth + 1));
    must(typeof value === 'number', 'the CBOR ends too early');
    switch (major) {
      case 2:
        return take(value);
      case 3:
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(take(value));
      case 4:
        return list(value, depth);
      default:
        return map(value, depth);
    }
  };

  const list = (length: number, depth: number): CborValue[] => {
    const items: CborValue[] = [];
    while (items.length < length) items.push(item(depth + 1));
    return items;
  };

  const map = (size: number, depth: number): CborMap => {
    const members: CborMap = new Map();
    for (let count = 0; count < size; count += 1) {
      const key = item(depth + 1);
      must(isKey(key), 'the CBOR has a key that is neither integer nor text');
      must(!members.has(key), `the CBOR has the key ${key} twice`);
      members.set(key, item(depth + 1));
    }
    return members;
  };

  const value = item(1);
  must(at === bytes.length, 'there are bytes behind the CBOR');
  return value;
}

const isKey = (item: CborValue): item is number | bigint | string =>
  typeof item === 'number' || typeof item === 'bigint' || typeof item === 'string';

const narrowed = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

/** The head and the bytes of a byte string or a text, and an array of such: all that a Sig_structure needs (RFC 9052 §4.4). */
export const encodeCbor = (value: string | Uint8Array | readonly (string | Uint8Array)[]): Buffer => {
  if (typeof value === 'string') return Buffer.concat([headOf(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([headOf(2, value.length), value]);
  return Buffer.concat([headOf(4, value.length), ...value.map(encodeCbor)]);
};

function headOf(major: number, length: number): Buffer {
  const first = major << 5;
  if (length < 24) return Buffer.from([first | length]);
  if (length < 0x100) return Buffer.from([first | 24, length]);
  const wide = length < 0x1_0000 ? Buffer.alloc(3) : Buffer.alloc(5);
  wide[0] = first | (wide.length === 3 ? 25 : 26);
  wide.writeUIntBE(length, 1, wide.length - 1);
  return wide;
}
