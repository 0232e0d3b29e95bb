import { sign } from 'node:crypto';
import fc from 'fast-check';
import { cbor, newKeys, plainEnvelope, signedBytes } from './log.ts';

// Co-signatures as a stranger might write them: headers that are well made or not, signed or bent.

export const signer = newKeys('signer');
export const payload = signedBytes(plainEnvelope);
const kid = Buffer.from(signer.jwk.kid);

const head = (major: number, value: number): Buffer => {
  const bytes = cbor(value);
  bytes[0] = (major << 5) | ((bytes[0] ?? 0) & 0x1f);
  return bytes;
};
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Values that stand in headers: what the profile takes, what it refuses, and both inside of containers and under tags. */
const { item } = fc.letrec<{ item: Buffer }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: -70_000, max: 70_000 }).map((value) => cbor(value)) },
      { weight: 3, arbitrary: fc.uint8Array({ maxLength: 30 }).map((bytes) => cbor(Buffer.from(bytes))) },
      { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => cbor(text)) },
      // Taken: null, true, false, integers past 2^53, a mark of byte order as a text.
      fc
        .constantFrom('f6', 'f5', 'f4', '1b0020000000000000', '1bffffffffffffffff', '3bffffffffffffffff', '63efbbbf')
        .map(hex),
      // Refused: floats, other simple values, longer forms, indefinite lengths, faulty texts, what is reserved or ends too early.
      fc
        .constantFrom(
          'f93c00',
          'f9c800',
          'fa3f800000',
          'fb3ff0000000000000',
          'f97e00',
          'f7',
          'e0',
          'f0',
          'f818',
          'f820',
          'ff',
        )
        .map(hex),
      fc
        .constantFrom(
          '1801',
          '190001',
          '1a00000001',
          '1b0000000000000001',
          '3800',
          '5800',
          '7800',
          '9800',
          'b800',
          'd80100',
        )
        .map(hex),
      fc
        .constantFrom(
          '5fff',
          '7fff',
          '9fff',
          'bfff',
          '61ff',
          '63eda080',
          '62c080',
          '1c',
          '7e',
          '5b7fffffffffffffff',
          '9bffffffffffffffff',
        )
        .map(hex),
    ),
    fc.array(tie('item'), { maxLength: 3 }).map((items) => Buffer.concat([head(4, items.length), ...items])),
    fc.tuple(fc.nat(70_000), tie('item')).map(([tag, value]) => Buffer.concat([head(6, tag), value])),
    fc
      .array(
        fc.tuple(
          fc.oneof({ weight: 5, arbitrary: fc.integer({ min: -3, max: 30 }).map((label) => cbor(label)) }, tie('item')),
          tie('item'),
        ),
        {
          maxLength: 3,
        },
      )
      .map((members) => Buffer.concat([head(5, members.length), ...members.flat()])),
  ),
}));
/** Levels around the sixteenth. */
const nested = fc
  .tuple(fc.constantFrom('81', 'c1', 'a101'), fc.integer({ min: 10, max: 18 }))
  .map(([container, levels]) => hex(`${container.repeat(levels)}00`));

type Member = [Buffer, Buffer];
const label = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom<number | string>(3, 5, 6, 15, 33, 99, -1, -70_001, 'x', 'é').map((one) => cbor(one)),
  },
  { weight: 1, arbitrary: fc.constantFrom(1, 2, 4).map((one) => cbor(one)) },
  { weight: 1, arbitrary: item },
);
const member: fc.Arbitrary<Member> = fc.tuple(label, fc.oneof({ weight: 5, arbitrary: item }, nested));
const alg = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(-8, -19).map((one) => [[cbor(1), cbor(one)] as Member]) },
  fc.constantFrom<Member[]>(
    [],
    [[cbor(1), cbor(-7)]],
    [[cbor(1), cbor('EdDSA')]],
    [[cbor(1), hex('f9c800')]],
    [[cbor(1), hex('f6')]],
  ),
);
const naming = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom<[Member[], Member[]]>(
      [[[cbor(4), cbor(kid)]], []],
      [[], [[cbor(4), cbor(kid)]]],
      [[], []],
    ),
  },
  fc.constantFrom<[Member[], Member[]]>(
    [[[cbor(4), cbor(kid)]], [[cbor(4), cbor(kid)]]],
    [[[cbor(4), cbor(Buffer.from('x'))]], []],
    [[], [[cbor(4), hex('f6')]]],
    [[[cbor(4), cbor(kid.toString())]], []],
  ),
);
const mapOf = (members: Member[]): Buffer => Buffer.concat([head(5, members.length), ...members.flat()]);
const few = fc.oneof({ weight: 2, arbitrary: fc.constant<Member[]>([]) }, fc.array(member, { maxLength: 3 }));

/** A message whose headers are well made or not, signed as its protected bytes are. */
const message: fc.Arbitrary<Buffer> = fc
  .record({
    alg,
    naming,
    protectedMore: few,
    unprotectedMore: few,
    turned: fc.boolean(),
    tag: fc.constantFrom('d2', 'd2', 'd2', '', '', 'd1', 'd812', 'd2d2'),
    attached: fc.oneof(
      { weight: 12, arbitrary: fc.constant(hex('f6')) },
      fc.constantFrom(hex('40'), cbor(payload), hex('f7'), hex('f5')),
    ),
    parts: fc.constantFrom('84', '84', '84', '84', '84', '84', '85', '83', '9804', '9f'),
    signed: fc.oneof({ weight: 12, arbitrary: fc.constant(payload) }, fc.constant(Buffer.from('else'))),
  })
  .map((made) => {
    const members = [...made.alg, ...made.naming[0], ...made.protectedMore];
    const header = members.length === 0 ? Buffer.alloc(0) : mapOf(made.turned ? members.toReversed() : members);
    const signature = sign(null, cbor(['Signature1', header, Buffer.alloc(0), made.signed]), signer.privateKey);
    const unprotected = mapOf([...made.naming[1], ...made.unprotectedMore]);
    return Buffer.concat([hex(made.tag), hex(made.parts), cbor(header), unprotected, made.attached, cbor(signature)]);
  });
/** Some bytes of it changed, cut off, put in. */
const bent: fc.Arbitrary<Buffer> = fc
  .tuple(message, fc.nat(), fc.nat(255), fc.constantFrom('set', 'cut', 'put', 'end'))
  .map(([bytes, place, byte, how]) => {
    const at = place % bytes.length;
    const one = Buffer.of(byte);
    if (how === 'cut') return bytes.subarray(0, at);
    if (how === 'end') return Buffer.concat([bytes, one]);
    return Buffer.concat([bytes.subarray(0, at), one, bytes.subarray(how === 'set' ? at + 1 : at)]);
  });
/** One co-signature as the text of `cose_sign1`. */
export const spelled: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: message }, bent),
    fc.constantFrom('base64url', 'base64url', 'base64url', 'base64'),
    fc.constantFrom('', '', '', '', '', '', '', '=', '\n', 'A', 'é'),
  )
  .map(([bytes, encoding, more]) => bytes.toString(encoding as 'base64') + more);
