import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { JsonObject } from '../../src/json/value.ts';
import { createSchemaChecker } from '../../src/json-schema/index.ts';
import { ampleTime } from '../support/ample-time.ts';
import { checkerUnderTest, checkOf, places } from './support.ts';

const draft07 = 'http://json-schema.org/draft-07/schema#';

describe('createSchemaChecker', () => {
  const { checker, validate, validateText, accepts, rejects } = checkerUnderTest();

  describe('checkSchema', () => {
    it('accepts ordinary schemas of both drafts', async () => {
      const schema = {
        title: 'Order',
        'x-ui': { widget: 'form' },
        hasOwnProperty: 1,
        id: 'order',
        nullable: true,
        type: 'object',
        properties: {
          email: { type: 'string', format: 'email' },
          iri: { format: 'iri' },
          sku: { pattern: '^[A-Z]{3}-\\d+$', examples: ['ABC-1'] },
        },
        required: ['email'],
      };
      assert.deepEqual(await checker().checkSchema(schema, 'input_schema', 'op_test'), []);
      assert.deepEqual(
        await checker().checkSchema(
          { ...schema, $schema: draft07, items: [{}, {}], definitions: {} },
          'input_schema',
          'op_test',
        ),
        [],
      );
    });

    it('names the places where a schema breaks the metaschema of its draft', async () => {
      const at = async (schema: JsonObject): Promise<string | undefined> =>
        places(await checker().checkSchema(schema, 'output_schema', 'op_test'))[0];
      assert.equal(await at({ properties: { a: { type: 'strin' } } }), 'output_schema.properties.a.type enum');
      assert.equal(await at({ required: 'a' }), 'output_schema.required type');
      assert.equal(await at({ minLength: -1 }), 'output_schema.minLength minimum');
      assert.match((await at({ items: [{}] })) ?? '', /^output_schema\.items type/);
      assert.equal(await at({ $schema: draft07, dependencies: { a: 1 } }), 'output_schema.dependencies.a type');
    });

    it('refuses patterns that cannot be matched in linear time, with their path', async () => {
      const faults = await checker().checkSchema(
        { properties: { a: { pattern: '(?=x)' } }, patternProperties: { '(a)\\1': {} } },
        'input_schema',
        'op_test',
      );
      assert.deepEqual(places(faults), [
        'input_schema.patternProperties.(a)\\\\1 pattern_unsupported',
        'input_schema.properties.a.pattern pattern_unsupported',
      ]);
      assert.match(faults[0]?.message ?? '', /linear time/);
    });

    it('accepts a draft by any of its names, no matter which $id the schema has', async () => {
      for (const $schema of [
        'https://json-schema.org/draft-07/schema',
        'http://json-schema.org/draft/2020-12/schema#',
      ]) {
        const schema = { $schema, $id: 'https://json-schema.org/draft/2020-12/schema', items: { $ref: '#' } };
        assert.deepEqual(await checker().checkSchema(schema, 'input_schema', 'op_test'), []);
        await accepts(schema, [[[]]]);
      }
    });

    it('refuses by structure before anything is compiled', async () => {
      assert.deepEqual(
        places(await checker().checkSchema({ $ref: 'https://example.com/' }, 'input_schema', 'op_test')),
        ['input_schema.$ref remote_ref'],
      );
    });

    it('refuses what Ajv cannot compile though metaschema and structure allow it', async () => {
      assert.deepEqual(places(await checker().checkSchema({ enum: [] }, 'input_schema', 'op_test')), [
        'input_schema schema_unusable',
      ]);
    });
  });

  describe('validate', () => {
    it('names every fault of an ordinary value, by a dotted path that ends in the property', async () => {
      const schema = {
        type: 'object',
        properties: {
          text: { type: 'string' },
          options: {
            type: 'object',
            properties: { n: { type: 'array', items: { type: 'integer' } } },
            additionalProperties: false,
          },
        },
        required: ['text', 'target'],
        propertyNames: { pattern: '^[a-z]+$' },
        dependentRequired: { text: ['language'] },
      };
      const faults = await validate(schema, { text: 1, options: { n: [1, 'x'], deep: true }, 'a/b~c': 0 });
      assert.deepEqual(
        places(faults).toSorted(),
        [
          'input.a/b~c pattern',
          'input.a/b~c propertyNames',
          'input.language dependentRequired',
          'input.options.deep additionalProperties',
          'input.options.n.1 type',
          'input.target required',
          'input.text type',
        ].toSorted(),
      );
      assert.equal(faults.find(({ code }) => code === 'required')?.message, 'is required');
      assert.deepEqual(places(await validateText(schema, '[]', 'output')), ['output type']);
    });

    it('names twenty faults of a small value at most, and the first alone of a large one', async () => {
      const schema = { items: { type: 'string' } };
      assert.equal((await validate(schema, Array(100).fill(0))).length, 20);
      assert.equal((await validate(schema, Array(20_000).fill(0))).length, 1);
    });

    it('keeps messages and paths short, no matter what strangers wrote', async () => {
      const [fault] = await validate(
        { properties: { ['n'.repeat(5_000)]: { enum: ['v'.repeat(5_000), 'w'] } } },
        { ['n'.repeat(5_000)]: 1 },
      );
      assert.ok(fault && fault.path.length < 310 && fault.message.length < 310);
    });

    it('distinguishes 2020-12 and draft-07', async () => {
      const tuple = { prefixItems: [{ type: 'string' }], items: false };
      await rejects(tuple, ['a', 'b'], 'input items');
      await accepts({ ...tuple, $schema: draft07, items: true }, [1, 'b']);
      await rejects(
        { $schema: draft07, items: [{ type: 'string' }], additionalItems: false },
        ['a', 'b'],
        'input additionalItems',
      );
      await rejects(
        { properties: { a: true }, unevaluatedProperties: false },
        { a: 1, b: 2 },
        'input.b unevaluatedProperties',
      );
      await rejects({ $schema: draft07, dependencies: { a: ['b'] } }, { a: 1 }, 'input.b dependencies');
    });

    it('follows references: recursion, anchors, the root under its own $id', async () => {
      const tree = {
        $id: 'https://example.com/tree',
        type: 'object',
        properties: { children: { items: { $ref: '#' } } },
        required: ['name'],
      };
      await accepts(tree, { name: 'a', children: [{ name: 'b' }] });
      await rejects(
        tree,
        { name: 'a', children: [{ name: 'b', children: [{}] }] },
        'input.children.0.children.0.name required',
      );
      await rejects({ $defs: { n: { $anchor: 'n', type: 'number' } }, items: { $ref: '#n' } }, ['x'], 'input.0 type');
      await rejects(
        { $schema: draft07, definitions: { n: { type: 'number' } }, items: { $ref: '#/definitions/n' } },
        ['x'],
        'input.0 type',
      );
    });

    it('checks known formats, and ignores others', async () => {
      await rejects({ format: 'email' }, 'nobody', 'input format');
      await accepts({ format: 'x-colour' }, 'blue');
    });

    it('counts characters, cents and items as people do', async () => {
      await accepts({ maxLength: 2 }, '😀😀');
      await rejects({ maxLength: 1 }, '😀😀', 'input maxLength');
      await accepts({ multipleOf: 0.01 }, 19.99);
      await rejects({ multipleOf: 0.01 }, 19.995, 'input multipleOf');
      await accepts({ uniqueItems: true }, [1, '1', true, 'true', null, 'null', {}, [], '{}', { a: 1 }, { a: 2 }]);
      await accepts({ uniqueItems: false }, [1, 1]);
      await rejects({ uniqueItems: true }, [{ a: 1, b: [2] }, 0, { b: [2], a: 1 }], 'input uniqueItems');
      await rejects({ uniqueItems: true }, [0, -0], 'input uniqueItems');
    });

    it('is not misled by names that every object inherits', async () => {
      await rejects(
        { required: ['constructor', 'toString'] },
        {},
        'input.constructor required',
        'input.toString required',
      );
      await accepts({ properties: { constructor: { type: 'number' }, hasOwnProperty: { type: 'string' } } }, {});
      await rejects(
        { properties: { constructor: { type: 'number' } } },
        { constructor: 'x' },
        'input.constructor type',
      );
      await rejects(
        { additionalProperties: false, properties: { a: {} } },
        { valueOf: 1 },
        'input.valueOf additionalProperties',
      );
      assert.deepEqual(places(await validateText({ additionalProperties: false }, '{"__proto__":1}')), [
        'input.__proto__ additionalProperties',
      ]);
    });

    it('keeps two patterns of one schema apart', async () => {
      const schema = {
        properties: { a: { pattern: '^a+$' }, b: { pattern: '^b+$' } },
        patternProperties: { '^x-': { pattern: '^x$' } },
      };
      await accepts(schema, { a: 'aa', b: 'bb', 'x-1': 'x' });
      await rejects(
        schema,
        { a: 'bb', b: 'aa', 'x-1': 'y' },
        'input.a pattern',
        'input.b pattern',
        'input.x-1 pattern',
      );
    });

    it('never confuses schemas, however many there are and no matter what the threads drop', async () => {
      const schemas = Array.from({ length: 600 }, (_, index) => ({ description: 'd'.repeat(1_000), const: index }));
      for (const round of [0, 1]) {
        const answers = await Promise.all(
          schemas.map((schema, index) =>
            checker().validate(checkOf(schema, index + (index % 2) * (round + 1), { caller: `op_${index % 10}` })),
          ),
        );
        assert.deepEqual(
          answers.map(({ length }) => length),
          schemas.map((_, index) => index % 2),
        );
      }
    });
  });

  describe('close', () => {
    it('refuses waiting and new jobs with TEMPORARILY_UNAVAILABLE', async () => {
      const closing = createSchemaChecker(ampleTime);
      const check = checkOf({}, 1);
      const waiting = closing.validate(check);
      const refusal = assert.rejects(waiting, { code: 'TEMPORARILY_UNAVAILABLE' });
      await closing.close();
      await refusal;
      await assert.rejects(closing.validate(check), { code: 'TEMPORARILY_UNAVAILABLE' });
    });

    it('need not be called for the process to end', async () => {
      const moduleAt = (path: string): string =>
        JSON.stringify(fileURLToPath(new URL(`../../${path}`, import.meta.url)));
      const script = `import { createSchemaChecker } from ${moduleAt('src/json-schema/index.ts')};
        import { ampleTime } from ${moduleAt('test/support/ample-time.ts')};
        console.log(JSON.stringify(await createSchemaChecker(ampleTime).validate(${JSON.stringify(checkOf({ type: 'string' }, 1))})));`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
        timeout: 55_000,
      });
      assert.match(stdout, /"path":"input"/);
    });
  });
});
