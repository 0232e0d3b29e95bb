import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  assertFewValues,
  decodeUtf8Strict,
  MAX_JSON_DEPTH,
  parseStrictJson,
  StrictJsonFault,
  type StrictJsonCode,
} from '../../src/json/strict.ts';

function faultOf(action: () => unknown): StrictJsonFault {
  try {
    action();
  } catch (error) {
    if (error instanceof StrictJsonFault) return error;
    throw error;
  }
  return assert.fail('nothing was refused');
}

const refuses = (text: string, code: StrictJsonCode, path = ''): StrictJsonFault => {
  const fault = faultOf(() => parseStrictJson(text));
  assert.deepEqual({ code: fault.code, path: fault.path }, { code, path }, `${text.slice(0, 80)}: ${fault.message}`);
  return fault;
};

/** Without what is refused by rule: NUL, surrogate escapes, `__proto__`, whole numbers of 16 digits and more (all past 2^53 among them). */
const documents = fc
  .tuple(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), fc.constantFrom(undefined, 1, '\t', ' \r\n'))
  .map(([value, space]) => JSON.stringify(value, null, space))
  .filter((text) => !/\\u(0000|d[89a-f])|"__proto__"|(?<![\d.])\d{16,}(?![\d.e])/i.test(text));

describe('parseStrictJson', () => {
  describe('takes what JSON.parse takes', () => {
    it('agrees on every document without a forbidden trait', () => {
      fc.assert(
        fc.property(documents, (text) => {
          assert.deepEqual(parseStrictJson(text), JSON.parse(text));
        }),
        { numRuns: 1_000 },
      );
    });

    it('agrees on whether a text with any one character changed is JSON', () => {
      const change = fc.tuple(
        fc.nat(),
        fc.constantFrom(...Array.from('{}[]",:\\0123456789.eE+-truefalsn \n\u0001x')),
        fc.boolean(),
      );
      fc.assert(
        fc.property(documents, change, (text, [place, unit, inserted]) => {
          const at = place % (text.length + 1);
          const changed = text.slice(0, at) + unit + text.slice(at + (inserted ? 0 : 1));
          let native: unknown;
          try {
            native = JSON.parse(changed);
          } catch {
            return faultOf(() => parseStrictJson(changed)).message.length > 0;
          }
          try {
            assert.deepEqual(parseStrictJson(changed), native);
          } catch (error) {
            // Deliberate refusals of a text that is JSON: an integer or exponent grew, a name became another's, an
            // escape NUL.
            if (!(error instanceof StrictJsonFault)) throw error;
            assert.notEqual(error.code, 'malformed_json', changed);
          }
          return true;
        }),
        { numRuns: 3_000 },
      );
    });

    for (const text of [
      '0',
      '-0',
      '1e5',
      '1E+5',
      '-1.5e-3',
      '1e-400',
      '1E30',
      '9007199254740991',
      '-9007199254740991',
      '12345678901234.5',
      '9007199254740991.4',
      '1e21',
      '12345678901234567890e-5',
      `${'9'.repeat(298)}.5`,
      `${'1'.repeat(309)}.5`,
      '"\\uaBcD\\uDBFF\\udFfF\\u00Af\\u0001"',
      '""',
      '"\\u00e9\\/\\b\\f\\n\\r\\t\\"\\\\"',
      '"😀\\ud83d\\ude00"',
      '"\u2028\ufeff\uffff"',
      ' \t\r\n[ ] ',
      '{ }',
      '[[],{},[{}]]',
      '{"":1," ":2}',
      '{"constructor":1,"prototype":2,"toString":3,"proto":4}',
      '[{"a":1},{"a":2}]',
      '{"a":{"a":{"a":1}},"b":1}',
    ]) {
      it(`takes ${text}`, () => assert.deepEqual(parseStrictJson(text), JSON.parse(text)));
    }

    it(`takes ${MAX_JSON_DEPTH} containers in one another`, () => {
      const text = '[{"a":'.repeat(MAX_JSON_DEPTH / 2) + '1' + '}]'.repeat(MAX_JSON_DEPTH / 2);
      assert.deepEqual(parseStrictJson(text), JSON.parse(text));
    });
  });

  describe('refuses by rule, and says where', () => {
    it('one container too many, without running out of stack on a million', () => {
      const nested = (count: number): string => '['.repeat(count) + ']'.repeat(count);
      refuses(nested(MAX_JSON_DEPTH + 1), 'too_deep', Array(MAX_JSON_DEPTH).fill('0').join('.'));
      refuses(nested(1_000_000), 'too_deep', Array(MAX_JSON_DEPTH).fill('0').join('.'));
      const objects = '{"a":'.repeat(1_000_000) + '1' + '}'.repeat(1_000_000);
      refuses(objects, 'too_deep', Array(MAX_JSON_DEPTH).fill('a').join('.'));
      refuses('['.repeat(1_000_000), 'malformed_json');
    });

    it('a member given twice, however it is written', () => {
      refuses('{"a":1,"b":2,"a":3}', 'duplicate_member', 'a');
      refuses('{"x":[0,{"key":1,"\\u006bey":2}]}', 'duplicate_member', 'x.1.key');
      refuses('{"":1,"":2}', 'duplicate_member', '');
    });

    it('a member given twice among hundreds', () => {
      fc.assert(
        fc.property(fc.integer({ min: 2, max: 200 }), fc.nat(), (count, which) => {
          const names = Array.from({ length: count }, (_, index) => `m${index}`);
          const twice = `m${which % count}`;
          const text = `{${[...names, twice].map((name) => `"${name}":{"inner":0}`).join(',')}}`;
          refuses(text, 'duplicate_member', twice);
        }),
      );
    });

    it('a member called __proto__', () => {
      refuses('{"a":{"__proto__":{"admin":true}}}', 'forbidden_member', 'a.__proto__');
      refuses('{"\\u005f_proto__":1}', 'forbidden_member', '__proto__');
    });

    it('halves of surrogate pairs, escaped or raw, in values and names', () => {
      for (const half of [
        '\\ud83d',
        '\\ude00',
        '\\ud83dx',
        '\\ud83d\\n',
        '\\ud83d\\u0041',
        '\\ude00\\ud83d',
        '\ud83d',
        '\ude00',
        '\ud83dx',
        '\ud83d\\ude00',
        '\\ud83d\ude00',
      ]) {
        refuses(`{"a":["${half}"]}`, 'lone_surrogate', 'a.0');
        refuses(`{"a":{"b":2,"${half}":1}}`, 'lone_surrogate', 'a');
      }
    });

    it('NUL, in values and names', () => {
      refuses('{"a":"x\\u0000"}', 'nul_character', 'a');
      refuses('{"\\u0000":1}', 'nul_character', '');
    });

    it('numbers that no double holds', () => {
      refuses('{"a":1e400}', 'number_overflow', 'a');
      refuses('[0,-1E+309]', 'number_overflow', '1');
      refuses(`${'9'.repeat(400)}.5`, 'number_overflow');
      refuses(`${'9'.repeat(309)}.5`, 'number_overflow');
      refuses(`-1.${'0'.repeat(250)}E+400`, 'number_overflow');
    });

    it('whole numbers past 2^53 in plain digits, and what would be written in such', () => {
      const digits = ['9007199254740992', '-9007199254740993', '9'.repeat(17), '1'.repeat(22)];
      const others = ['1e16', '-1E+16', '1E20', '9007199254740993.0', '12345678901234567890.5', '9007199254740991.5'];
      for (const written of [...digits, ...others]) refuses(`{"n":${written}}`, 'unsafe_integer', 'n');
    });

    it('malformed JSON in the words of the parser', () => {
      assert.match(
        refuses('{\n  "a": 1,\n  "b": tru\n}', 'malformed_json').message,
        /^Not valid JSON: Unexpected token .* is not valid JSON\.$/s,
      );
      assert.match(refuses('{"a": 1', 'malformed_json').message, /position 7/);
    });

    for (const text of [
      '',
      ' ',
      '{',
      '[',
      '"',
      '"\\',
      '"\\u12',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,',
      '{"a":1,}',
      '[1,]',
      '[1',
      '[1 2]',
      '{a:1}',
      "{'a':1}",
      '01',
      '-',
      '+1',
      '.5',
      '1.',
      '1e',
      '1e+',
      'NaN',
      'Infinity',
      'undefined',
      'nul',
      'truee',
      '1 2',
      '{}{}',
      ']',
      '}',
      '[}',
      '{]',
      '"\\x41"',
      '"\\u00g0"',
      '"a\nb"',
      '"\u0000"',
      '\u00a01',
      '\ufeff1',
      '// x\n1',
    ]) {
      it(`malformed: ${JSON.stringify(text)}`, () => {
        assert.throws(() => JSON.parse(text), SyntaxError);
        assert.equal(faultOf(() => parseStrictJson(text)).code, 'malformed_json');
      });
    }

    it('shows a long or strange name cut and escaped', () => {
      const fault = faultOf(() => parseStrictJson(`{"${'n'.repeat(5_000)}\\n":1e999}`));
      assert.equal(fault.path, `${'n'.repeat(64)}…`);
      refuses('{"a\\nb":1e999}', 'number_overflow', 'a\\nb');
    });
  });
});

