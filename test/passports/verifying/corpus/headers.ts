import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { base64url, jws } from '../../tokens.ts';
import { attacker, headerOf, list, mapped, withHeader, type Attack, type Header, type Target } from './attack.ts';

export function algorithms(target: Target): Attack[] {
  const { kid, key, payload } = target;
  const publicKey = createPublicKey(key);
  const jwk = publicKey.export({ format: 'jwk' });
  const secrets = {
    'the bytes of the public key': Buffer.from(jwk.x ?? '', 'base64url'),
    'the text of the public key': jwk.x ?? '',
    'the public JWK': JSON.stringify(jwk),
    'the public key as PEM': publicKey.export({ format: 'pem', type: 'spki' }),
    nothing: '',
  };
  const hmac = (bits: number) =>
    mapped(secrets, (secret) =>
      withHeader(target, { alg: `HS${bits}` }, (input) => createHmac(`sha${bits}`, secret).update(input).digest()),
    );
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const ed448 = generateKeyPairSync('ed448').privateKey;
  const nothing = `${base64url(JSON.stringify({ alg: 'none', kid, typ: 'JWT' }))}.${base64url(JSON.stringify(payload))}.`;
  return [
    ...['none', 'None', 'NONE', 'nOnE', 'none '].flatMap((alg) =>
      list('malformed', {
        [`alg ${alg}, signed by us`]: withHeader(target, { alg }),
        [`alg ${alg}, empty signature`]: withHeader(target, { alg }, () => Buffer.alloc(0)),
        [`alg ${alg}, 64 zeros`]: withHeader(target, { alg }, () => Buffer.alloc(64)),
      }),
    ),
    ...list('malformed', { 'alg none and two segments': nothing.slice(0, -1), 'alg none and an empty third': nothing }),
    ...[256, 384, 512].flatMap((bits) =>
      Object.entries(hmac(bits)).map(([name, token]) => ({
        name: `HS${bits} keyed with ${name}`,
        token,
        reason: 'malformed',
      })),
    ),
    ...list('malformed', {
      'RS256 under our kid': withHeader(target, { alg: 'RS256' }, (input) => sign('sha256', input, rsa)),
      'ES256 under our kid, 64 bytes too': withHeader(target, { alg: 'ES256' }, (input) =>
        sign('sha256', input, { key: p256, dsaEncoding: 'ieee-p1363' }),
      ),
      'Ed448 under our kid': withHeader(target, { alg: 'Ed448' }, ed448),
      'Ed448 that calls itself EdDSA': withHeader(target, {}, ed448),
      'Ed25519, the other name of what we sign with': withHeader(target, { alg: 'Ed25519' }),
      eddsa: withHeader(target, { alg: 'eddsa' }),
      'a list of algorithms': withHeader(target, { alg: ['EdDSA'] }),
      null: withHeader(target, { alg: null }),
      'no algorithm': jws(JSON.stringify({ kid, typ: 'JWT' }), JSON.stringify(payload), key),
    }),
  ];
}

export function keyIds(target: Target): Attack[] {
  const { kid, nextKid, payload, key } = target;
  const unknown = {
    'of nobody': 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    empty: '',
    'a path': '../../../../dev/null',
    SQL: `' or status = 'active' --`,
    '10 KB': 'k'.repeat(10_000),
    'ours in capitals': kid.toUpperCase(),
    'ours and a space': `${kid} `,
    'ours twice': `${kid},${kid}`,
    __proto__: '__proto__',
    constructor: 'constructor',
  };
  const wrong = { null: null, 'a list': [kid], 'a number': 0, 'an object': { kid }, true: true };
  return [
    ...list(
      'unknown_key',
      mapped(unknown, (value) => withHeader(target, { kid: value })),
    ),
    ...list(
      'malformed',
      mapped(wrong, (value) => withHeader(target, { kid: value })),
    ),
    ...list('malformed', {
      missing: jws(JSON.stringify({ alg: 'EdDSA', typ: 'JWT' }), JSON.stringify(payload), key),
      'with NUL': withHeader(target, { kid: `${kid}\0` }),
    }),
    ...list('bad_signature', {
      'of our next key, signed with the active one': withHeader(target, { kid: nextKid }),
      'ours, signed with another key': withHeader(target, {}, attacker.privateKey),
      'ours, signed with another key, members in another order': jws(
        JSON.stringify({ typ: 'JWT', kid, alg: 'EdDSA' }),
        JSON.stringify(payload),
        attacker.privateKey,
      ),
    }),
  ];
}

