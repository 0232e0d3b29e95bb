import assert from 'node:assert/strict';
import { createModelCaller } from '../../activities/models/index.ts';
import type { Context } from '../../src/context/context.ts';
import { createLogger } from '../../src/context/logging.ts';
import { freePort } from '../../src/embedded/ports.ts';
import type { ModelQuestion } from '../../src/models/model-caller.ts';
import type { ModelProvider } from '../../src/models/settings.ts';
import { MODEL, MODEL_KEY, OWN_KEY, startModels, type Behaviour, type ModelDouble } from './model-double.ts';

const SYSTEM = 'Answer with JSON.';
const USER = 'What of “this” ünicode?\n';
const SAYS = '{"injection": false}';

for (const kind of ['openai', 'anthropic'] as const) {
  describe(`A model of kind ${kind}`, () => {
    let double: ModelDouble;
    const logged: string[] = [];
    const sentences: string[] = [];
    const log = createLogger('trace', { write: (line: string) => void logged.push(line) });
    beforeEach(async () => {
      double = await startModels(kind, { says: SAYS });
    });
    afterEach(() => double.stop());
    const ask = async (question: Partial<ModelQuestion> = {}, provider: Partial<ModelProvider> = {}) => {
      const modelProviders = [{ ...double.provider, ...provider }];
      const caller = createModelCaller({ config: { modelProviders }, log } as unknown as Context);
      const outcome = await caller.ask({
        provider: double.provider.slug,
        model: MODEL,
        system: SYSTEM,
        user: USER,
        maxTokens: 300,
        timeoutMs: 60_000,
        ...question,
      });
      if (outcome.outcome !== 'answered') sentences.push(outcome.sentence);
      return outcome;
    };

    it('is asked once, as its reference says, and says what it says', async () => {
      double.behave = { says: SAYS, usage: { prompt: 100, cached: 40, completion: 7 } };
      assert.deepEqual(await ask(), {
        outcome: 'answered',
        text: SAYS,
        isWhole: true,
        usage: { promptTokens: 100, completionTokens: 7, totalTokens: 107, cachedPromptTokens: 40 },
      });
      assert.deepEqual(double.asked, [{ model: MODEL, system: SYSTEM, user: USER, maxTokens: 300 }]);
      assert.equal(double.calls(), 1);
    });

    it('may answer as much as its tokens can be, no matter what is escaped in it', async () => {
      const says = '\u0001'.repeat(4 * 20_000);
      double.behave = { says };
      assert.equal((await ask()).outcome, 'unknown', '480 KB are more than 300 tokens');
      const outcome = await ask({ maxTokens: 20_000 });
      assert(outcome.outcome === 'answered' && outcome.text === says);
    });

    it('takes a temperature, no system, a system of 100,000 characters, and says anything', async () => {
      double.behave = { says: 'A free text,\nin lines.' };
      const system = 'é'.repeat(100_000);
      for (const question of [{ temperature: 0 }, { temperature: 1, system: '' }, { system }]) {
        const outcome = await ask(question);
        assert(outcome.outcome === 'answered' && outcome.text === 'A free text,\nin lines.');
      }
      const about = { model: MODEL, user: USER, maxTokens: 300 };
      assert.deepEqual(double.asked, [
        { ...about, system: SYSTEM, temperature: 0 },
        { ...about, temperature: 1 },
        { ...about, system },
      ]);
    });

    it('is held to a JSON object where that is wanted and its format can', async () => {
      await ask({ wantsJson: true });
      assert.equal(double.asked[0]?.forcesJson, kind === 'openai' ? true : undefined);
    });

    it(`${kind === 'openai' ? 'takes' : 'refuses'} a temperature of 2`, async () => {
      assert.equal((await ask({ temperature: 2 })).outcome, kind === 'openai' ? 'answered' : 'refused');
    });

    it('is asked by the key of the question in the place of the platform’s, also where the platform has none', async () => {
      for (const apiKey of [MODEL_KEY, undefined])
        assert.equal((await ask({ apiKey: OWN_KEY }, { apiKey })).outcome, 'answered');
      assert.deepEqual(
        double.asked.map(({ apiKey }) => apiKey),
        [OWN_KEY, OWN_KEY],
      );
    });

    it('is refused by a key of the question that is wrong, or has too many requests, and not asked by another', async () => {
      assert.equal((await ask({ apiKey: 'sk-wrong-key-of-a-customer' })).outcome, 'refused');
      double.behave = { status: 429 };
      assert.equal((await ask({ apiKey: OWN_KEY })).outcome, 'refused');
      assert.equal(double.calls(), 2);
    });

    it('need not say what it had cached', async () => {
      double.behave = { says: SAYS, usage: { cached: null } };
      const outcome = await ask();
      assert(outcome.outcome === 'answered');
      assert.equal(outcome.usage.cachedPromptTokens, null);
    });

    for (const end of ['cut_off', 'declined'] as const)
      it(`is not whole where its answer is ${end}`, async () => {
        double.behave = { says: SAYS, end };
        const outcome = await ask();
        assert(outcome.outcome === 'answered');
        assert.equal(outcome.isWhole, false);
      });

    for (const [what, behave, outcome] of [
      ['answers that the request is wrong', { status: 400 }, 'refused'],
      ['takes no key', { status: 401 }, 'refused'],
      ['has too many requests', { status: 429, headers: { 'retry-after': '1' } }, 'refused'],
      ['redirects', { status: 307, headers: { location: '/v1/elsewhere' } }, 'refused'],
      ['has a fault, after which it may charge all the same', { status: 500 }, 'unknown'],
      ['is overloaded', { status: 529 }, 'unknown'],
      ['resets the connection', 'reset', 'unknown'],
      ['answers 100 MB', { says: 'x'.repeat(100_000_000) }, 'unknown'],
      ['answers no JSON', { raw: `<html>${MODEL_KEY}</html>` }, 'unknown'],
      ['answers half of its JSON', { raw: '{"choices": [' }, 'unknown'],
      ['answers other JSON', { raw: '{"ok": true}' }, 'unknown'],
      ['answers nothing', { raw: '' }, 'unknown'],
      ['answers a number of tokens that is none', { says: SAYS, usage: { completion: -1 } }, 'unknown'],
      ['answers a fraction of a token', { says: SAYS, usage: { prompt: 0.5 } }, 'unknown'],
      ['answers more tokens than anybody takes', { says: SAYS, usage: { prompt: 1e12 } }, 'unknown'],
      ['compresses unasked', { says: SAYS, headers: { 'content-encoding': 'gzip' } }, 'unknown'],
    ] as [string, Behaviour, string][]) {
      it(`is ${outcome} where the provider ${what}, and is asked once`, async () => {
        double.behave = behave;
        assert.equal((await ask()).outcome, outcome);
        assert.equal(double.calls(), 1);
      });
    }

    it('is read no further than an answer may be, where the provider never ends its answer', async () => {
      double.behave = 'flood';
      const outcome = await ask();
      assert(outcome.outcome === 'unknown');
      assert.match(outcome.sentence, /has more than 72736 bytes/);
    });

    it('is not sent where nobody listens, and where the name is none', async () => {
      for (const baseUrl of [`http://127.0.0.1:${await freePort()}`, 'http://no-such-host.invalid'])
        assert.equal((await ask({}, { baseUrl })).outcome, 'not_sent');
    });

    it('is refused without its key, and with another', async () => {
      for (const apiKey of [undefined, 'sk-another']) assert.equal((await ask({}, { apiKey })).outcome, 'refused');
    });

    it('is given up by the caller, and then it is unknown what it cost', async () => {
      const given = new AbortController();
      double.behave = () => {
        given.abort();
        return 'hang';
      };
      assert.equal((await ask({ signal: given.signal })).outcome, 'unknown');
    });

    it('is a fault of the caller where the settings have no such provider', async () => {
      await assert.rejects(ask({ provider: 'nobody' }), TypeError);
    });

    it('has the time that the question gives for all, also where bytes keep coming', async () => {
      for (const behave of ['hang', 'drip'] as const) {
        double.behave = behave;
        const outcome = await ask({ timeoutMs: 1_500 });
        assert(outcome.outcome === 'unknown');
        assert.equal(outcome.sentence, 'The model did not answer in time.');
      }
      assert.equal(double.calls(), 2);
    });

    it('is named in the log, and neither its key, the question nor the answer is', () => {
      const lines = logged.join('');
      for (const seen of [`${kind}-double`, MODEL, 'answered 429']) assert(lines.includes(seen), seen);
      for (const secret of [MODEL_KEY, OWN_KEY, 'sk-wrong', 'sk-another', 'ünicode', SYSTEM, 'injection'])
        assert(!lines.includes(secret) && !sentences.join().includes(secret), secret);
    });
  });
}
