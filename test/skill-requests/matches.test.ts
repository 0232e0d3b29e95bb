import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  comparableProperties,
  fitOf,
  reasonsFor,
  scoreOf,
  type CandidateSkill,
  type WantedSkill,
} from '../../src/skills/index.ts';
import { wantedBy } from '../../src/skill-requests/wanted.ts';
import { buildOperator, suspend, unique, type TestOperator } from '../support/factories.ts';
import { assertStatus } from '../support/service.ts';
import { publish, sealedSkill } from '../skills/support.ts';
import { fields, matchesOf, postRequest, schemaOf } from './support.ts';

describe('the matches of a request', () => {
  let provider: TestOperator;
  let asker: TestOperator;

  before(async () => {
    [provider, asker] = await Promise.all([buildOperator(), buildOperator()]);
  });

  it('weigh tags by half, input and output by a quarter each of what the request names', async () => {
    const [a, b, c, d] = fields('a', 'b', 'c', 'd');
    const [t, u] = [unique('t'), unique('u')];
    const all = await publish(provider, { tags: [t, u], input_schema: schemaOf(a), output_schema: schemaOf(c, d) });
    const half = await publish(provider, { tags: [t], input_schema: schemaOf(a, 'other'), output_schema: schemaOf(c) });
    const outputs = await publish(provider, {
      tags: [],
      input_schema: schemaOf('other'),
      output_schema: schemaOf(c, d),
    });
    const { id } = await postRequest(asker, {
      tags: [t, u],
      desired_input_schema: schemaOf(a, b),
      desired_output_schema: schemaOf(c, d),
    });
    const found = (await matchesOf(asker, id)).map(({ skill, score }) => [skill.id, score]);
    assert.deepEqual(found.slice(0, 2), [
      [all.id, 1],
      [half.id, 0.5 * 0.5 + 0.25 * 0.5 + 0.25 * 0.5],
    ]);
    assert.deepEqual(
      found.find(([skill]) => skill === outputs.id),
      [outputs.id, 0.25],
    );
  });

  it('are not of a suspended operator', async () => {
    const t = unique('t');
    const banned = await buildOperator();
    const { id: skill } = await publish(banned, { tags: [t] });
    const { id } = await postRequest(asker, { tags: [t], desired_input_schema: schemaOf('text') });
    const found = async () => (await matchesOf(asker, id)).some((match) => match.skill.id === skill);
    assert(await found());
    await suspend(banned.operatorId);
    assert(!(await found()));
  });

  it('give their reasons', async () => {
    const [a, c] = fields('a', 'c');
    const t = unique('t');
    const { id: skill } = await publish(provider, {
      tags: [t],
      input_schema: schemaOf(a),
      output_schema: schemaOf('x'),
    });
    const { id } = await postRequest(asker, {
      tags: [t],
      desired_input_schema: schemaOf(a),
      desired_output_schema: schemaOf(c),
    });
    const [best] = await matchesOf(asker, id);
    assert.equal(best?.skill.id, skill);
    assert.deepEqual(best.reasons, [
      `Has 1 of 1 tags: ${t}.`,
      `The desired input gives 1 of its 1 required inputs: ${a}.`,
      'Declares 0 of 1 required outputs.',
    ]);
  });

  it('compare types', async () => {
    const [a] = fields('a');
    const typed = (type: string) => ({ properties: { [a]: { type } }, required: [a] });
    const number = await publish(provider, { input_schema: typed('number'), output_schema: {} });
    const string = await publish(provider, { input_schema: typed('string'), output_schema: {} });
    const { id } = await postRequest(asker, {
      desired_input_schema: typed('string'),
      desired_output_schema: schemaOf('nowhere_to_be_found'),
    });
    const found = new Set((await matchesOf(asker, id)).map(({ skill }) => skill.id));
    assert(found.has(string.id) && !found.has(number.id));
  });

  it('leave out what is not offered', async () => {
    const [c] = fields('c');
    const wanted = { output_schema: schemaOf(c), price_per_invocation: 10 };
    const fit = await publish(provider, wanted);
    const others = [
      await publish(asker, wanted),
      await publish(provider, { ...wanted, price_per_invocation: 11 }),
      await publish(provider, { ...wanted, accepts_requests: false }),
      await publish(provider, { ...wanted, ...sealedSkill }),
    ];
    for (const action of ['suspend', 'unlist']) {
      const skill = await publish(provider, wanted);
      assertStatus(await provider.post(`/v1/skills/${skill.id}/${action}`), 200);
      others.push(skill);
    }
    const ours = new Set([fit, ...others].map(({ id: skillId }) => skillId));
    const { id } = await postRequest(asker, { desired_output_schema: schemaOf(c), max_price_cents: 10 });
    const found = (await matchesOf(provider, id)).filter(({ skill }) => ours.has(skill.id));
    assert.deepEqual(
      found.map(({ skill }) => skill.id),
      [fit.id],
    );
  });

  const open = { desired_input_schema: {} };
  const matchless: [what: string, request: () => Record<string, unknown>][] = [
    ['a tag', () => ({ tags: [unique('t')] })],
    ['an input', () => ({ desired_input_schema: schemaOf(...fields('a')) })],
    ['an output', () => ({ desired_output_schema: schemaOf(...fields('c')) })],
    ['an output, and leaves its input open', () => ({ ...open, desired_output_schema: schemaOf(...fields('c')) })],
    ['a word', () => ({ description: unique('word').replace('-', '') })],
    ['a word, and leaves its schemas open', () => ({ ...open, description: unique('word').replace('-', '') })],
  ];
  for (const [what, request] of matchless) {
    it(`are none where the request names ${what} that no skill has`, async () => {
      await publish(provider, { input_schema: {}, output_schema: {}, price_per_invocation: 0 });
      const { id } = await postRequest(asker, request());
      assert.deepEqual(await matchesOf(asker, id), []);
    });
  }

  it('leave out what a request does not name, so that what fits it wholly has the score 1', async () => {
    const [a, c] = fields('a', 'c');
    const t = unique('t');
    const { id: skill } = await publish(provider, {
      tags: [t],
      input_schema: schemaOf(a),
      output_schema: schemaOf(c),
    });
    const scores: unknown[] = [];
    for (const request of [
      { tags: [t] },
      { desired_input_schema: schemaOf(a) },
      { desired_output_schema: schemaOf(c) },
      { tags: [t], desired_output_schema: schemaOf('other', c) },
    ]) {
      const { id } = await postRequest(asker, request);
      scores.push((await matchesOf(asker, id)).map((match) => [match.skill.id, match.score]));
    }
    assert.deepEqual(scores, [[[skill, 1]], [[skill, 1]], [[skill, 1]], [[skill, 0.8333]]]);
  });

  it('are twenty at most, and the text decides among equals', async () => {
    const t = unique('t');
    const word = unique('word').replace('-', '');
    const named = await publish(provider, { tags: [t], description: `About ${word}` });
    for (let at = 0; at < 20; at += 1) await publish(provider, { tags: [t] });
    const { id } = await postRequest(asker, { tags: [t], description: `Something with ${word} in it` });
    const matches = await matchesOf(asker, id);
    assert.equal(matches.length, 20);
    assert.equal(matches[0]?.skill.id, named.id);
    assert(matches.every(({ score }) => score === 1));
  });

  it('are the best of all that are offered, by the score that is shown', async () => {
    const names = fields('a', 'b', 'c', 'd');
    const words = [unique('t'), unique('t'), unique('t')];
    const pick = <T>(from: T[], bits: number) => from.filter((_, at) => (bits >> at) & 1);
    const request = await postRequest(asker, {
      tags: words.slice(0, 2),
      desired_input_schema: schemaOf(...names.slice(0, 2)),
      desired_output_schema: schemaOf(...names.slice(2)),
    });
    const wanted = wantedBy(request);
    const scores: number[] = [];
    for (let at = 0; at < 48; at += 1) {
      const skill = await publish(provider, {
        tags: pick(words, (at * 5) % 8),
        input_schema: schemaOf(...pick(names, (at * 7) % 16), 'more'),
        output_schema: schemaOf(...pick(names, (at * 11) % 16)),
      });
      const compared = {
        ...skill,
        input_required: comparableProperties(skill.input_schema).required,
        output_declared: comparableProperties(skill.output_schema).declared,
      };
      scores.push(scoreOf(fitOf(wanted, compared as unknown as CandidateSkill)));
    }
    const best = scores.toSorted((a, b) => b - a).slice(0, 20);
    assert.deepEqual(
      (await matchesOf(asker, request.id)).map(({ score }) => score),
      best,
    );
  });

  it('are found by the words of the description where a request names nothing else', async () => {
    const [word, other] = [unique('word').replace('-', ''), unique('word').replace('-', '')];
    const half = await publish(provider, { description: `About ${other}` });
    const named = await publish(provider, { description: `About ${word} and the ${other}` });
    const { id } = await postRequest(asker, { description: `The ${word} of the ${other}` });
    assert.deepEqual(
      (await matchesOf(asker, id)).map(({ skill, score, reasons }) => [skill.id, score, reasons]),
      [
        [named.id, 1, ['Has 2 of 2 words of the description.']],
        [half.id, 0.5, ['Has 1 of 2 words of the description.']],
      ],
    );
  });
});

