import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { CborTag, decodeCbor, encodeCbor, type CborMap, type CborValue } from '../../src/cose/cbor.ts';
import { CoseFault, decodeSign1, MAX_SIGN1_BYTES, signSign1, verifySign1 } from '../../src/cose/sign1.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const KID = 'key-1';
const payload = Buffer.from('{"a":1}');
const expected = { payload, publicKey, expectedKid: KID };
const kid = Buffer.from(KID);

const header = (...members: [number, CborValue][]): CborMap => new Map<number, CborValue>(members);

/** A message put together by hand, so that each part of it can be wrong. */
function message({
  protectedHeader = header([1, -8], [4, kid]),
  protectedBytes = encodeCbor(protectedHeader),
  unprotected = header(),
  attached = null,
  tag = 18,
  key = privateKey,
  context = 'Signature1',
  aad = Buffer.alloc(0),
}: {
  protectedHeader?: CborMap;
  protectedBytes?: Buffer;
  unprotected?: CborMap;
  attached?: Buffer | null;
  tag?: number | null;
  key?: typeof privateKey;
  context?: string;
  aad?: Buffer;
} = {}): Buffer {
  const signature = sign(null, encodeCbor([context, protectedBytes, aad, payload]), key);
  const parts = [protectedBytes, unprotected, attached, signature];
  return encodeCbor(tag === null ? parts : new CborTag(tag, parts));
}

const refuses = (bytes: Uint8Array, why: RegExp, change: Partial<typeof expected> = {}): void =>
  assert.throws(
    () => verifySign1(bytes, { ...expected, ...change }),
    (error) => error instanceof CoseFault && why.test(error.message),
  );

describe('signSign1', () => {
  it('makes a tagged message with alg and kid in the protected header, and a detached payload', () => {
    const made = signSign1({ kid, payload, privateKey });
    assert.ok(made.toString('hex').startsWith('d2844aa2012704456b65792d31a0f65840'));
    assert.deepEqual(made, message());
    const { alg, payload: attached } = verifySign1(made, expected);
    assert.deepEqual([alg, attached], [-8, null]);
  });

  it('signs further parameters, and carries unprotected ones', () => {
    const made = signSign1({
      kid,
      payload,
      privateKey,
      protectedExtra: header([395, 1]),
      unprotected: header([396, header([-1, [Buffer.from('proof')]])]),
    });
    const { protectedHeader, unprotectedHeader } = verifySign1(made, expected);
    assert.equal(protectedHeader.get(395), 1);
    assert.deepEqual(unprotectedHeader.get(396), new Map([[-1, [Buffer.from('proof')]]]));
  });
});

