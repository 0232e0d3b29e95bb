import assert from 'node:assert/strict';
import { z } from 'zod';
import { fieldsOf, schemaOf, valueOf } from '../../src/console/form.ts';
import { invalid } from '../../src/errors/carnet-error.ts';
import type { JsonObject } from '../../src/json/value.ts';

const Inner = z.strictObject({ cents: z.int(), note: z.string().optional() }).meta({ id: 'InnerOfForm' });
const schema = schemaOf(
  z
    .strictObject({
      name: z.string().max(64),
      text: z.string().max(2_000).optional(),
      kind: z.enum(['a', 'b_c']).nullable().optional(),
      flag: z.boolean().optional(),
      tags: z.array(z.string()).optional(),
      picked: z.array(z.enum(['x', 'y'])).optional(),
      amount: Inner.optional(),
      any: z.record(z.string(), z.unknown()).optional(),
    })
    .meta({ id: 'WholeOfForm' }),
);

describe('Fields of money and of moments', () => {
  const both = schemaOf(z.object({ price: z.int().max(100_000), until: z.iso.datetime({ offset: true }) }));
  const money = { money: ['price'] };

  for (const [typed, cents] of [
    ['1.50', 150],
    ['$1.5', 150],
    [' 0.29 ', 29],
    ['-0.05', -5],
    ['1152921504606.84', 115_292_150_460_684],
    ['7', 700],
  ] as const)
    it(`takes ${typed} dollars as ${cents} cents, without rounding`, () =>
      assert.deepEqual(valueOf(both, { price: typed }, money), { price: cents }));

  for (const typed of ['1.505', '1,50', '1e2', '.5', '0x10', '150 cents'])
    it(`refuses ${typed}, and says the unit`, () =>
      assert.throws(() => valueOf(both, { price: typed }, money), /is written in dollars, as 25 or 25.50/));

  it('shows cents as dollars, and says that the API refuses in cents', () => {
    const { text } = fieldsOf(both, money, { values: { price: 150 } });
    assert.match(text, /value="1\.50".*US dollars/);
    const refusal = invalid({ path: 'price', code: 'too_big', message: 'must be at most 100000' });
    const refused = fieldsOf(both, money, { entered: { act: 'put', form: { price: '2000000.00' }, refusal } });
    assert.match(refused.text, /value="2000000\.00".*must be at most 100000 \(in cents\)/);
  });

  for (const [typed, sent] of [
    ['2026-12-31T18:00', '2026-12-31T18:00:00Z'],
    ['2026-12-31T18:00:30', '2026-12-31T18:00:30Z'],
    ['2026-12-31T18:00:30.250', '2026-12-31T18:00:30.250Z'],
    ['2026-12-31T18:00:00+02:00', '2026-12-31T18:00:00+02:00'],
    ['soon', 'soon'],
  ] as const)
    it(`sends ${typed} as ${sent}, and keeps it where it is refused`, () => {
      assert.deepEqual(valueOf(both, { until: typed }), { until: sent });
      const refusal = invalid({ path: 'until', code: 'x', message: 'is no' });
      const { text } = fieldsOf(both, {}, { entered: { act: 'put', form: { until: typed }, refusal } });
      assert(text.includes(`value="${typed}"`));
      assert.equal(text.includes('datetime-local'), !typed.includes('+') && typed !== 'soon');
    });

  it('shows a moment in UTC, and says so', () => {
    const { text } = fieldsOf(both, {}, { values: { until: '2026-12-31T18:00:00.000Z' } });
    assert.match(text, /type="datetime-local" step="any" value="2026-12-31T18:00:00\.000".*UTC/);
  });
});

describe('Forms that are made from a schema', () => {
  it('have a field for each property, named by its path', () => {
    const { text } = fieldsOf(schema);
    const named = [...text.matchAll(/ name="([^"]+)"/g)].map(([, name]) => name);
    assert.deepEqual(named, [
      'name',
      'text',
      'kind',
      'flag',
      'tags',
      'picked',
      'picked',
      'amount.cents',
      'amount.note',
      'any',
    ]);
    assert.match(
      text,
      /<select name="kind"><option value="">–<\/option><option value="a">A<\/option><option value="b_c">B c<\/option>/,
    );
    assert.match(text, /name="name"[^>]* maxlength="64" required>/);
  });

  it('never have a secret in them, neither that which was typed nor that which there is', () => {
    const secret = { secret: ['name'] };
    const refusal = invalid({ path: 'name', code: 'too_big', message: 'is too long' });
    const { text } = fieldsOf(schema, secret, { entered: { act: 'put', form: { name: 'hush', text: 't' }, refusal } });
    assert.doesNotMatch(text, /hush/);
    assert.match(text, /is too long/);
    assert.match(text, />\nt<\/textarea>/, 'what is no secret is kept');
    assert.doesNotMatch(fieldsOf(schema, secret, { values: { name: 'hush' } }).text, /hush/);
  });

  it('stand for a value without what was left empty', () => {
    const form = {
      name: ' n ',
      text: 'two\r\nlines',
      kind: 'b_c',
      flag: 'true',
      tags: 'one\r\n\r\n two ',
      picked: ['x', 'y'],
      'amount.cents': '12',
      any: '{"a": [1]}',
    };
    assert.deepEqual(valueOf(schema, form), {
      name: 'n',
      text: 'two\nlines',
      kind: 'b_c',
      flag: true,
      tags: ['one', 'two'],
      picked: ['x', 'y'],
      amount: { cents: 12 },
      any: { a: [1] },
    });
    assert.deepEqual(valueOf(schema, { name: 'n' }), { name: 'n', flag: false });
  });

  it('refuse what is no number and no JSON, each at its field', () => {
    assert.throws(
      () => valueOf(schema, { name: 'n', 'amount.cents': 'ten', any: '{' }),
      ({ errors }: { errors: { path: string }[] }) => {
        assert.deepEqual(
          errors.map(({ path }) => path),
          ['amount.cents', 'any'],
        );
        return true;
      },
    );
  });

  it('keep what was typed, escaped, and show a fault at its field', () => {
    const refusal = invalid({ path: 'name', code: 'too_small', message: 'must be longer' });
    const { text } = fieldsOf(
      schema,
      {},
      { entered: { act: 'make', form: { name: '"><script>', text: '</textarea><b>' }, refusal } },
    );
    assert.match(text, /name="name" value="&quot;&gt;&lt;script&gt;"[^>]*aria-invalid="true"/);
    assert.match(text, /<span class="fault">must be longer<\/span>/);
    assert.match(text, /&lt;\/textarea&gt;&lt;b&gt;/);
    assert(!text.includes('<script>'));
  });

  it('show values as they are where they change something', () => {
    const values = { name: 'n', picked: ['y'], tags: ['one', 'two'], amount: { cents: 5 } };
    const { text } = fieldsOf(schema, {}, { values });
    assert.match(text, /name="picked" value="y" checked/);
    assert.match(text, /name="tags"[^>]*>\none\ntwo<\/textarea>/);
    assert.match(text, /name="amount.cents"[^>]* value="5"/);
  });

  it('end where a schema is within itself', () => {
    const endless: JsonObject = { type: 'object', properties: {} };
    (endless['properties'] as JsonObject)['again'] = endless;
    assert.match(fieldsOf(endless).text, /name="again/);
  });
});
