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
