import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { createModelCaller } from '../../../activities/models/index.ts';
import { assertLedger } from '../../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newWallet, walletOf } from '../../billing/ledger/ledger-world.ts';
import { MODEL, MODEL_KEY, startModels, type Behaviour, type ModelDouble } from '../../models/model-double.ts';
import { ownContext, type OwnContext } from '../own-context.ts';
import { modelStep, worldOn, type World } from './execution-world.ts';

const MiB = 1_048_576;

/** A right answer, but for what is written over it. */
const answer = (over: { usage?: unknown; choices?: unknown } = {}): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: MODEL,
    choices: [choice('An answer.')],
    usage: { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23 },
    ...over,
  });
const choice = (content: unknown, finish_reason: unknown = 'stop') => ({
  index: 0,
  finish_reason,
  message: { role: 'assistant', content, refusal: null },
});
const usage = (prompt_tokens: unknown, completion_tokens: unknown = 3): { usage: unknown } => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: 23 },
});

/** Lists what a provider may do to an executed step, and the code of its invocation; null: it completes. */
const answers: [string, Behaviour, string | null][] = [
  ['answers', { raw: answer() }, null],
  ['hangs', 'hang', 'MODEL_FAILED'],
  ['sends a byte now and then', 'drip', 'MODEL_FAILED'],
  ['never ends its answer', 'flood', 'MODEL_FAILED'],
  ['resets the connection', 'reset', 'MODEL_FAILED'],
  ['ends the connection in the middle', { cut: answer().slice(0, 100) }, 'MODEL_FAILED'],
  ['ends the connection behind a whole answer that it said to be longer', { cut: answer() }, 'MODEL_FAILED'],
  [
    'streams nonsense',
    { raw: 'data: {"x"\n\ndata: [DONE]\n', headers: { 'content-type': 'text/event-stream' } },
    'MODEL_FAILED',
  ],
  ['has too many requests', { status: 429, headers: { 'retry-after': '0' } }, 'MODEL_REFUSED'],
  ['redirects', { status: 307, headers: { location: '/v1/chat/completions' } }, 'MODEL_REFUSED'],
  ['has a fault', { status: 500 }, 'MODEL_FAILED'],
  ['has a fault that it says will pass', { status: 503, headers: { 'retry-after': '0' } }, 'MODEL_FAILED'],
  ['counts less than no token', { raw: answer(usage(-1)) }, 'MODEL_FAILED'],
  ['counts a part of a token', { raw: answer(usage(0.5)) }, 'MODEL_FAILED'],
  ['counts more tokens than numbers are exact', { raw: answer(usage(1e30)) }, 'MODEL_FAILED'],
  ['counts as many as nobody takes', { raw: answer(usage(20, 2_000_000_000)) }, 'MODEL_FAILED'],
  ['counts a million more than it can have read', { raw: answer(usage(1_000_000, 1_000_000)) }, null],
  ['counts NaN', { raw: answer().replace('20', 'NaN') }, 'MODEL_FAILED'],
  ['counts 1e999', { raw: answer().replace('20', '1e999') }, 'MODEL_FAILED'],
  ['counts in texts', { raw: answer(usage('20', '3')) }, 'MODEL_FAILED'],
  ['counts nothing', { raw: answer({ usage: undefined }) }, 'MODEL_FAILED'],
  ['has no choice', { raw: answer({ choices: [] }) }, 'MODEL_FAILED'],
  ['has a choice without a text', { raw: answer({ choices: [choice(undefined)] }) }, 'MODEL_FAILED'],
  ['has a text that is none', { raw: answer({ choices: [choice(7)] }) }, 'MODEL_FAILED'],
  ['has more choices', { raw: answer({ choices: [choice('An answer.'), choice('another'), 7] }) }, 'MODEL_FAILED'],
  ['has more choices that are right', { raw: answer({ choices: [choice('An answer.'), choice('another')] }) }, null],
  ['does not say why it ended', { raw: answer({ choices: [choice('An answer.', null)] }) }, 'MODEL_ANSWER_CUT_OFF'],
  ['names a member twice', { raw: answer().replace('"usage":', '"usage":{},"usage":') }, 'MODEL_FAILED'],
  ['nests too deeply', { raw: '['.repeat(100_000) }, 'MODEL_FAILED'],
  ['answers 50 MB', { raw: answer({ choices: [choice('x'.repeat(50 * MiB))] }) }, 'MODEL_FAILED'],
  ['answers nothing', { raw: '' }, 'MODEL_FAILED'],
  ['calls its answer a page', { raw: answer(), headers: { 'content-type': 'text/html' } }, null],
  ['answers a page', { raw: `<html>${MODEL_KEY}</html>`, headers: { 'content-type': 'text/html' } }, 'MODEL_FAILED'],
  [
    'compresses 64 MB, unasked',
    { raw: gzipSync(Buffer.alloc(64 * MiB)), headers: { 'content-encoding': 'gzip' } },
    'MODEL_FAILED',
  ],
  ['compresses and does not say so', { raw: gzipSync(answer()) }, 'MODEL_FAILED'],
];