describe('verifySign1', () => {
  it('takes -8 and -19, with tag 18 and without, with the kid in either header or in none', () => {
    verifySign1(message(), expected);
    verifySign1(message({ protectedHeader: header([1, -19], [4, kid]) }), expected);
    verifySign1(message({ tag: null }), expected);
    verifySign1(message({ protectedHeader: header([1, -8]), unprotected: header([4, kid]) }), expected);
    verifySign1(message({ protectedHeader: header([1, -8]) }), expected);
  });

  it('takes what else signers write: tagged dates, bignums, integers past 2^53, keys in any order', () => {
    for (const more of [
      'c11a6553f100',
      'c249010000000000000000',
      '1bffffffffffffffff',
      '3bffffffffffffffff',
      `${'81'.repeat(14)}00`,
    ])
      verifySign1(message({ protectedBytes: Buffer.from(`a306${more}04456b65792d310127`, 'hex') }), expected);
  });

  it('refuses every other algorithm, and one that is not protected', () => {
    const es256 = -7;
    for (const alg of [es256, -35, -257, 5, 0, null, 'EdDSA', 8]) {
      refuses(message({ protectedHeader: header([1, alg], [4, kid]) }), /alg -8/);
    }
    refuses(message({ protectedHeader: header([4, kid]), unprotected: header([1, -8]) }), /alg -8/);
    refuses(message({ protectedBytes: Buffer.alloc(0), unprotected: header([1, -8], [4, kid]) }), /alg -8/);
    refuses(message({ unprotected: header([1, -8]) }), /parameter 1 twice/);
    refuses(message({ unprotected: header([1, es256]) }), /parameter 1 twice/);
  });

  it('refuses keys of other kinds under -8, which also names Ed448', () => {
    const ed448 = generateKeyPairSync('ed448');
    refuses(message({ key: ed448.privateKey }), /Ed25519 keys alone/, { publicKey: ed448.publicKey });
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    refuses(message(), /Ed25519 keys alone/, { publicKey: ec.publicKey });
    refuses(message({ key: ed448.privateKey }), /64 bytes/);
  });

  it('refuses crit, in either header', () => {
    refuses(message({ protectedHeader: header([1, -8], [2, [4]], [4, kid]) }), /crit/);
    refuses(message({ unprotected: header([2, [1]]) }), /crit/);
  });

  it('refuses another kid, in either header, and one that is a text', () => {
    const other = Buffer.from('key-2');
    refuses(message({ protectedHeader: header([1, -8], [4, other]) }), /another kid than key-1/);
    refuses(message({ protectedHeader: header([1, -8]), unprotected: header([4, other]) }), /another kid/);
    refuses(message({ unprotected: header([4, other]) }), /parameter 4 twice/);
    refuses(message({ protectedHeader: header([1, -8], [4, KID]) }), /kid that is no byte string/);
  });

  it('refuses another payload, key, context or external_aad, and an attached payload', () => {
    refuses(message(), /does not verify/, { payload: Buffer.from('{"a":2}') });
    refuses(message(), /does not verify/, { publicKey: generateKeyPairSync('ed25519').publicKey });
    refuses(message({ context: 'Signature' }), /does not verify/);
    refuses(message({ context: 'CounterSignature1' }), /does not verify/);
    refuses(message({ aad: Buffer.from('aad') }), /does not verify/);
    refuses(message({ attached: payload }), /attached/);
  });

  it('refuses more than 8 KiB, at the edge', () => {
    const padded = (bytes: number): Buffer => message({ unprotected: header([99, Buffer.alloc(bytes)]) });
    const frame = padded(1_000).length - 1_000;
    assert.equal(verifySign1(padded(MAX_SIGN1_BYTES - frame), expected).alg, -8);
    refuses(padded(MAX_SIGN1_BYTES - frame + 1), /8 KiB/);
  });

  it('refuses what is cut off, and what follows', () => {
    const whole = message();
    for (let length = 0; length < whole.length; length += 1) {
      refuses(whole.subarray(0, length), /is not CBOR that is read here|is not a COSE_Sign1/);
    }
    refuses(Buffer.concat([whole, Buffer.of(0)]), /is not CBOR that is read here/);
  });

  it('refuses CBOR that has another form: long lengths, streams, repeated keys, floats, keys of other kinds', () => {
    const protectedOf = (hex: string): Buffer => message({ protectedBytes: Buffer.from(hex, 'hex') });
    refuses(protectedOf('a2012701260a'), /protected header/);
    refuses(protectedOf('a201270127'), /protected header/);
    for (const more of ['f93c00', 'fa3f800000', 'fb3ff8000000000000', 'f7', 'f0', 'f820'])
      refuses(protectedOf(`a2012706${more}`), /protected header/);
    refuses(protectedOf('a101f9c800'), /protected header/);
    for (const key of ['f93c00', 'c100', '4101', '80', 'f5'])
      refuses(protectedOf(`a20127${key}00`), /protected header/);
    refuses(protectedOf(`a2012706${'81'.repeat(15)}00`), /more than 16 levels/);
    refuses(protectedOf(`a2012706${'c1'.repeat(15)}00`), /more than 16 levels/);
    refuses(protectedOf('a2012704f6'), /kid that is no byte string/);
    refuses(protectedOf('bf0127ff'), /protected header/);
    refuses(protectedOf('a1013807'), /protected header/);
    refuses(protectedOf('80'), /protected header that is no map/);
    refuses(Buffer.from('9f40a0f640ff', 'hex'), /is not CBOR that is read here/);
    // Lengths that promise gigabytes allocate nothing.
    for (const hex of ['5a7fffffff', '9a7fffffff', 'ba7fffffff', '5bffffffffffffffff', '9bffffffffffffffff']) {
      refuses(Buffer.from(hex, 'hex'), /is not CBOR that is read here/);
    }
    refuses(Buffer.from('81'.repeat(8_000), 'hex'), /is not CBOR that is read here/);
  });

  it('refuses what is CBOR and no COSE_Sign1', () => {
    refuses(message({ tag: 98 }), /not a COSE_Sign1/);
    refuses(message({ tag: 17 }), /not a COSE_Sign1/);
    const ed = Buffer.alloc(64);
    const shapes: CborValue[] = [
      null,
      1,
      'text',
      [],
      [ed, header(), null],
      [ed, header(), null, ed, ed],
      ['', header(), null, ed],
      [Buffer.alloc(0), [], null, ed],
      [Buffer.alloc(0), header(), 'payload', ed],
      [Buffer.alloc(0), header(), null, 'signature'],
    ];
    for (const shape of shapes) {
      refuses(encodeCbor(shape), /COSE_Sign1|header|payload|signature/);
    }
  });

  it('takes no message of which one bit was changed', () => {
    const whole = message();
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(7), (at, bit) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        refuses(changed, /./);
      }),
      { numRuns: 1_000 },
    );
  });

  it('answers any bytes with a fault of its own', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        assert.throws(() => decodeSign1(bytes), CoseFault);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('encodeCbor', () => {
  it('writes what decodeCbor reads, Buffers as byte strings and keys in order', () => {
    const bytes = encodeCbor(header([395, 1], [1, -8], [-1, Buffer.of(7)]));
    assert.equal(bytes.toString('hex'), 'a3012719018b01204107');
    assert.deepEqual(
      decodeCbor(bytes),
      new Map<number, unknown>([
        [1, -8],
        [395, 1],
        [-1, Buffer.of(7)],
      ]),
    );
  });
});