describe('the score of a match', () => {
  const field = fc.constantFrom('a:string', 'b:string', 'c:number', 'd:');
  const tag = fc.constantFrom('x', 'y', 'z');
  const some = (value: fc.Arbitrary<string>) => fc.uniqueArray(value);
  const wanted: fc.Arbitrary<WantedSkill> = fc.record({
    notOf: fc.constant('op_x'),
    maxPriceCents: fc.constant(null),
    tags: some(tag),
    inputDeclared: fc.option(some(field)),
    outputRequired: fc.option(some(field)),
    words: fc.constant([]),
  });
  const skill = fc.record({
    tags: some(tag),
    input_required: some(field),
    output_declared: some(field),
    words_found: fc.constant(1),
    words_compared: fc.constant(2),
  }) as fc.Arbitrary<unknown> as fc.Arbitrary<CandidateSkill>;

  it('is from 0 to 1, 1 only where everything fits, and every part has its reason', () => {
    fc.assert(
      fc.property(wanted, skill, (request, candidate) => {
        const fit = fitOf(request, candidate);
        const score = scoreOf(fit);
        const parts = Object.values(fit).filter((part) => part !== null);
        for (const part of parts) assert(part >= 0 && part <= 1);
        assert(score >= 0 && score <= 1);
        assert.equal(score === 1, parts.length > 0 && parts.every((part) => part === 1));
        assert.equal(score === 0, !parts.some((part) => part > 0));
        assert.equal(reasonsFor(request, candidate).length, parts.length);
      }),
    );
  });

  it('rises with one more thing in common', () => {
    fc.assert(
      fc.property(wanted, skill, tag, (request, candidate, more) => {
        fc.pre(request.tags.includes(more) && !candidate.tags.includes(more));
        assert(
          scoreOf(fitOf(request, { ...candidate, tags: [...candidate.tags, more] })) >
            scoreOf(fitOf(request, candidate)),
        );
      }),
    );
  });
});
