import assert from 'node:assert/strict';
import { createModelCaller } from '../../activities/models/index.ts';
import type { Context } from '../../src/context/context.ts';
import { createLogger } from '../../src/context/logging.ts';
import { freePort } from '../../src/embedded/ports.ts';
import type { ModelQuestion } from '../../src/models/model-caller.ts';
import type { ModelProvider } from '../../src/models/settings.ts';
import { MODEL, MODEL_KEY, startModels, type Behaviour, type ModelDouble } from './model-double.ts';

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

    it('may answer 60 KiB', async () => {
      double.behave = { says: 'x'.repeat(60 * 1_024) };
      assert.equal((await ask()).outcome, 'answered');
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
      ['answers 70 KiB', { says: 'x'.repeat(70 * 1_024) }, 'unknown'],
      ['answers no JSON', { raw: `<html>${MODEL_KEY}</html>` }, 'unknown'],
      ['answers half of its JSON', { raw: '{"choices": [' }, 'unknown'],
      ['answers other JSON', { raw: '{"ok": true}' }, 'unknown'],
      ['answers nothing', { raw: '' }, 'unknown'],
      ['answers a number of tokens that is none', { says: SAYS, usage: { completion: -1 } }, 'unknown'],
      ['compresses unasked', { says: SAYS, headers: { 'content-encoding': 'gzip' } }, 'unknown'],
    ] as [string, Behaviour, string][]) {
      it(`is ${outcome} where the provider ${what}, and is asked once`, async () => {
        double.behave = behave;
        assert.equal((await ask()).outcome, outcome);
        assert.equal(double.calls(), 1);
      });
    }

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

    it('has ten seconds for all, also where bytes keep coming', async () => {
      const begun = performance.now();
      const slow = await Promise.all(
        (['hang', 'drip'] as const).map(async (behave) => {
          const own = await startModels(kind, behave);
          const outcome = await ask({}, { baseUrl: own.provider.baseUrl });
          const seconds = (performance.now() - begun) / 1_000;
          assert.equal(own.calls(), 1);
          await own.stop();
          return { outcome: outcome.outcome, inTime: seconds > 9 && seconds < 15 };
        }),
      );
      assert.deepEqual(slow, [
        { outcome: 'unknown', inTime: true },
        { outcome: 'unknown', inTime: true },
      ]);
    }).timeout(30_000);

    it('is named in the log, and neither its key, the question nor the answer is', () => {
      const lines = logged.join('');
      for (const seen of [`${kind}-double`, MODEL, 'answered 429']) assert(lines.includes(seen), seen);
      for (const secret of [MODEL_KEY, 'sk-another', 'ünicode', SYSTEM, 'injection'])
        assert(!lines.includes(secret) && !sentences.join().includes(secret), secret);
    });
  });
}
