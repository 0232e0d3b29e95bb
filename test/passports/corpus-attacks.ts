import { createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { base64url, jws, type Payload } from './tokens.ts';

/** One hostile token, and the one reason with which it must be refused. */
export interface Attack {
  name: string;
  token: string;
  reason: string;
}

/** What attacks are made of: a passport that counts, and our own private key, which a real attacker would lack. */
export interface Target {
  kid: string;
  /** The kid of a key of ours that does not sign yet. */
  nextKid: string;
  key: KeyObject;
  payload: Payload;
  /** Where a server listens that must never be asked. */
  trap: string;
}

type Header = Record<string, unknown>;

const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
const attacker = generateKeyPairSync('ed25519');

const list = (reason: string, tokens: Record<string, string>): Attack[] =>
  Object.entries(tokens).map(([name, token]) => ({ name, token, reason }));

const mapped = <T>(values: Record<string, T>, token: (value: T) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, token(value)]));

export const FAMILIES = [
  'the algorithm',
  'the key id',
  'keys that the token brings along',
  'other header members',
  'claims',
  'the JSON of the payload',
  'the text of the token',
  'the signature',
] as const;

/** Every generated attack, by its family. */
export function attacksOn(target: Target): Record<(typeof FAMILIES)[number], Attack[]> {
  const { kid, key, payload } = target;
  const header: Header = { alg: 'EdDSA', kid, typ: 'JWT' };
  const text = JSON.stringify(payload);
  const withHeader = (change: Header, signer: KeyObject | ((input: Buffer) => Buffer) = key): string =>
    jws(JSON.stringify({ ...header, ...change }), text, signer);
  const withPayload = (changed: string): string => jws(JSON.stringify(header), changed, key);
  const withClaims = (change: Record<string, unknown>): string => withPayload(JSON.stringify({ ...payload, ...change }));
  return {
    'the algorithm': algorithms(target, withHeader),
    'the key id': keyIds(target, withHeader),
    'keys that the token brings along': broughtKeys(target, withHeader),
    'other header members': headers(withHeader, header, text, key),
    claims: claims(payload, withClaims),
    'the JSON of the payload': payloads(payload, text, withPayload),
    'the text of the token': texts(target, withHeader({})),
    'the signature': signatures(target, withHeader({})),
  };
}

type WithHeader = (change: Header, signer?: KeyObject | ((input: Buffer) => Buffer)) => string;

function algorithms({ kid, key, payload }: Target, withHeader: WithHeader): Attack[] {
  const publicKey = createPublicKey(key);
  const jwk = publicKey.export({ format: 'jwk' });
  const secrets = {
    'the bytes of the public key': Buffer.from(jwk.x ?? '', 'base64url'),
    'the text of the public key': jwk.x ?? '',
    'the public JWK': JSON.stringify(jwk),
    'the public key as PEM': publicKey.export({ format: 'pem', type: 'spki' }),
    'nothing': '',
  };
  const hmac = (bits: number) => mapped(secrets, (secret) =>
    withHeader({ alg: `HS${bits}` }, (input) => createHmac(`sha${bits}`, secret).update(input).digest()));
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const ed448 = generateKeyPairSync('ed448').privateKey;
  const nothing = `${base64url(JSON.stringify({ alg: 'none', kid, typ: 'JWT' }))}.${base64url(JSON.stringify(payload))}.`;
  return [
    ...['none', 'None', 'NONE', 'nOnE', 'none '].flatMap((alg) => list('malformed', {
      [`alg ${alg}, signed by us`]: withHeader({ alg }),
      [`alg ${alg}, empty signature`]: withHeader({ alg }, () => Buffer.alloc(0)),
      [`alg ${alg}, 64 zeros`]: withHeader({ alg }, () => Buffer.alloc(64)),
    })),
    ...list('malformed', { 'alg none and two segments': nothing.slice(0, -1), 'alg none and an empty third': nothing }),
    ...[256, 384, 512].flatMap((bits) => Object.entries(hmac(bits)).map(([name, token]) => ({ name: `HS${bits} keyed with ${name}`, token, reason: 'malformed' }))),
    ...list('malformed', {
      'RS256 under our kid': withHeader({ alg: 'RS256' }, (input) => sign('sha256', input, rsa)),
      'ES256 under our kid, 64 bytes too': withHeader({ alg: 'ES256' }, (input) => sign('sha256', input, { key: p256, dsaEncoding: 'ieee-p1363' })),
      'Ed448 under our kid': withHeader({ alg: 'Ed448' }, ed448),
      'Ed448 that calls itself EdDSA': withHeader({}, ed448),
      'Ed25519, the other name of what we sign with': withHeader({ alg: 'Ed25519' }),
      'eddsa': withHeader({ alg: 'eddsa' }),
      'a list of algorithms': withHeader({ alg: ['EdDSA'] }),
      'null': withHeader({ alg: null }),
      'no algorithm': jws(JSON.stringify({ kid, typ: 'JWT' }), JSON.stringify(payload), key),
    }),
  ];
}