describe('A step whose model', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let double: ModelDouble;
  let world: World;
  let skill: string;
  let consumer: string;
  let givenUp: AbortSignal | undefined;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    double = await startModels('openai', 'hang');
    const config = { ...own.context.config, modelProviders: [double.provider] };
    const caller = createModelCaller({ ...own.context, config });
    // Two minutes are not waited for: who sends nothing, or too little, is given up as soon as it was asked.
    world = worldOn(
      { ...own.context, config },
      { ask: (question) => caller.ask(givenUp === undefined ? question : { ...question, signal: givenUp }) },
    );
    const step = { ...modelStep(), llm_provider: double.provider.slug, llm_model: MODEL };
    skill = await world.publish(await newWallet(db), { price: 5, steps: [step] });
  });
  after(async () => {
    await double.stop();
    await own.close();
  });
  beforeEach(async () => {
    consumer = await newWallet(db, 1_000);
  });

  const chargedFor = (id: string) =>
    db.oneFirst(sql.type(z.object({ sum: z.number() }))`
      select coalesce(sum(microcents), 0)::bigint as sum from model_calls where invocation_id = ${id}`);

  for (const [what, behave, code] of answers) {
    it(`${what} ${code === null ? 'completes' : `fails with ${code}`}, is asked once, and costs no more than was held`, async () => {
      givenUp = undefined;
      double.behave = behave;
      if (behave === 'hang' || behave === 'drip') {
        const given = new AbortController();
        givenUp = given.signal;
        double.behave = () => {
          given.abort();
          return behave;
        };
      }
      const before = double.calls();
      const id = await world.invoke(consumer, skill);
      const { compute_bound_cents: bound } = await world.show(id);
      assert.equal(await world.live(id), code === null ? 'completed' : 'failed');
      const { error, output, compute_cents: cents } = await world.show(id);
      assert.equal((JSON.parse(error ?? 'null') as { code: string } | null)?.code ?? null, code);
      assert.equal(output, code === null ? '{"text":"An answer."}' : null);
      assert.equal(double.calls() - before, 1);
      const charged = await chargedFor(id);
      assert(charged <= bound * 1_000_000 && cents <= bound, `${charged} of ${bound} cents`);
      assert.equal(charged > 0, code === null || code === 'MODEL_ANSWER_CUT_OFF', 'what is unknown costs nothing');
      assert.equal((await walletOf(db, consumer)).held_cents, 0);
      await assertLedger(db);
    });
  }

  it('repeats the key by which it was asked gives it to nobody', async () => {
    givenUp = undefined;
    double.behave = { raw: answer({ choices: [choice(`Bearer ${MODEL_KEY}`)] }) };
    const id = await world.invoke(consumer, skill);
    assert.equal(await world.live(id), 'completed');
    assert.equal((await world.show(id)).output, '{"text":"Bearer [key]"}');
  });
});
