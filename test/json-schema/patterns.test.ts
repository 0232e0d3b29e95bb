import assert from 'node:assert/strict';
import fc from 'fast-check';
import { linearPattern } from '../../src/json-schema/patterns.ts';

/**
 * Elements that ECMA-262 and RE2 read differently, among ordinary ones. `\B` is left out: V8 matches it inside surrogate
 * pairs.
 */
const parts = fc.constantFrom(
  'a',
  'b',
  '-',
  '.',
  '\\s',
  '\\S',
  '\\w',
  '\\W',
  '\\d',
  '\\D',
  '\\b',
  '^',
  '$',
  '/',
  '\\/',
  '😀',
  'é',
  '(?:)',
  '(a|-)',
  '&',
  '\\.',
  '[a-c]',
  '[^a]',
  '[\\s]',
  '[^\\s]',
  '[\\S]',
  '[^\\S\\n]',
  '[[]',
  '[\\b]',
  '[\\]x]',
  '[^]',
  '[]',
  '[a&&b]',
  '[\\d-]',
  '[-a]',
  '[.]',
  '[[:alpha:\\]]',
  '\\u00e9',
  '\\u{1F600}',
  '\\ud83d\\ude00',
  '[\\ud83d\\ude00]',
  '\\x41',
  '\\cJ',
  '\\0',
  '\\v',
  '\\p{L}',
  '\\P{L}',
  '\\p{Script=Greek}',
  '\\p{Letter}',
  '[^\\p{gc=Nd}]',
);
const { pattern: patterns } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small' },
    parts,
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
    fc.tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{1,2}', '*?')).map(([one, times]) => `(?:${one})${times}`),
    tie('pattern').map((one) => `^${one}$`),
  ),
}));
const texts = fc
  .array(fc.constantFrom(...Array.from('abcAéα😀\n\r\v\t\u00a0\u2028\ufeff\u200b 1-[].&\b\0:/x_')), { maxLength: 6 })
  .map((units) => units.join(''));

describe('linearPattern', () => {
  it('matches what ECMA-262 with the u flag matches', () => {
    fc.assert(
      fc.property(patterns, fc.array(texts, { minLength: 8, maxLength: 8 }), (pattern, samples) => {
        const linear = linearPattern(pattern);
        const native = new RegExp(pattern, 'u');
        for (const text of samples)
          assert.equal(linear.test(text), native.test(text), `${pattern} on ${JSON.stringify(text)}`);
      }),
      { numRuns: 3_000 },
    );
  });

  it('decides immediately a pattern that a backtracking engine never decides', () => {
    for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '^(.*a){20}$'])
      assert.equal(linearPattern(pattern).test(`${'a'.repeat(50_000)}!`), false);
  });

  it('gives every pattern a text of its own, by which Ajv caches it', () => {
    const pairs = [
      ['a', 'b'],
      ['/', '\\/'],
      ['(?<n>a)', '(a)'],
      ['[a]', '\\x61'],
    ] as const;
    for (const [one, other] of pairs) assert.notEqual(String(linearPattern(one)), String(linearPattern(other)));
  });

  for (const pattern of ['(?=a)b', 'a(?!b)', '(?<=a)b', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>']) {
    it(`refuses ${pattern}: not linear`, () => assert.throws(() => linearPattern(pattern), /linear time/));
  }

  for (const pattern of ['a{1001}', '((a{100}){100}){100}']) {
    it(`refuses ${pattern}: too large`, () =>
      assert.throws(() => linearPattern(pattern), /invalid repeat count.*up to 1,000/));
  }

  for (const pattern of ['[', '(', '(?i)a', 'a**', '\\A', '[[:alpha:]]', '\\Qa\\E', '\\-']) {
    it(`refuses ${pattern}: not ECMA-262`, () =>
      assert.throws(() => linearPattern(pattern), /Not a regular expression of ECMA-262/));
  }
});