function keyIds({ kid, nextKid, payload, key }: Target, withHeader: WithHeader): Attack[] {
  const unknown = {
    'of nobody': 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    'empty': '',
    'a path': '../../../../dev/null',
    'SQL': `' or status = 'active' --`,
    '10 KB': 'k'.repeat(10_000),
    'ours in capitals': kid.toUpperCase(),
    'ours and a space': `${kid} `,
    'ours twice': `${kid},${kid}`,
    '__proto__': '__proto__',
    'constructor': 'constructor',
  };
  const wrong = { 'null': null, 'a list': [kid], 'a number': 0, 'an object': { kid }, 'true': true };
  return [
    ...list('unknown_key', mapped(unknown, (value) => withHeader({ kid: value }))),
    ...list('malformed', mapped(wrong, (value) => withHeader({ kid: value }))),
    ...list('malformed', {
      'missing': jws(JSON.stringify({ alg: 'EdDSA', typ: 'JWT' }), JSON.stringify(payload), key),
      'with NUL': withHeader({ kid: `${kid}\0` }),
    }),
    ...list('bad_signature', {
      'of our next key, signed with the active one': withHeader({ kid: nextKid }),
      'ours, signed with another key': withHeader({}, attacker.privateKey),
      'ours, signed with another key, members in another order': jws(JSON.stringify({ typ: 'JWT', kid, alg: 'EdDSA' }), JSON.stringify(payload), attacker.privateKey),
    }),
  ];
}

