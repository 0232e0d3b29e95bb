import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import type { JsonObject } from '../../src/json/value.ts';
import { sha256Hex } from '../../src/json/canonical.ts';
import { createSchemaChecker, standardLimits } from '../../src/json-schema/index.ts';
import { checkerUnderTest, places } from './support.ts';

/** 2^40 evaluations of one part, which no compiler can see in the text. */
const doubled = (salt: string, part: JsonObject, both: 'anyOf' | 'allOf'): JsonObject => ({
  description: salt,
  [both]: [{ $ref: '#/$defs/d40' }],
  $defs: Object.fromEntries([
    ['d0', part],
    ...Array.from({ length: 40 }, (_, level) => [
      `d${level + 1}`,
      { [both]: [{ $ref: `#/$defs/d${level}` }, { $ref: `#/$defs/d${level}` }] },
    ]),
  ]),
});
/** Every part fails, and leaves a fault that takes memory. */
const explosive = (salt: string): JsonObject => doubled(salt, { type: 'array', minItems: 1_000_000 }, 'anyOf');
/** Every part accepts a text: it runs for hours and takes no more memory. */
const endless = (salt: string): JsonObject => doubled(salt, { type: 'string' }, 'allOf');

describe('createSchemaChecker: hostile schemas and values', () => {
  const { checker, validate, validateText, accepts, rejects, withinItsSecond } = checkerUnderTest();

  it('decides a catastrophic pattern', async () => {
    await rejects({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`, 'input pattern');
  });

  it('compares many items without comparing each with every other', async () => {
    const items = Array.from({ length: 50_000 }, (_, index) => ({ index }));
    await accepts({ uniqueItems: true }, items);
    await rejects({ uniqueItems: true }, [...items, { index: 7 }], 'input uniqueItems');
  });

  it('survives a value nested 20,000 deep', async () => {
    const depth = 20_000;
    const faults = await validateText({ items: { $ref: '#' } }, '['.repeat(depth) + ']'.repeat(depth));
    assert.deepEqual(places(faults), ['input too_deep']);
  });

  it('survives a published schema that refers to itself for ever', async () => {
    await rejects({ $id: 'https://example.com/', $ref: '#' }, 1, 'input too_deep');
  });

  it('compiles or refuses the largest schema that is allowed, and continues', async () => {
    const wide = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [
          `property_${index}`,
          { type: 'string', minLength: 1, maxLength: 9 },
        ]),
      ),
    };
    assert.deepEqual(await checker().checkSchema(wide, 'input_schema'), []);
    await rejects(wide, { property_499: '' }, 'input.property_499 minLength');
  });

  it('stops a check after its second, gives the reason, and does the next', async () => {
    const schema = explosive('alone');
    assert.deepEqual(await checker().checkSchema(schema, 'input_schema'), []);
    const [fault] = await withinItsSecond(() => validate(schema, 'x'));
    assert.equal(fault?.code, 'check_too_heavy');
    assert.match(fault?.message ?? '', /more than one second|too much memory/);
    await accepts({ type: 'string' }, 'x');
  });

  it('delays no other job by a schema that was stopped once, even while it runs again and again', async () => {
    const limits = { ...standardLimits, waitMs: 120_000 };
    const own = createSchemaChecker(limits);
    const check = (schema: JsonObject) =>
      own.validate(JSON.stringify(schema), sha256Hex(JSON.stringify(schema)), '"x"', 'input');
    const schema = endless('again');
    assert.deepEqual(places(await check(schema)), ['input check_too_heavy']);
    // From here on it runs until the end of the test: a job behind it would wait as long.
    limits.jobMs = 120_000;
    const again = Promise.allSettled([1, 2, 3].map(() => check(schema)));
    for (let index = 0; index < 200; index += 1) assert.deepEqual(await check({ type: 'string' }), []);
    await own.close();
    assert.deepEqual(
      (await again).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
      'none of them was over',
    );
  });

  it('lets no call wait for a suspect schema longer than its own time, whatever runs meanwhile', async () => {
    const limits = { jobMs: 500, waitMs: 120_000 };
    const own = createSchemaChecker(limits);
    const check = (schema: JsonObject) =>
      own.validate(JSON.stringify(schema), sha256Hex(JSON.stringify(schema)), '"x"', 'input');
    const [running, behind] = [endless('running'), endless('behind')];
    await Promise.all([check(running), check(behind)]);
    // From here on the first runs until the end of the test, and nothing that a thread says gives the others a turn.
    Object.assign(limits, { jobMs: 120_000, waitMs: 200 });
    const first = assert.rejects(check(running), { code: 'TEMPORARILY_UNAVAILABLE' });
    const refused = await Promise.allSettled([1, 2, 3].map(() => check(behind)));
    for (const outcome of refused) {
      assert(outcome.status === 'rejected' && outcome.reason instanceof CarnetError);
      assert.equal(outcome.reason.code, 'TEMPORARILY_UNAVAILABLE');
      assert.equal(outcome.reason.headers['Retry-After'], '1');
    }
    await own.close();
    await first;
  });

  it('finishes the jobs behind a stopped check in the same thread', async () => {
    let behind: ReturnType<typeof validate>[] = [];
    const stopped = await withinItsSecond(() => {
      const both = [validate(explosive('one'), 'x'), validate(explosive('two'), 'x')];
      behind = Array.from({ length: 20 }, (_, index) => validate({ type: 'integer' }, index % 2 ? index : 'x'));
      return Promise.all(both);
    });
    assert.deepEqual(
      stopped.map(([fault]) => fault?.code),
      ['check_too_heavy', 'check_too_heavy'],
    );
    assert.deepEqual(
      (await Promise.all(behind)).map(({ length }) => length),
      Array.from({ length: 20 }, (_, index) => (index % 2 ? 0 : 1)),
    );
  });

  it('leaves the event loop free meanwhile', async () => {
    let running = true;
    const stopped = withinItsSecond(() => validate(explosive('loop'), 'x')).finally(() => {
      running = false;
    });
    let turns = 0;
    while (running) {
      turns += 1;
      await setImmediate();
    }
    assert.equal((await stopped)[0]?.code, 'check_too_heavy');
    assert.ok(turns > 100, `${turns} turns`);
  });

  it('refuses more waiting jobs than the limit: 503, to be tried again', async () => {
    const schema = { type: 'integer' };
    const outcomes = await Promise.allSettled(Array.from({ length: 1_500 }, () => validate(schema, 1)));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
    assert.ok(refused.length > 0 && refused.length <= 500, `${refused.length} refused`);
    for (const error of refused)
      assert.ok(
        error instanceof CarnetError &&
          error.code === 'TEMPORARILY_UNAVAILABLE' &&
          error.headers['Retry-After'] === '1',
      );
    await accepts(schema, 1);
  });
});
