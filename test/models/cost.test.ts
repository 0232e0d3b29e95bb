import assert from 'node:assert/strict';
import fc from 'fast-check';
import { costOfCall, countedUsage, maxCostOfCall } from '../../src/models/cost.ts';
import { modelProviders } from '../../src/models/settings.ts';

/** Prices as the setting has them, in microcents. */
const prices = (input: number, cached: number, output: number) => {
  const model = { model: 'm', input_microcents: input, cached_microcents: cached, output_microcents: output };
  const [provider] = modelProviders.parse(
    JSON.stringify([{ slug: 's', kind: 'openai', base_url: 'http://127.0.0.1:1/v1', models: [model] }]),
  );
  return provider?.models.get('m') ?? assert.fail('it is there');
};
const usage = (promptTokens: number, cachedPromptTokens: number | null, completionTokens: number) => ({
  promptTokens,
  cachedPromptTokens,
  completionTokens,
  totalTokens: promptTokens + completionTokens,
});

describe('The cost of a model call', () => {
  for (const [what, used, priced, microcents] of [
    ['input and output by their prices', usage(1_000, null, 10), prices(25, 2.5, 200), 27_000],
    ['cached input by its own', usage(1_000, 600, 10), prices(25, 2.5, 200), 13_500],
    ['is rounded up once', usage(1, 0, 1), prices(0.4, 0.4, 0.4), 1],
    ['is not one too many where a sum of decimals would be', usage(10, 0, 0), prices(1.1, 0, 0), 11],
    ['is a whole number of small prices', usage(3, 0, 0), prices(0.000_001, 0, 0), 1],
    ['is nothing where the model is free', usage(1_000, 0, 1_000), prices(0, 0, 0), 0],
    ['counts no more cached tokens than there are', usage(10, 99, 0), prices(10, 1, 0), 10],
  ] as const)
    it(what, () => assert.equal(costOfCall(used, priced), microcents));

  it('is never more than what is promised for it, no matter what the provider reports', () => {
    const count = fc.integer({ min: 0, max: 1_000_000_000 });
    const price = fc.integer({ min: 0, max: 1_000_000 }).map((value) => value / 1_000);
    fc.assert(
      fc.property(
        fc.record({
          system: fc.string(),
          user: fc.string({ unit: 'binary' }),
          maxTokens: fc.integer({ min: 1, max: 4_096 }),
        }),
        fc.tuple(count, fc.option(count), count),
        fc.tuple(price, price, price),
        (asked, [prompt, cached, completion], [input, fromCache, output]) => {
          const priced = prices(input, fromCache, output);
          const counted = countedUsage(asked, usage(prompt, cached, completion));
          assert(costOfCall(counted, priced) <= maxCostOfCall(asked, priced));
          assert(counted.totalTokens === counted.promptTokens + counted.completionTokens);
        },
      ),
    );
  });
});