function broughtKeys({ trap }: Target, withHeader: WithHeader): Attack[] {
  const jwk = attacker.publicKey.export({ format: 'jwk' });
  const smallOrder = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from([1, ...Buffer.alloc(31)]).toString('base64url') };
  const members: Record<string, Header> = {
    jwk: { jwk },
    'jwk of small order': { jwk: smallOrder },
    jku: { jku: `${trap}/jwks.json` },
    x5u: { x5u: `${trap}/chain.pem` },
    x5c: { x5c: [attacker.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')] },
    x5t: { x5t: 'AAAA' },
    'jwks_uri': { jwks_uri: `${trap}/jwks.json` },
  };
  const forged = (input: Buffer): Buffer => sign(null, input, attacker.privateKey);
  const anySignature = (): Buffer => Buffer.from([1, ...Buffer.alloc(63)]);
  return Object.entries(members).flatMap(([name, member]) => list('malformed', {
    [`${name}, signed with it`]: withHeader(member, name.includes('small') ? anySignature : forged),
    [`${name}, signed by us`]: withHeader(member),
    [`${name} and a kid of its own`]: withHeader({ ...member, kid: 'theirs' }, forged),
  }));
}

function headers(withHeader: WithHeader, header: Header, text: string, key: KeyObject): Attack[] {
  const written = JSON.stringify(header).slice(0, -1);
  const raw = (end: string): string => jws(written + end, text, key);
  const unencoded = { ...header, b64: false, crit: ['b64'] };
  const input = `${base64url(JSON.stringify(unencoded))}.${text.replaceAll('.', ' ')}`;
  return list('malformed', {
    'crit of something unknown': withHeader({ crit: ['x'], x: 1 }),
    'crit of exp': withHeader({ crit: ['exp'] }),
    'crit, empty': withHeader({ crit: [] }),
    'crit, twice the same': withHeader({ crit: ['b64', 'b64'], b64: true }),
    'b64: false': withHeader({ b64: false }),
    'b64: false, critical, and a payload as it is': `${input}.${base64url(sign(null, Buffer.from(input), key))}`,
    'zip': withHeader({ zip: 'DEF' }),
    'no typ': jws(JSON.stringify({ alg: header.alg, kid: header.kid }), text, key),
    ...mapped({ 'typ in small letters': 'jwt', 'typ at+jwt': 'at+jwt', 'typ of a status list': 'statuslist+jwt', 'typ JWS': 'JWS', 'typ null': null }, (typ) => withHeader({ typ })),
    'cty of a nested token': withHeader({ cty: 'JWT' }),
    'alg twice': raw(',"alg":"none"}'),
    'alg twice, the same': raw(',"alg":"EdDSA"}'),
    'kid twice': raw(',"kid":"other"}'),
    '__proto__': raw(',"__proto__":{"alg":"none"}}'),
    'iss among the headers': withHeader({ iss: 'x' }),
    'no JSON': jws('EdDSA', text, key),
    'a list': jws(`[${JSON.stringify(header)}]`, text, key),
    'empty': jws('', text, key),
    'a byte order mark': jws(`\ufeff${JSON.stringify(header)}`, text, key),
    'something after it': jws(`${JSON.stringify(header)}{}`, text, key),
    'a member that is not needed': withHeader({ nonce: 'abc' }),
  });
}

function claims({ iat, exp, svcns, jti, iss }: Payload, withClaims: (change: Record<string, unknown>) => string): Attack[] {
  const times = { 'a text': String(exp), 'with a fraction': exp + 0.5, 'negative': -1, 'null': null, 'true': true, 'a list': [exp], 'missing': undefined };
  return [
    ...list('malformed', {
      ...Object.fromEntries(['exp', 'iat'].flatMap((name) =>
        Object.entries(times).map(([what, value]) => [`${name} ${what}`, withClaims({ [name]: value })]))),
      'nbf a text': withClaims({ nbf: String(iat) }),
      'nbf to come': withClaims({ nbf: exp }),
      'iat to come': withClaims({ iat: exp - 1 }),
      'iat after exp': withClaims({ iat: exp + 1 }),
      'exp as old as the epoch, before iat': withClaims({ exp: 0 }),
      'exp in milliseconds, iat too': withClaims({ iat: iat * 1_000, exp: exp * 1_000 }),
      'another iss': withClaims({ iss: 'https://elsewhere.example' }),
      'our iss and a slash': withClaims({ iss: `${iss}/` }),
      'our iss in capitals': withClaims({ iss: iss.toUpperCase() }),
      'a list of iss': withClaims({ iss: [iss] }),
      'no iss': withClaims({ iss: undefined }),
      'no sub': withClaims({ sub: undefined }),
      'no jti': withClaims({ jti: undefined }),
      'jti a number': withClaims({ jti: 1 }),
      'jti of something else': withClaims({ jti: jti.replace('psp_', 'inv_') }),
      'jti with SQL': withClaims({ jti: `${jti}' or true --` }),
      'no svcns': withClaims({ svcns: undefined }),
      'svcns a text': withClaims({ svcns: JSON.stringify(svcns) }),
      'a claim of its own': withClaims({ admin: true }),
      'a member of svcns of its own': withClaims({ svcns: { ...svcns, role: 'admin' } }),
      'a depth of five': withClaims({ svcns: { ...svcns, delegation_depth: 5 } }),
      'a negative depth': withClaims({ svcns: { ...svcns, delegation_depth: -1 } }),
      'scopes a text': withClaims({ svcns: { ...svcns, services: [{ ...(svcns.services as object[])[0], scopes: '*' }] } }),
      'services an object': withClaims({ svcns: { ...svcns, services: {} } }),
      'aud a number': withClaims({ aud: 1 }),
      'status of another kind': withClaims({ status: 'valid' }),
    }),
    ...list('expired', { 'exp in the past, signed by us': withClaims({ exp: iat + 1, iat: iat - 3_600 }) }),
    ...list('revoked', { 'a jti that was never issued': withClaims({ jti: 'psp_00000000000000000000000000' }) }),
  ];
}

function payloads(payload: Payload, text: string, withPayload: (changed: string) => string): Attack[] {
  const open = text.slice(0, -1);
  const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  return list('malformed', {
    'exp twice': withPayload(`${open},"exp":${payload.exp + 1}}`),
    'exp twice, the same': withPayload(`${open},"exp":${payload.exp}}`),
    'svcns twice': withPayload(`${open},"svcns":{}}`),
    'a member of svcns twice': withPayload(text.replace('"delegation_depth":0', '"delegation_depth":0,"delegation_depth":0')),
    'sub twice, once written with an escape': withPayload(`${open},"\\u0073ub":"ag_other"}`),
    '__proto__': withPayload(`${open},"__proto__":{"exp":9999999999}}`),
    '__proto__ in svcns': withPayload(text.replace('"svcns":{', '"svcns":{"__proto__":{"a":1},')),
    'exp 1e999': withPayload(text.replace(`"exp":${payload.exp}`, '"exp":1e999')),
    'exp beyond 2^53': withPayload(text.replace(`"exp":${payload.exp}`, '"exp":9007199254740993')),
    'NUL': withPayload(text.replace('researcher', String.raw`resear\u0000cher`)),
    'a lone surrogate': withPayload(text.replace('researcher', String.raw`resear\ud800cher`)),
    'a byte order mark': withPayload(`\ufeff${text}`),
    'something after it': withPayload(`${text}{}`),
    'half of it': withPayload(text.slice(0, text.length >> 1)),
    'a comment': withPayload(`${text}/**/`),
    'nothing': withPayload(''),
    'null': withPayload('null'),
    'a number': withPayload('1'),
    'a list': withPayload(`[${text}]`),
    'a text': withPayload(JSON.stringify(text)),
    'depth of 4,000': withPayload(`${open},"aud":${deep(4_000)}}`),
    'depth of 4,000 and never closed': withPayload('['.repeat(4_000)),
    'objects in depth': withPayload(`${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`),
    'a token in it': withPayload(withPayload(text)),
    'a token as JSON in it': withPayload(JSON.stringify(withPayload(text))),
  });
}

function texts({ payload, key, kid }: Target, good: string): Attack[] {
  const [head = '', body = '', signature = ''] = good.split('.');
  const header = JSON.stringify({ alg: 'EdDSA', kid, typ: 'JWT' });
  const jwe = { alg: 'dir', enc: 'A256GCM' };
  const standard = tokenWhere(payload, key, header, (token) => /[-_]/.test(token.split('.')[2] ?? ''));
  const [spareHead = '', spareBody = '', spareSignature = ''] =
    tokenWhere(payload, key, header, (token) => (token.split('.')[1]?.length ?? 0) % 4 !== 0).split('.');
  return list('malformed', {
    'empty': '',
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
    'spare bits in the signature': `${head}.${body}.${signature.slice(0, -1)}${nextDigit(signature.at(-1) ?? '')}`,
    'spare bits in the payload': `${spareHead}.${spareBody.slice(0, -1)}${nextDigit(spareBody.at(-1) ?? '')}.${spareSignature}`,
    'a digit more in the signature': `${good}A`,
    'a digit less in the signature': good.slice(0, -1),
    'twice': `${good}${good}`,
    'JSON, flattened': JSON.stringify({ protected: head, payload: body, signature }),
    'JSON, general': JSON.stringify({ payload: body, signatures: [{ protected: head, signature }] }),
    'JWE, compact': `${base64url(JSON.stringify(jwe))}..${base64url('iv')}.${body}.${base64url('tag')}`,
    'JWE, three of five segments': `${base64url(JSON.stringify(jwe))}.${body}.${signature}`,
    'a million characters': 'A'.repeat(1_000_000),
    'a million dots': '.'.repeat(1_000_000),
    'a million characters of payload': `${head}.${'A'.repeat(1_000_000)}.${signature}`,
    '16 KiB and a little, signed by us': jws(header, JSON.stringify({ ...payload, aud: 'x'.repeat(12_300) }), key),
    'a PEM': `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`,
  });
}

function signatures({ payload, key, kid }: Target, good: string): Attack[] {
  const [head = '', body = '', signature = ''] = good.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const signed = (other: Buffer): string => `${head}.${body}.${base64url(other)}`;
  const flipped = (at: number): string => {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    return signed(copy);
  };
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`);
  const littleEndian = (value: bigint): Buffer => Buffer.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').toReversed());
  const header = JSON.stringify({ alg: 'EdDSA', kid, typ: 'JWT' });
  const other = jws(header, JSON.stringify({ ...payload, jti: 'psp_00000000000000000000000001' }), key).split('.')[2] ?? '';
  const richer = base64url(JSON.stringify({ ...payload, exp: payload.exp + 60 }));
  const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]);
  return [
    ...list('bad_signature', {
      'S + L, the same signature in another text': signed(Buffer.concat([bytes.subarray(0, 32), littleEndian(s + L)])),
      'S of the order of the group': signed(Buffer.concat([bytes.subarray(0, 32), littleEndian(L)])),
      'zeros': signed(Buffer.alloc(64)),
      'the identity and zero': signed(identity),
      'ones': signed(Buffer.alloc(64, 0xff)),
      'halves exchanged': signed(Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)])),
      'of another passport': `${head}.${body}.${other}`,
      'under a payload with a later exp': `${head}.${richer}.${signature}`,
      'of the payload alone': signed(sign(null, Buffer.from(body), key)),
      'of the decoded JSON': signed(sign(null, Buffer.from(`${header}.${JSON.stringify(payload)}`), key)),
    }),
    ...list('bad_signature', Object.fromEntries([0, 15, 31, 32, 47, 62].map((at) => [`one bit of byte ${at} flipped`, flipped(at)]))),
  ];
}

/** A token with a property of its text, found by padding a claim. */
function tokenWhere(payload: Payload, key: KeyObject, header: string, fits: (token: string) => boolean): string {
  for (let length = 0; length < 100; length += 1) {
    const token = jws(header, JSON.stringify({ ...payload, aud: 'a'.repeat(length) }), key);
    if (fits(token)) return token;
  }
  throw new Error('No padding gives such a token.');
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Differs in the lowest bit, which is one to spare in the last digit of 64 bytes and of most payloads. */
const nextDigit = (digit: string): string => DIGITS[DIGITS.indexOf(digit) ^ 1] ?? '';