describe('decodeUtf8Strict', () => {
  it('gives the text of valid UTF-8', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => text[0] !== '\ufeff'),
        (text) => decodeUtf8Strict(Buffer.from(text)) === text.toWellFormed(),
      ),
    );
  });

  it('refuses a byte order mark', () => {
    assert.equal(faultOf(() => decodeUtf8Strict(Buffer.from('\ufeff{}'))).code, 'invalid_utf8');
  });

  it('refuses invalid UTF-8', () => {
    const encoded = (...bytes: number[]): Buffer =>
      Buffer.concat([Buffer.from('{"é": "'), Buffer.from(bytes), Buffer.from('"}')]);
    for (const bytes of [[0xff], [0x80], [0xc0, 0xaf], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]])
      assert.equal(faultOf(() => decodeUtf8Strict(encoded(...bytes))).code, 'invalid_utf8', bytes.join());
    assert.equal(faultOf(() => decodeUtf8Strict(Buffer.from([0x22, 0xe2, 0x82]))).code, 'invalid_utf8');
  });
});

describe('assertFewValues', () => {
  const assertFew = (text: string, most: number): void => assertFewValues(Buffer.from(text), most);
  const sum = (counts: number[]): number => counts.reduce((one, other) => one + other, 0);
  const valuesOf = (value: unknown): number => {
    if (Array.isArray(value)) return 1 + sum(value.map(valuesOf));
    if (typeof value === 'object' && value !== null)
      return 4 + sum(Object.values(value).map((held) => 7 + valuesOf(held)));
    return typeof value === 'string' ? 2 : 1;
  };

  it('counts values by what they cost, no matter what stands in texts and between values', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const count = valuesOf(JSON.parse(text));
        assertFew(text, count);
        if (count > 1) assert.equal(faultOf(() => assertFew(text, count - 1)).code, 'too_many_values');
      }),
      { numRuns: 1_000 },
    );
  });

  it('counts one for each 25 characters of a number, however it is written and wherever it stands', () => {
    const digits = fc.integer({ min: 1, max: 120 }).map((length) => '7'.repeat(length));
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.constantFrom('0', '12', '12345'),
        fc.option(digits),
        fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.constantFrom('0', '05', '10'))),
      )
      .map(([sign, whole, fraction, exponent]) =>
        [sign, whole, fraction === null ? '' : `.${fraction}`, ...(exponent ?? [])].join(''),
      );
    const gap = fc.constantFrom('', ' ', '\n\t');
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 8 }), gap, fc.boolean(), (numbers, space, named) => {
        const count = sum(numbers.map((one) => Math.ceil(one.length / 25)));
        const text = named
          ? `{${numbers.map((one, at) => `"m${at}":${space}${one}${space}`).join(',')}}`
          : `[${numbers.map((one) => `${space}${one}${space}`).join(',')}]`;
        const most = count + (named ? 4 + 7 * numbers.length : 1);
        parseStrictJson(text);
        assertFew(text, most);
        assert.equal(faultOf(() => assertFew(text, most - 1)).code, 'too_many_values');
      }),
      { numRuns: 1_000 },
    );
  });

  it('counts one for any double as JavaScript writes it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => assertFew(JSON.stringify(value), 1)),
    );
    assert.equal(String(-1.234_567_890_123_456_7e-6).length, 25);
    assertFew('-0.0000012345678901234567', 1);
  });

  it('ends in a number at the bound', () => {
    for (const number of ['1'.repeat(20_000_000), `0.${'1'.repeat(20_000_000)}`, `-1e-${'0'.repeat(20_000_000)}1`]) {
      const fault = faultOf(() => assertFew(`[0,${number}`, 500));
      assert.equal(fault.code, 'too_many_values');
      assert.match(fault.message, /a number counts one for each 25 characters/);
    }
  });

  it('names the depth where values stand too deep, and takes what is not JSON at all', () => {
    assert.equal(faultOf(() => assertFew('['.repeat(1_000), 500)).code, 'too_deep');
    for (const text of ['', '"', '"\\', ']]]]', 'x'.repeat(100)]) assertFew(text, 2);
  });
});
