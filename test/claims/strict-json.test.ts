import assert from 'node:assert/strict';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { assertProblem, assertStatus } from '../support/service.ts';
import { digestOf, envelopeOf, signal } from './support.ts';

describe('POST /v1/claims, JSON that cannot be signed twice alike', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });

  /** The text of an envelope with this text as its payload. */
  const textOf = (payload: string, overrides: Record<string, unknown> = {}): string =>
    JSON.stringify(envelopeOf(operator, { payload: '@', ...overrides })).replace('"@"', payload);
  const post = (text: string) => operator.post<Claim>('/v1/claims', text);

  const refused: [string, string, string][] = [
    ['half a surrogate pair', String.raw`{"a":{"b":["\ud800"]}}`, 'payload.a.b.0'],
    ['half a surrogate pair in a name', String.raw`{"\udc00":1}`, 'payload'],
    ['NUL', String.raw`{"a":"\u0000"}`, 'payload.a'],
    ['a number beyond all doubles', '{"a":1e400}', 'payload.a'],
    ['a number below all doubles', '{"a":[-1e400]}', 'payload.a.0'],
    ['an integer past 2^53', '{"a":9007199254740993}', 'payload.a'],
    ['a name twice', '{"a":1,"b":{"c":1,"c":1}}', 'payload.b.c'],
    ['a name twice, once escaped', String.raw`{"a":1,"\u0061":1}`, 'payload.a'],
    ['__proto__', '{"a":{"__proto__":{}}}', 'payload.a.__proto__'],
    ['more than 64 levels', `${'['.repeat(64)}${']'.repeat(64)}`, ''],
  ];
  for (const [name, payload, path] of refused) {
    it(`refuses ${name}`, async () => {
      const reply = await post(textOf(payload));
      assertProblem(reply, 'VALIDATION_ERROR', ...(path === '' ? [] : [path]));
      const shaped = JSON.stringify(signal({ metadata: '@' })).replace(
        '"@"',
        payload.startsWith('{') ? payload : `{"a":${payload}}`,
      );
      assertProblem(await post(textOf(shaped, { claim_type: 'detector_signal' })), 'VALIDATION_ERROR');
    });
  }

  it('refuses a member of the envelope that is named twice, no matter what it says', async () => {
    const text = textOf('1').replace('"receipt":null', '"receipt":null,"receipt":null');
    assertProblem(await post(text), 'VALIDATION_ERROR', 'receipt');
  });

  it('hashes numbers as the doubles they are: −0 as 0, 1E2 as 100', async () => {
    const issuedAt = { issued_at: 1_500_000_000 };
    const [first, ...others] = await Promise.all(
      ['[-0,100,0.1,1e21]', '[0,1E2,0.10,1000000000000000000000.0]', '[-0.0,100.0,1e-1,1e+21]'].map((payload) =>
        post(textOf(payload, issuedAt)),
      ),
    );
    assert(first !== undefined);
    assert.equal(first.body.digest, digestOf(envelopeOf(operator, { ...issuedAt, payload: [0, 100, 0.1, 1e21] })));
    for (const { body } of others) assert.equal(body.id, first.body.id);
  });

  it('hashes the members in their order, which is that of UTF-16, and not in that of the text', async () => {
    const issuedAt = { issued_at: 1_500_000_001 };
    const one = assertStatus(await post(textOf('{"€":1,"\\r":2,"1":3,"😀":4,"\\ufb33":5}', issuedAt)), 201);
    const again = assertStatus(await post(textOf('{"\\ufb33":5,"😀":4,"1":3,"\\u000d":2,"€":1}', issuedAt)), 200);
    assert.equal(again.id, one.id);
    assert.equal(
      one.digest,
      digestOf(envelopeOf(operator, { ...issuedAt, payload: { '\r': 2, 1: 3, '€': 1, '😀': 4, '\ufb33': 5 } })),
    );
  });

  it('takes the last byte that fits and refuses the next, with a shape and without, counted in UTF-8', async () => {
    for (const [type, limit, empty] of [
      ['dossier', 65_536, { text: '' }],
      ['detector_signal', 262_144, signal({ metadata: { text: '' } })],
    ] as const) {
      const room = limit - Buffer.byteLength(JSON.stringify(empty));
      for (const [unit, bytes] of [
        ['x', 1],
        ['é', 2],
        ['😀', 4],
        ['"', 2],
        ['\u0001', 6],
      ] as const) {
        const full = unit.repeat(Math.floor(room / bytes)) + 'x'.repeat(room % bytes);
        const payload = (text: string) => (type === 'dossier' ? { text } : signal({ metadata: { text } }));
        const submitted = (text: string) =>
          operator.post('/v1/claims', envelopeOf(operator, { claim_type: type, payload: payload(text) }));
        assertStatus(await submitted(full), 201);
        assertProblem(await submitted(`${full}x`), 'VALIDATION_ERROR', 'payload');
      }
    }
  });
});
