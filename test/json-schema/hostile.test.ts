import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import type { JsonObject } from '../../src/json/value.ts';
import { createSchemaChecker, standardLimits } from '../../src/json-schema/index.ts';
import { Quota } from '../../src/turns/quota.ts';
import { ampleTime } from '../support/ample-time.ts';
import { checkerUnderTest, checkOf, generousLimits, places } from './support.ts';

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
  const { checker, limits: ofChecker, validate, validateText, accepts, rejects, withinItsSecond } = checkerUnderTest();

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
    assert.deepEqual(await checker().checkSchema(wide, 'input_schema', 'op_test'), []);
    await rejects(wide, { property_499: '' }, 'input.property_499 minLength');
  });

  it('stops a check after its second, gives the reason, and does the next', async () => {
    const schema = endless('alone');
    assert.deepEqual(await checker().checkSchema(schema, 'input_schema', 'op_test'), []);
    const [fault] = await withinItsSecond(() => validate(schema, 'x'));
    assert.equal(fault?.code, 'check_too_heavy');
    assert.match(fault?.message ?? '', /more than one second/);
    await accepts({ type: 'string' }, 'x');
  });

  it('stops a check that fills its memory, by the memory or by its second', async () => {
    ofChecker.clockMs = standardLimits.clockMs;
    const ended = await withinItsSecond(() => validate(explosive('alone'), 'x')).then(
      ([fault]) => fault?.code,
      // Collecting garbage is no processor time of the thread: then the clock ends it, some seconds later.
      (error: CarnetError) => error.code,
    );
    ofChecker.clockMs = generousLimits.clockMs;
    assert(ended === 'check_too_heavy' || ended === 'TEMPORARILY_UNAVAILABLE', ended);
    await accepts({ type: 'string' }, 'x');
  });

  it('delays no other job by a schema that was stopped once, even while it runs again and again', async () => {
    const limits = { ...generousLimits, jobMs: standardLimits.jobMs };
    const own = createSchemaChecker(ampleTime, limits);
    const check = (schema: JsonObject) => own.validate(checkOf(schema, 'x'));
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

  it('lets no call wait for a slow schema longer than its own time, no matter what runs meanwhile', async () => {
    const limits = { ...generousLimits, jobMs: 500 };
    const own = createSchemaChecker(ampleTime, limits);
    const check = (schema: JsonObject) => own.validate(checkOf(schema, 'x'));
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
      const both = ['one', 'two'].map((salt) => checker().validate(checkOf(endless(salt), 'x', { caller: salt })));
      behind = Array.from({ length: 20 }, (_, index) =>
        checker().validate(checkOf({ type: 'integer' }, index % 2 ? index : 'x', { caller: `op_${index}` })),
      );
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
    const stopped = withinItsSecond(() => validate(endless('loop'), 'x')).finally(() => {
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

  it('refuses what is over the bound of all callers: 503, to be tried again', async () => {
    const schema = { type: 'integer' };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1_500 }, (_, index) =>
        checker().validate(checkOf(schema, 1, { caller: `op_${index % 15}` })),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
    assert.ok(refused.length > 0 && refused.length <= 500, `${refused.length} refused`);
    for (const error of refused) assertRefused(error, 'TEMPORARILY_UNAVAILABLE');
    await accepts(schema, 1);
  });
});

const assertRefused = (error: unknown, code: string): void =>
  assert.ok(
    error instanceof CarnetError && error.code === code && Number(error.headers['Retry-After']) >= 1,
    String(error),
  );

/** A check that is allowed, finds no fault, and takes a tenth of a second of processor time, about. */
const heavyValue = Array.from({ length: 30_000 }, (_, index) => ({ index }));
const heavy = (salt: string): JsonObject => ({ description: salt, uniqueItems: true });

describe('createSchemaChecker: one caller who sends too much, and another', () => {
  const limits = { ...generousLimits };
  const checker = createSchemaChecker(ampleTime, limits);
  after(() => checker.close());
  beforeEach(() => void Object.assign(limits, generousLimits));

  it('gives them turns: who sends one check waits for two of the other, not for all', async () => {
    let answered = 0;
    const hostile = Array.from({ length: 12 }, () =>
      checker.validate(checkOf(heavy('turns'), heavyValue, { caller: 'op_hostile' })).then((faults) => {
        answered += 1;
        return faults;
      }),
    );
    assert.deepEqual(await checker.validate(checkOf({ type: 'string' }, 'x', { caller: 'op_honest' })), []);
    assert(answered <= 2, `${answered} of the other were answered before`);
    assert.deepEqual((await Promise.all(hostile)).flat(), [], 'and none of theirs is lost');
  });

  it('gives others their turn between two patterns of a request, and keeps the next request out of the first thread', async () => {
    const own = createSchemaChecker(ampleTime, limits);
    let answered = 0;
    const request = async (caller: string): Promise<void> => {
      // Each takes some 20 ms, for the case of ranges over most of Unicode is folded.
      const patternAt = (at: number) => ({ path: `${at}`, pattern: `(?i)[${'A-\u{1e942}'.repeat(4)}]{${at + 1}}` });
      const patterns = Array.from({ length: 32 }, (_, at) => patternAt(at));
      const [first, ...others] = patterns;
      assert(first !== undefined);
      assert.deepEqual(await own.checkPatterns([first, ...others], caller), []);
      answered += 1;
    };
    // As many as two threads take.
    const hostile = Promise.all(['op_one', 'op_two', 'op_three', 'op_four'].map(request));
    for (let index = 0; index < 20; index += 1)
      assert.deepEqual(await own.validate(checkOf({ type: 'string' }, 'x', { caller: 'op_honest' })), []);
    assert.equal(answered, 0, 'none of the requests was over before');
    await hostile;
    await own.close();
  });

  it('suspects nobody for what another sent against the same schema', async () => {
    const { $defs = {} } = endless('shared');
    const schema: JsonObject = { properties: { text: { $ref: '#/$defs/d40' } }, $defs };
    const ofOneSecond = { ...generousLimits, jobMs: 500 };
    const own = createSchemaChecker(ampleTime, ofOneSecond);
    const byHostile = () => own.validate(checkOf(schema, { text: 'x' }, { caller: 'op_hostile' }));
    assert.deepEqual(places(await byHostile()), ['input check_too_heavy']);
    // Theirs runs again from here on, until the end of the test.
    Object.assign(ofOneSecond, generousLimits);
    const again = assert.rejects(byHostile(), { code: 'TEMPORARILY_UNAVAILABLE' });
    assert.deepEqual(await own.validate(checkOf(schema, {}, { caller: 'op_honest' })), []);
    await own.close();
    await again;
  });

  it('refuses what one caller has waiting over their bound, and nothing of the other: 429', async () => {
    const schema = { type: 'integer' };
    const hostile = Promise.allSettled(
      Array.from({ length: 250 }, () => checker.validate(checkOf(schema, 1, { caller: 'op_hostile' }))),
    );
    assert.deepEqual(await checker.validate(checkOf(schema, 1, { caller: 'op_honest' })), []);
    const refused = (await hostile).filter((outcome) => outcome.status === 'rejected');
    assert(refused.length > 0 && refused.length <= 50, `${refused.length} refused`);
    for (const { reason } of refused) assertRefused(reason, 'RATE_LIMITED');
  });

  it('refuses who has used their processor time, until some of it is back: 429', async () => {
    // Less than any machine takes for the first check. Neither caller has sent one before: what that took would count.
    const own = createSchemaChecker(new Quota({ burst: 1, perSecond: 1 / 60 }), limits);
    const hostile = () => own.validate(checkOf(heavy('quota'), heavyValue, { caller: 'op_spender' }));
    await hostile();
    const error: unknown = await hostile().catch((refusal: unknown) => refusal);
    assertRefused(error, 'RATE_LIMITED');
    assert.match(String(error), /processor time/);
    assert.deepEqual(await own.validate(checkOf(heavy('quota'), [], { caller: 'op_thrifty' })), []);
    await own.close();
  });

  it('counts processor time and not the clock: a busy machine makes nobody too heavy', async () => {
    const own = createSchemaChecker(ampleTime, limits);
    const check = () => own.validate(checkOf(heavy('busy'), heavyValue, { caller: 'op_honest' }));
    await check();
    const before = process.cpuUsage();
    await check();
    const { user, system } = process.cpuUsage(before);
    // Beside twelve threads that never rest it takes six times as long by the clock, on two cores. Processor time itself grows where cores are
    // shared: three times leave room for that.
    limits.jobMs = ((user + system) / 1_000) * 3;
    const spinning = Array.from({ length: 12 }, () => new Worker('for (;;);', { eval: true }));
    try {
      await Promise.all(spinning.map((worker) => once(worker, 'online')));
      assert.deepEqual(await check(), []);
    } finally {
      await Promise.all(spinning.map((worker) => worker.terminate()));
      await own.close();
    }
  });
});
