import { attacker, list, withPayload, type Attack, type Target } from './attack.ts';

export function claims(target: Target): Attack[] {
  const { iat, exp, svcns, jti, iss } = target.payload;
  const withClaims = (change: Record<string, unknown>): string =>
    withPayload(target, JSON.stringify({ ...target.payload, ...change }));
  const times = {
    'a text': String(exp),
    'with a fraction': exp + 0.5,
    negative: -1,
    null: null,
    true: true,
    'a list': [exp],
    missing: undefined,
  };
  return [
    ...list('malformed', {
      ...Object.fromEntries(
        ['exp', 'iat'].flatMap((name) =>
          Object.entries(times).map(([what, value]) => [`${name} ${what}`, withClaims({ [name]: value })]),
        ),
      ),
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
      'scopes a text': withClaims({
        svcns: { ...svcns, services: [{ ...(svcns.services as object[])[0], scopes: '*' }] },
      }),
      'services an object': withClaims({ svcns: { ...svcns, services: {} } }),
      'aud a number': withClaims({ aud: 1 }),
      'aud a text': withClaims({ aud: 'github' }),
      'no JSON, signed by us': withPayload(target, 'passport'),
      'null, signed by us': withPayload(target, 'null'),
      'nothing, signed by us': withPayload(target, ''),
      'status of another kind': withClaims({ status: 'valid' }),
    }),
    // With our key anybody can sign; what was issued is what the row has.
    ...list('revoked', {
      'a jti that was never issued': withClaims({ jti: 'psp_00000000000000000000000000' }),
      'exp in the past, signed by us': withClaims({ exp: iat - 1, iat: iat - 3_600 }),
      'a later exp, signed by us': withClaims({ exp: exp + 60 }),
      'another agent, signed by us': withClaims({ sub: 'ag_01K0000000000000000000000B' }),
      'another operator, signed by us': withClaims({ svcns: { ...svcns, operator_id: 'op_platform' } }),
      'more scopes, signed by us': withClaims({
        svcns: { ...svcns, services: [{ ...(svcns.services as object[])[0], scopes: ['repo:read', 'repo:admin'] }] },
      }),
      'no constraints, signed by us': withClaims({
        svcns: { ...svcns, services: [{ ...(svcns.services as object[])[0], constraints: [] }] },
      }),
      'an audience of its own, signed by us': withClaims({ aud: ['elsewhere'] }),
    }),
  ];
}

export function payloads(target: Target): Attack[] {
  const { payload } = target;
  const text = JSON.stringify(payload);
  const open = text.slice(0, -1);
  // We have written all that we have signed: a payload of this kind is somebody else's.
  const forged = (changed: string): string => withPayload(target, changed, attacker.privateKey);
  const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  return list('malformed', {
    'exp twice': forged(`${open},"exp":${payload.exp + 1}}`),
    'exp twice, the same': forged(`${open},"exp":${payload.exp}}`),
    'svcns twice': forged(`${open},"svcns":{}}`),
    'a member of svcns twice': forged(
      text.replace('"delegation_depth":0', '"delegation_depth":0,"delegation_depth":0'),
    ),
    'sub twice, once written with an escape': forged(`${open},"\\u0073ub":"ag_other"}`),
    __proto__: forged(`${open},"__proto__":{"exp":9999999999}}`),
    '__proto__ in svcns': forged(text.replace('"svcns":{', '"svcns":{"__proto__":{"a":1},')),
    'exp 1e999': forged(text.replace(`"exp":${payload.exp}`, '"exp":1e999')),
    'exp beyond 2^53': forged(text.replace(`"exp":${payload.exp}`, '"exp":9007199254740993')),
    NUL: forged(text.replace('researcher', String.raw`resear\u0000cher`)),
    'a lone surrogate': forged(text.replace('researcher', String.raw`resear\ud800cher`)),
    'a byte order mark': forged(`\ufeff${text}`),
    'something after it': forged(`${text}{}`),
    'half of it': forged(text.slice(0, text.length >> 1)),
    'a comment': forged(`${text}/**/`),
    nothing: forged(''),
    null: forged('null'),
    'a number': forged('1'),
    'a list': forged(`[${text}]`),
    'a text': forged(JSON.stringify(text)),
    'depth of 4,000': forged(`${open},"aud":${deep(4_000)}}`),
    'depth of 4,000 and never closed': forged('['.repeat(4_000)),
    'objects in depth': forged(`${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}`),
    'a token in it': forged(forged(text)),
    'a token as JSON in it': forged(JSON.stringify(forged(text))),
  });
}
