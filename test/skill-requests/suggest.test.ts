import assert from 'node:assert/strict';
import { buildOperator, suspend, type TestOperator } from '../support/factories.ts';
import { publish } from '../skills/support.ts';
import { fields, postRequest, schemaOf, suggestionsOf } from './support.ts';

describe('the suggestions of a request', () => {
  let provider: TestOperator;
  let asker: TestOperator;

  before(async () => {
    [provider, asker] = await Promise.all([buildOperator(), buildOperator()]);
  });

  /** Published in the order given: from, to and price of each. */
  const skills = async (...made: [from: string[], to: string[], price: number][]): Promise<string[]> => {
    const ids: string[] = [];
    for (const [from, to, price] of made) {
      ids.push(
        (
          await publish(provider, {
            input_schema: schemaOf(...from),
            output_schema: schemaOf(...to),
            price_per_invocation: price,
          })
        ).id,
      );
    }
    return ids;
  };
  const suggested = async (overrides: Record<string, unknown>) => {
    const { id } = await postRequest(asker, overrides);
    return (await suggestionsOf(provider, id)).map(({ steps, total_price_cents: total, coverage }) => ({
      steps: steps.map((step) => step.skill_id),
      total,
      coverage,
    }));
  };

  it('are single skills and chains, cheapest first', async () => {
    const [text, summary, german] = fields('text', 'summary', 'german');
    const [summarise, translate, both] = await skills(
      [[text], [summary], 5],
      [[summary], [german], 4],
      [[text], [german], 10],
    );
    assert.deepEqual(
      await suggested({ desired_input_schema: schemaOf(text), desired_output_schema: schemaOf(german) }),
      [
        { steps: [summarise, translate], total: 9, coverage: 1 },
        { steps: [both], total: 10, coverage: 1 },
      ],
    );
  });

  it('are up to three steps long', async () => {
    const [a, b, c, d, e] = fields('a', 'b', 'c', 'd', 'e');
    const chain = await skills([[a], [b], 1], [[b], [c], 1], [[c], [d], 1], [[d], [e], 1]);
    const from = { desired_input_schema: schemaOf(a) };
    assert.deepEqual(await suggested({ ...from, desired_output_schema: schemaOf(d) }), [
      { steps: chain.slice(0, 3), total: 3, coverage: 1 },
    ]);
    assert.deepEqual(await suggested({ ...from, desired_output_schema: schemaOf(e) }), []);
  });

  it('show each skill as lists do', async () => {
    const [a, b] = fields('a', 'b');
    const [id] = await skills([[a], [b], 1]);
    const request = await postRequest(asker, { desired_input_schema: schemaOf(a), desired_output_schema: schemaOf(b) });
    const [suggestion] = await suggestionsOf(asker, request.id);
    assert.equal(suggestion?.steps[0]?.skill.id, id);
    assert.equal(suggestion?.steps[0]?.skill.price_per_invocation, 1);
  });

  it('may bring outputs together that no single skill gives', async () => {
    const [a, b, c] = fields('a', 'b', 'c');
    const made = await skills([[a], [b], 1], [[a], [c], 2]);
    const [only, ...others] = await suggested({
      desired_input_schema: schemaOf(a),
      desired_output_schema: schemaOf(b, c),
    });
    assert.deepEqual([only?.steps.toSorted(), only?.total, only?.coverage, others], [made.toSorted(), 3, 1, []]);
  });

  it('may use what is provided at any step', async () => {
    const [text, language, summary, translated] = fields('text', 'language', 'summary', 'translated');
    const made = await skills([[text], [summary], 1], [[summary, language], [translated], 1]);
    assert.deepEqual(
      await suggested({ desired_input_schema: schemaOf(text, language), desired_output_schema: schemaOf(translated) }),
      [{ steps: made, total: 2, coverage: 1 }],
    );
    assert.deepEqual(
      await suggested({ desired_input_schema: schemaOf(text), desired_output_schema: schemaOf(translated) }),
      [],
    );
  });

  it('give as much as can be had where not everything can', async () => {
    const [a, b, c] = fields('a', 'b', 'c');
    const made = await skills([[a], [b], 1]);
    assert.deepEqual(await suggested({ desired_input_schema: schemaOf(a), desired_output_schema: schemaOf(b, c) }), [
      { steps: made, total: 1, coverage: 0.5 },
    ]);
  });

  it('cost together no more than the request pays', async () => {
    const [a, b, c] = fields('a', 'b', 'c');
    const made = await skills([[a], [b], 3], [[b], [c], 3]);
    const wanted = { desired_input_schema: schemaOf(a), desired_output_schema: schemaOf(c) };
    assert.deepEqual(await suggested({ ...wanted, max_price_cents: 5 }), []);
    assert.deepEqual(
      (await suggested({ ...wanted, max_price_cents: 6 })).map(({ steps }) => steps),
      [made],
    );
  });

  it('leave out skills of the operator that requests', async () => {
    const [a, b] = fields('a', 'b');
    await publish(asker, { input_schema: schemaOf(a), output_schema: schemaOf(b) });
    assert.deepEqual(await suggested({ desired_input_schema: schemaOf(a), desired_output_schema: schemaOf(b) }), []);
  });

  it('are not of a suspended operator', async () => {
    const [a, b] = fields('a', 'b');
    const banned = await buildOperator();
    await publish(banned, { input_schema: schemaOf(a), output_schema: schemaOf(b) });
    const wanted = { desired_input_schema: schemaOf(a), desired_output_schema: schemaOf(b) };
    assert.equal((await suggested(wanted)).length, 1);
    await suspend(banned.operatorId);
    assert.deepEqual(await suggested(wanted), []);
  });

  it('are none where no output is wanted', async () => assert.deepEqual(await suggested({ tags: ['x'] }), []));
});