export function broughtKeys(target: Target): Attack[] {
  const { trap } = target;
  const jwk = attacker.publicKey.export({ format: 'jwk' });
  const smallOrder = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from([1, ...Buffer.alloc(31)]).toString('base64url') };
  const members: Record<string, Header> = {
    jwk: { jwk },
    'jwk of small order': { jwk: smallOrder },
    jku: { jku: `${trap}/jwks.json` },
    x5u: { x5u: `${trap}/chain.pem` },
    x5c: { x5c: [attacker.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')] },
    x5t: { x5t: 'AAAA' },
    jwks_uri: { jwks_uri: `${trap}/jwks.json` },
  };
  const forged = (input: Buffer): Buffer => sign(null, input, attacker.privateKey);
  const anySignature = (): Buffer => Buffer.from([1, ...Buffer.alloc(63)]);
  return Object.entries(members).flatMap(([name, member]) =>
    list('malformed', {
      [`${name}, signed with it`]: withHeader(target, member, name.includes('small') ? anySignature : forged),
      [`${name}, signed by us`]: withHeader(target, member),
      [`${name} and a kid of its own`]: withHeader(target, { ...member, kid: 'theirs' }, forged),
    }),
  );
}

export function headers(target: Target): Attack[] {
  const { key } = target;
  const [header, text] = [headerOf(target), JSON.stringify(target.payload)];
  const written = JSON.stringify(header).slice(0, -1);
  const raw = (end: string): string => jws(written + end, text, key);
  const unencoded = { ...header, b64: false, crit: ['b64'] };
  const input = `${base64url(JSON.stringify(unencoded))}.${text.replaceAll('.', ' ')}`;
  return list('malformed', {
    'crit of something unknown': withHeader(target, { crit: ['x'], x: 1 }),
    'crit of exp': withHeader(target, { crit: ['exp'] }),
    'crit, empty': withHeader(target, { crit: [] }),
    'crit, twice the same': withHeader(target, { crit: ['b64', 'b64'], b64: true }),
    'b64: false': withHeader(target, { b64: false }),
    'b64: false, critical, and a payload as it is': `${input}.${base64url(sign(null, Buffer.from(input), key))}`,
    zip: withHeader(target, { zip: 'DEF' }),
    'no typ': jws(JSON.stringify({ alg: header.alg, kid: header.kid }), text, key),
    ...mapped(
      {
        'typ in small letters': 'jwt',
        'typ at+jwt': 'at+jwt',
        'typ of a status list': 'statuslist+jwt',
        'typ JWS': 'JWS',
        'typ null': null,
      },
      (typ) => withHeader(target, { typ }),
    ),
    'cty of a nested token': withHeader(target, { cty: 'JWT' }),
    'alg twice': raw(',"alg":"none"}'),
    'alg twice, the same': raw(',"alg":"EdDSA"}'),
    'kid twice': raw(',"kid":"other"}'),
    __proto__: raw(',"__proto__":{"alg":"none"}}'),
    'iss among the headers': withHeader(target, { iss: 'x' }),
    'no JSON': jws('EdDSA', text, key),
    'a list': jws(`[${JSON.stringify(header)}]`, text, key),
    empty: jws('', text, key),
    'a byte order mark': jws(`\ufeff${JSON.stringify(header)}`, text, key),
    'something after it': jws(`${JSON.stringify(header)}{}`, text, key),
    'a member that is not needed': withHeader(target, { nonce: 'abc' }),
  });
}
