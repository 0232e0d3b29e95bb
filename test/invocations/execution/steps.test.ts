import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';
import { placeOfFailure } from '../../../src/invocations/execution/console.ts';
import { listExecutedSteps } from '../../../src/invocations/execution/list-steps.ts';
import { advanceInvocation, executeSealedStep } from '../../../src/invocations/index.ts';
import { findInvocation } from '../../../src/invocations/queries.ts';
import type { ModelOutcome } from '../../../src/models/model-caller.ts';
import { eventually } from '../../support/eventually.ts';
import { newWallet, RACE_ROUNDS, walletOf } from '../../billing/ledger/ledger-world.ts';
import type { OwnContext } from '../own-context.ts';
import {
  answered,
  modelStep,
  overdue,
  returned,
  scriptStep,
  threw,
  worldOn,
  eachExecution,
  type Execution,
} from './execution-world.ts';

describe('the steps of an execution', () => {
  let { own, db, world, consumer, provider } = {} as Execution;
  eachExecution({ consumer: 10_000, provider: 100 }, (made) => ({ own, db, world, consumer, provider } = made));

  const read = async (id: string, reader: string) => {
    const invocation = await findInvocation(db, id, { operatorId: reader as OperatorId });
    assert(invocation !== null);
    return { invocation, steps: await listExecutedSteps(world.context, invocation, reader as OperatorId) };
  };
  const errorOf = async (id: string): Promise<string> =>
    (JSON.parse((await world.show(id)).error ?? '{"code":""}') as { code: string }).code;

  it('give each output to the next one, and the last to the buyer', async () => {
    const inputs: string[] = [];
    const echo =
      (output: object) =>
      async ({ input }: { input: string }) => {
        inputs.push(input);
        return returned(output);
      };
    world.doubles.scripts.push(echo({ n: 1 }), echo({ n: 2 }), echo({ n: 3 }));
    const id = await world.invoke(
      consumer,
      await world.publish(provider, { steps: [scriptStep(), scriptStep(), scriptStep()] }),
    );
    assert.equal(await world.live(id), 'completed');
    assert.deepEqual(inputs, ['{"text":"hello"}', '{"n":1}', '{"n":2}']);
    assert.equal((await world.show(id)).output, '{"n":3}');
    const kept = await db.any(sql.type(z.object({ output: z.string() }))`
      select output from sealed_steps where invocation_id = ${id} and output is not null`);
    assert.deepEqual(kept, []);
  });

  it('end, and are charged, no matter what a script prints', async () => {
    const id = await world.invoke(consumer, await world.publish(consumer, {}));
    world.doubles.scripts.push(threw('a\0b \ud800 c'));
    assert.equal(await world.live(id), 'failed');
    assert.equal(await errorOf(id), 'SCRIPT_FAILED');
    const { steps } = await read(id, consumer);
    assert.deepEqual([steps?.[0]?.console, world.doubles.ran], ['a\ufffdb \ufffd c', 1]);
    assert((steps?.[0]?.charged_microcents ?? 0) > 0);
  });

  it('run again where a script was interrupted, and the steps before it do not', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, { steps: [scriptStep(), scriptStep()] }));
    world.doubles.scripts.push(
      returned({}),
      { outcome: 'interrupted', sentence: 'The process was ended.' },
      returned({ n: 2 }),
    );
    await assert.rejects(world.live(id), /The process was ended/);
    assert.equal(await world.live(id), 'completed');
    assert.equal(world.doubles.ran, 3);
  });

  it('end the invocation where a script is interrupted again and again', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, { price: 5 }));
    for (let times = 0; times < 3; times += 1) {
      world.doubles.scripts.push({ outcome: 'interrupted', sentence: 'The process was ended.' });
      await assert.rejects(world.live(id));
    }
    assert.equal(await world.live(id), 'failed');
    assert.equal(await errorOf(id), 'EXECUTION_INTERRUPTED');
    assert.equal((await walletOf(db, consumer)).held_cents, 0);
  });

  it('ask no model a second time, also where its answer was lost on the way to the row', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, { price: 5, steps: [modelStep()] }));
    world.doubles.models.push(answered('lost'));
    await advanceInvocation(own.context, id);
    // The process ends behind the answer: what it would have written is not there.
    const dying = {
      ...world.context,
      models: {
        ask: async (question: Parameters<typeof world.context.models.ask>[0]) => {
          await world.context.models.ask(question);
          return new Promise<ModelOutcome>(() => {});
        },
      },
    };
    void executeSealedStep(dying, id);
    await eventually('the model to be asked', () => world.doubles.asked.length > 0);
    assert.equal(await world.live(id), 'failed');
    assert.equal(world.doubles.asked.length, 1);
    assert.equal(await errorOf(id), 'EXECUTION_INTERRUPTED');
    assert.deepEqual(await walletOf(db, consumer), { posted_cents: 10_000, held_cents: 0, last_position: 1 });
  });

  const outcomes: [string, ModelOutcome, string][] = [
    ['the provider refuses', { outcome: 'refused', sentence: 'no' }, 'MODEL_REFUSED'],
    ['nobody knows what came of the call', { outcome: 'unknown', sentence: 'hm' }, 'MODEL_FAILED'],
    ['the answer is cut off', { ...answered('half'), isWhole: false } as ModelOutcome, 'MODEL_ANSWER_CUT_OFF'],
  ];
  for (const [name, outcome, code] of outcomes) {
    it(`fail with ${code} where ${name}`, async () => {
      const id = await world.invoke(consumer, await world.publish(provider, { price: 5, steps: [modelStep()] }));
      world.doubles.models.push(outcome);
      assert.equal(await world.live(id), 'failed');
      assert.equal(await errorOf(id), code);
      assert.equal(world.doubles.asked.length, 1);
    });
  }

  it('ask again where nothing left this machine, and give up after a few times', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, { steps: [modelStep()] }));
    world.doubles.models.push({ outcome: 'not_sent', sentence: '' }, answered('at last'));
    assert.equal(await world.live(id), 'completed');
    const other = await world.invoke(consumer, await world.publish(provider, { steps: [modelStep()] }));
    for (let times = 0; times < 3; times += 1) world.doubles.models.push({ outcome: 'not_sent', sentence: '' });
    assert.equal(await world.live(other), 'failed');
    assert.equal(await errorOf(other), 'MODEL_UNAVAILABLE');
  });

  it('are charged where the output cannot be checked, and ask no model again', async () => {
    const validate = () => Promise.reject(new Error('no checker'));
    const schemas = { validate } as unknown as OwnContext['context']['schemas'];
    const unchecked = worldOn({ ...own.context, schemas });
    unchecked.doubles.models.push(answered('short'));
    const id = await world.invoke(consumer, await world.publish(provider, { steps: [modelStep()] }));
    assert.equal(await unchecked.live(id), 'failed');
    assert.equal(await errorOf(id), 'OUTPUT_NOT_CHECKED');
    const { steps } = await read(id, consumer);
    assert((steps?.[0]?.charged_microcents ?? 0) > 0);
    assert.equal(unchecked.doubles.asked.length, 1);
  });

  it('give no model more than what its bound was made for', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, { steps: [modelStep()] }), {
      input: JSON.stringify({ text: 'x'.repeat(65_536) }),
    });
    assert.equal(await world.live(id), 'failed');
    assert.equal(await errorOf(id), 'MODEL_INPUT_TOO_LARGE');
    assert.equal(world.doubles.asked.length, 0);
  });

  it('fail where the output does not match the output schema, or cannot be carried', async () => {
    const skill = await world.publish(provider, {});
    world.doubles.scripts.push(returned({ forbidden: 1 }), returned({ many: Array.from({ length: 60_000 }, () => 1) }));
    const [wrong, large] = [await world.invoke(consumer, skill), await world.invoke(consumer, skill)];
    assert.equal(await world.live(wrong), 'failed');
    assert.equal(await errorOf(wrong), 'OUTPUT_SCHEMA_MISMATCH');
    assert.equal(await world.live(large), 'failed');
    assert.equal(await errorOf(large), 'OUTPUT_INVALID');
  });

  it('fail where the output does not match, with the place in the schema for the owner and in their own output for who invoked it', async () => {
    const output_schema = {
      type: 'object',
      properties: { n: { type: 'integer' }, nested: { $ref: '#/$defs/nested' } },
      required: ['sentence'],
      additionalProperties: false,
      $defs: { nested: { patternProperties: { '': { maxLength: 3 } } } },
    };
    const skill = await world.publish(provider, { more: { output_schema } });
    const output = { '4111-1111': 'Ada Lovelace', n: 'Ada', nested: { 'Ada King': 'Lovelace' } };
    const consoleOf = async (by: string): Promise<string> => {
      world.doubles.scripts.push(returned(output));
      const id = await world.invoke(by, skill);
      assert.equal(await world.live(id), 'failed');
      return (await read(id, provider)).steps?.[0]?.console ?? '';
    };
    assert.deepEqual((await consoleOf(consumer)).split('\n').toSorted(), [
      'output_schema.additionalProperties: is not a property that the schema allows',
      'output_schema.patternProperties..maxLength: must NOT have more than 3 characters',
      'output_schema.properties.n.type: must be integer',
      'output_schema.required.sentence: is required',
    ]);
    assert.match(await consoleOf(provider), /^output\.4111-1111: is not a property/mu);
  });

  it('show their owner where a script failed, and the buyer nothing of it', async () => {
    const skill = await world.publish(provider, {});
    const id = await world.invoke(consumer, skill, { input: '{"name":"Ada Lovelace","n":123456}' });
    world.doubles.scripts.push(threw('name is Ada Lovelace, n 1.2e5\nTypeError: Ada\n    at main (script.js:3:7)\n'));
    assert.equal(await world.live(id), 'failed');
    const [forOwner, forBuyer] = [await read(id, provider), await read(id, consumer)];
    assert.equal(forOwner.steps?.[0]?.console, 'TypeError\n    at script.js:3:7');
    assert.equal(forOwner.invocation.input, null);
    assert.equal(forOwner.steps?.[0]?.label, 'first');
    assert.equal(forBuyer.steps?.[0]?.console, null);
    assert.equal(forBuyer.steps?.[0]?.label, null);
    assert.deepEqual(forBuyer.steps?.[0]?.error, { code: 'SCRIPT_FAILED', message: 'The script threw an exception.' });
  });

  it('show their owner all that a run of their own printed', async () => {
    const id = await world.invoke(provider, await world.publish(provider, {}), { input: '{"name":"Ada"}' });
    world.doubles.scripts.push(threw('name is Ada\nError: no'));
    assert.equal(await world.live(id), 'failed');
    assert.equal((await read(id, provider)).steps?.[0]?.console, 'name is Ada\nError: no');
  });

  it('show labels to everybody where the skill shows its code', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, { mode: 'source' }));
    world.doubles.scripts.push(returned({}));
    assert.equal(await world.live(id), 'completed');
    assert.equal((await read(id, consumer)).steps?.[0]?.label, 'first');
  });

  const PYTHON = 'Traceback (most recent call last):\n  File "script.py", line 2, in main\n    return input["n"]\n';
  const failures: [what: string, console: string, shown: string | null][] = [
    ['a key that Python names', `${PYTHON}KeyError: 'Jos\\u00e9'`, 'KeyError\n    at script.py:2'],
    [
      'an exception of a module',
      `${PYTHON}json.decoder.JSONDecodeError: Ada: 1`,
      'JSONDecodeError\n    at script.py:2',
    ],
    ['a message of several lines', `${PYTHON}ValueError: it is\nAda: 4111`, 'ValueError\n    at script.py:2'],
    [
      'a name that the runtime has not',
      'AdaError: 1e-05\n    at main (script.js:9:1)',
      'an exception\n    at script.js:9:1',
    ],
    [
      'a place twice',
      'Error: a\n at (script.js:1:2)\n at (script.js:1:2)\n at (script.js:3)',
      'Error\n    at script.js:1:2\n    at script.js:3',
    ],
    ['text alone', '{"name": "Jos\\u00e9", "n": 12}\n', null],
    ['other files', 'at x (Ada.js:4111:1) script.js:4111111111', null],
  ];
  for (const [what, printed, place] of failures)
    it(`show nothing of an input but where: ${what}`, () => assert.equal(placeOfFailure(printed), place));

  it('let one consumer have eight executions under way, and the next begin when one ends', async () => {
    const skill = await world.publish(provider, {});
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) ids.push(await world.invoke(consumer, skill));
    const began = await Promise.all(ids.map((id) => advanceInvocation(own.context, id)));
    assert.equal(began.filter(({ status }) => status === 'processing').length, 8);
    const other = await world.invoke(await newWallet(db, 100), skill);
    assert.equal((await advanceInvocation(own.context, other)).status, 'processing');
    const waiting = ids.filter((_, at) => began[at]?.status === 'pending').toSorted();
    world.doubles.scripts = Array.from({ length: 11 }, () => returned({}));
    const first = ids.find((_, at) => began[at]?.status === 'processing') ?? '';
    assert.equal(await world.live(first), 'completed');
    const woken = await db.any(sql.type(z.object({ life: z.string() }))`
      select distinct life from lives where epoch is null and life = any(${sql.array(
        waiting.map((id) => `invocation:${id}`),
        'text',
      )})`);
    assert.deepEqual(
      woken.map(({ life }) => life),
      [`invocation:${waiting[0]}`],
    );
    for (const id of [...ids, other]) assert.equal(await world.live(id), 'completed');
  });

  it('end once, no matter who ends them: deadline, cancel and step in any order', async () => {
    const skill = await world.publish(provider, { price: 5 });
    const seen = new Set<string>();
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const id = await world.invoke(consumer, skill);
      world.doubles.scripts = [returned({})];
      const cancelling = db
        .query(sql.type(z.object({}))`
          select from cancel_invocation(p_authority => ${consumer}, p_key_operator => null, p_agent_part => null, p_actor => 'test', p_key => null,
            p_fingerprint => null, p_request => null, p_invocation => ${id})`)
        .catch(() => null);
      const expiring =
        round % 2 === 0 ? overdue(own.context, id).then(() => advanceInvocation(own.context, id)) : Promise.resolve();
      const [status] = await Promise.all([world.live(id), cancelling, expiring.catch(() => null)]);
      seen.add(status);
      assert.equal((await world.show(id)).status, status, 'nothing comes after the end');
      assert.equal((await walletOf(db, consumer)).held_cents, 0);
    }
    assert(
      [...seen].every((status) => ['completed', 'failed', 'expired'].includes(status)),
      [...seen].join(),
    );
  });
});
