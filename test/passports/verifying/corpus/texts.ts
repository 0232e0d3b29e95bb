import { sign } from 'node:crypto';
import { base64url } from '../../tokens.ts';
import { headerOf, list, withHeader, withPayload, type Attack, type Target } from './attack.ts';

/** The order of the group (RFC 8032 §5.1). */
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;

export function texts(target: Target): Attack[] {
  const { payload } = target;
  const good = withHeader(target, {});
  const [head = '', body = '', signature = ''] = good.split('.');
  const jwe = { alg: 'dir', enc: 'A256GCM' };
  const standard = tokenWhere(target, (token) => /[-_]/.test(token.split('.')[2] ?? ''));
  const [spareHead = '', spareBody = '', spareSignature = ''] = tokenWhere(
    target,
    (token) => (token.split('.')[1]?.length ?? 0) % 4 !== 0,
  ).split('.');
  return list('malformed', {
    empty: '',
    'one segment': head,
    'two segments': `${head}.${body}`,
    'four segments': `${good}.${signature}`,
    'a dot behind': `${good}.`,
    'a dot before': `.${good}`,
    'dots alone': '..',
    'an empty payload': `${head}..${signature}`,
    'an empty signature': `${head}.${body}.`,
    'a space before': ` ${good}`,
    'a line break behind': `${good}\n`,
    'a line break in it': `${head}.\n${body}.${signature}`,
    'a space in the payload': `${head}.${body.slice(0, 8)} ${body.slice(8)}.${signature}`,
    'a tab in the signature': `${head}.${body}.${signature.slice(0, 8)}\t${signature.slice(8)}`,
    'Bearer before': `Bearer ${good}`,
    'padding on the header': `${head}=.${body}.${signature}`,
    'padding on the payload': `${spareHead}.${spareBody}${'='.repeat(4 - (spareBody.length % 4))}.${spareSignature}`,
    'padding on the signature': `${good}==`,
    'base64 where it should be base64url': standard.replaceAll('-', '+').replaceAll('_', '/'),
    'percent-encoded dots': good.replaceAll('.', '%2E'),
    'dots of another script': good.replaceAll('.', '\uff0e'),
    'letters of another script': good.replace('e', '\u0435'),
    'a payload whose letters are 256 code points away': `${head}.${shifted(body, 0x100)}.${signature}`,
    'a payload of letters 0x400 away': `${head}.${shifted(body, 0x400)}.${signature}`,
    'one letter of the payload 256 away': `${head}.${shifted(body.slice(0, 1), 0x100)}${body.slice(1)}.${signature}`,
    'a header of letters 256 away': `${shifted(head, 0x100)}.${body}.${signature}`,
    'dots 256 code points away': good.replaceAll('.', '\u012e'),
    'a letter beyond U+FFFF in the payload': `${head}.${body}\u{1f600}.${signature}`,
    'spare bits in the signature': `${head}.${body}.${signature.slice(0, -1)}${nextDigit(signature.at(-1) ?? '')}`,
    'spare bits in the payload': `${spareHead}.${spareBody.slice(0, -1)}${nextDigit(spareBody.at(-1) ?? '')}.${spareSignature}`,
    'a digit more in the signature': `${good}A`,
    'a digit less in the signature': good.slice(0, -1),
    twice: `${good}${good}`,
    'JSON, flattened': JSON.stringify({ protected: head, payload: body, signature }),
    'JSON, general': JSON.stringify({ payload: body, signatures: [{ protected: head, signature }] }),
    'JWE, compact': `${base64url(JSON.stringify(jwe))}..${base64url('iv')}.${body}.${base64url('tag')}`,
    'JWE, three of five segments': `${base64url(JSON.stringify(jwe))}.${body}.${signature}`,
    'a million characters': 'A'.repeat(1_000_000),
    'a million dots': '.'.repeat(1_000_000),
    'a million characters of payload': `${head}.${'A'.repeat(1_000_000)}.${signature}`,
    '16 KiB and a little, signed by us': withPayload(target, JSON.stringify({ ...payload, aud: ['x'.repeat(12_300)] })),
    'a PEM': `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`,
  });
}

export function signatures(target: Target): Attack[] {
  const { payload, key } = target;
  const good = withHeader(target, {});
  const [head = '', body = '', signature = ''] = good.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const signed = (other: Buffer): string => `${head}.${body}.${base64url(other)}`;
  const flipped = (at: number): string => {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    return signed(copy);
  };
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`);
  const littleEndian = (value: bigint): Buffer =>
    Buffer.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').toReversed());
  const other =
    withPayload(target, JSON.stringify({ ...payload, jti: 'psp_00000000000000000000000001' })).split('.')[2] ?? '';
  const richer = base64url(JSON.stringify({ ...payload, exp: payload.exp + 60 }));
  const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]);
  return [
    ...list('bad_signature', {
      'S + L, the same signature in another text': signed(Buffer.concat([bytes.subarray(0, 32), littleEndian(s + L)])),
      'S of the order of the group': signed(Buffer.concat([bytes.subarray(0, 32), littleEndian(L)])),
      zeros: signed(Buffer.alloc(64)),
      'the identity and zero': signed(identity),
      ones: signed(Buffer.alloc(64, 0xff)),
      'halves exchanged': signed(Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)])),
      'of another passport': `${head}.${body}.${other}`,
      'under a payload with a later exp': `${head}.${richer}.${signature}`,
      'of the payload alone': signed(sign(null, Buffer.from(body), key)),
      'of the decoded JSON': signed(
        sign(null, Buffer.from(`${JSON.stringify(headerOf(target))}.${JSON.stringify(payload)}`), key),
      ),
    }),
    ...list(
      'bad_signature',
      Object.fromEntries([0, 15, 31, 32, 47, 62].map((at) => [`one bit of byte ${at} flipped`, flipped(at)])),
    ),
  ];
}

/** A token with a property of its text, found by padding a claim. */
function tokenWhere(target: Target, fits: (token: string) => boolean): string {
  for (let length = 0; length < 100; length += 1) {
    const token = withPayload(target, JSON.stringify({ ...target.payload, aud: ['a'.repeat(length)] }));
    if (fits(token)) return token;
  }
  throw new Error('No padding gives such a token.');
}

/** Characters that are the same byte once they are cut to one. */
const shifted = (text: string, by: number): string =>
  String.fromCharCode(...[...text].map((letter) => letter.charCodeAt(0) + by));

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Differs in the lowest bit, which is one to spare in the last digit of 64 bytes and of most payloads. */
const nextDigit = (digit: string): string => DIGITS[DIGITS.indexOf(digit) ^ 1] ?? '';
