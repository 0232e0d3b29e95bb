import { list, withPayload, type Attack, type Target } from './attack.ts';

export function claims(target: Target): Attack[] {
  const { iat, exp, svcns, jti, iss } = target.payload;
  const withClaims = (change: Record<string, unknown>): string => withPayload(target, JSON.stringify({ ...target.payload, ...change }));
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

export function payloads(target: Target): Attack[] {
  const { payload } = target;
  const text = JSON.stringify(payload);
  const open = text.slice(0, -1);
  const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  return list('malformed', {
    'exp twice': withPayload(target, `${open},"exp":${payload.exp + 1}}`),
    'exp twice, the same': withPayload(target, `${open},"exp":${payload.exp}}`),
    'svcns twice': withPayload(target, `${open},"svcns":{}}`),
    'a member of svcns twice': withPayload(target, text.replace('"delegation_depth":0', '"delegation_depth":0,"delegation_depth":0')),
    'sub twice, once written with an escape': withPayload(target, `${open},"\\u0073ub":"ag_other"}`),
    '__proto__': withPayload(target, `${open},"__proto__":{"exp":9999999999}}`),
    '__proto__ in svcns': withPayload(target, text.replace('"svcns":{', '"svcns":{"__proto__":{"a":1},')),
    'exp 1e999': withPayload(target, text.replace(`"exp":${payload.exp}`, '"exp":1e999')),
    'exp beyond 2^53': withPayload(target, text.replace(`"exp":${payload.exp}`, '"exp":9007199254740993')),
    'NUL': withPayload(target, text.replace('researcher', String.raw`resear\u0000cher`)),
    'a lone surrogate': withPayload(target, text.replace('researcher', String.raw`resear\ud800cher`)),
    'a byte order mark': withPayload(target, `\ufeff${text}`),
    'something after it': withPayload(target, `${text}{}`),
    'half of it': withPayload(target, text.slice(0, text.length >> 1)),
    'a comment': withPayload(target, `${text}/**/`),
    'nothing': withPayload(target, ''),
    'null': withPayload(target, 'null'),
    'a number': withPayload(target, '1'),
    'a list': withPayload(target, `[${text}]`),
    'a text': withPayload(target, JSON.stringify(text)),
    'depth of 4,000': withPayload(target, `${open},"aud":${deep(4_000)}}`),
    'depth of 4,000 and never closed': withPayload(target, '['.repeat(4_000)),
    'objects in depth': withPayload(target, `${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`),
    'a token in it': withPayload(target, withPayload(target, text)),
    'a token as JSON in it': withPayload(target, JSON.stringify(withPayload(target, text))),
  });
}
