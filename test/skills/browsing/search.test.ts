import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ListedSkill } from '../../../src/skills/schema.ts';
import { eventually } from '../../support/eventually.ts';
import { buildOperator, suspend, unique, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, platform, type Requester } from '../../support/service.ts';
import { complete, publish, sealedSkill, type SkillList } from '../support.ts';

type Page = SkillList & { next_cursor: string | null; has_more: boolean };

const browse = async (caller: Requester, query: Record<string, string | number>): Promise<Page> => {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return assertStatus(await caller.get<Page>(`/v1/skills?${search.toString()}`), 200);
};
const names = ({ skills }: { skills: ListedSkill[] }): string[] => skills.map(({ name }) => name);

/** A word of letters that no other test uses, and that is spelled unlike any other. */
const word = (): string =>
  `q${[...Buffer.from(randomUUID().replaceAll('-', ''))]
    .map((letter) => String.fromCodePoint(97 + (letter % 26)))
    .join('')
    .slice(0, 20)}`;

describe('q of GET /v1/skills', () => {
  let owner: TestOperator;
  let other: TestOperator;

  before(async () => {
    [owner, other] = await Promise.all([buildOperator(), buildOperator()]);
  });

  it('finds "uppercase a string" in "Turns text into upper case"', async () => {
    const maker = await buildOperator();
    const { id } = await publish(maker, { name: 'text-upper', description: 'Turns text into upper case' });
    await publish(maker, { name: 'string-length', description: 'Counts the letters of a string' });
    const { skills } = await browse(other, { q: 'uppercase a string', limit: 100 });
    assert(skills.some((skill) => skill.id === id));
    const joined = word();
    await publish(maker, { name: 'in-one', description: `Makes ${joined}board of it` });
    assert.deepEqual(names(await browse(other, { q: `${joined} board` })), ['in-one']);
  });

  it('ranks more words before fewer, and a name before a description before a tag', async () => {
    const [one, two] = [word(), word()];
    await publish(owner, { name: 'of-tag', tags: [one] });
    await publish(owner, { name: 'of-description', description: `It is ${one}` });
    await publish(owner, { name: `of-name-${one.slice(0, 40)}`, description: 'x' });
    await publish(owner, { name: 'of-both', description: `It is ${one} and ${two}` });
    assert.deepEqual(names(await browse(other, { q: `${one.slice(0, 40)} ${two}` }))[0], 'of-both');
    assert.deepEqual(
      names(await browse(other, { q: one })).slice(0, 4),
      [`of-name-${one.slice(0, 40)}`, 'of-both', 'of-description', 'of-tag'].filter(
        (name) => one.length <= 40 || !name.startsWith('of-name'),
      ),
    );
  });

  it('ranks a rare word before a frequent one', async () => {
    const [frequent, rare] = [word(), word()];
    for (let at = 0; at < 5; at += 1) await publish(owner, { name: unique('freq'), description: `All ${frequent}` });
    await publish(owner, { name: 'has-rare', description: `All ${rare}` });
    const found = names(await browse(other, { q: `${frequent} ${rare}` }));
    assert.deepEqual([found.length, found[0]], [6, 'has-rare']);
  });

  it('finds a word with one letter left out, added, changed or exchanged', async () => {
    const right = word().slice(0, 12).padEnd(9, 'z');
    await publish(owner, { name: unique('typo'), description: `It ${right}` });
    const typed = [
      right.slice(0, 4) + right.slice(5),
      `${right.slice(0, 4)}y${right.slice(4)}`,
      `${right.slice(0, 4)}0${right.slice(5)}`,
      right.slice(0, 4) + right.charAt(5) + right.charAt(4) + right.slice(6),
    ];
    for (const q of typed) assert.equal((await browse(other, { q })).total, 1, `${q} for ${right}`);
  });

  it('finds a word of three letters', async () => {
    const [one, two] = [word(), word()];
    const short = `${one.slice(1, 3)}9`;
    const { id } = await publish(owner, { name: unique('short'), description: `${short} ${two}` });
    const { skills } = await browse(other, { q: short, sort: 'newest', limit: 100 });
    assert(skills.some((skill) => skill.id === id));
  });

  it('brings no neighbour of a word that is spelled as some skill has it', async () => {
    const right = word().slice(0, 12).padEnd(9, 'z');
    const near = `${right.slice(0, 4)}0${right.slice(5)}`;
    await publish(owner, { name: 'right-one', description: `It ${right}` });
    await publish(owner, { name: 'near-one', description: `It ${near}` });
    assert.deepEqual(names(await browse(other, { q: right })), ['right-one']);
    assert.deepEqual(names(await browse(other, { q: near })), ['near-one']);
  });

  it('finds what a skill says now, and no more what it said', async () => {
    const [before, after] = [word(), word()];
    const { id } = await publish(owner, { name: unique('changes'), description: before, tags: [before] });
    const totals = async () =>
      await Promise.all(
        [{ q: before }, { q: after }, { tags: before }, { tags: after }].map(
          async (query) => (await browse(other, query)).total,
        ),
      );
    assert.deepEqual(await totals(), [1, 0, 1, 0]);
    assertStatus(await owner.patch(`/v1/skills/${id}`, { description: after, tags: [after] }), 200);
    assert.deepEqual(await totals(), [0, 1, 0, 1]);
    assertStatus(await owner.post(`/v1/skills/${id}/suspend`), 200);
    assert.deepEqual(await totals(), [0, 0, 0, 0]);
    assertStatus(await owner.post(`/v1/skills/${id}/activate`), 200);
    assert.deepEqual(await totals(), [0, 1, 0, 1]);
  });

  it('never tells of skills that are not on the market', async () => {
    const hidden = word().slice(0, 12).padEnd(9, 'z');
    const shown = `${hidden.slice(0, 4)}0${hidden.slice(5)}`;
    const typed = `${hidden.slice(0, 4)}1${hidden.slice(5)}`;
    const banned = await buildOperator();
    const secret = { description: `It ${hidden}`, tags: [hidden] };
    await publish(owner, { ...sealedSkill, ...secret });
    const { id } = await publish(owner, secret);
    assertStatus(await owner.post(`/v1/skills/${id}/unlist`), 200);
    await publish(banned, secret);
    await suspend(banned.operatorId);
    for (const q of [hidden, typed]) assert.equal((await browse(other, { q })).total, 0);
    await publish(other, { name: unique('shown'), description: `It ${shown}` });
    // The hidden word is not taken as known: what is on the market is found in its place, as for any other misspelt word.
    for (const q of [hidden, typed]) assert.equal((await browse(other, { q })).total, 1);
  });

  for (const [q, why] of [
    ['a '.repeat(33), 'more than 32 words'],
    ['x'.repeat(2_001), 'more than 2,000 characters'],
    ['a\0b', 'a control character'],
  ] as const) {
    it(`refuses ${why}`, async () =>
      assertProblem(await other.get(`/v1/skills?q=${encodeURIComponent(q)}`), 'VALIDATION_ERROR', 'query.q'));
  }
});

describe('sort, max_price_cents and cursor of GET /v1/skills', () => {
  const tag = word().slice(0, 20);
  let owner: TestOperator;
  let other: TestOperator;

  before(async () => {
    [owner, other] = await Promise.all([buildOperator(), buildOperator()]);
    const made = [];
    for (const price of [3, 0, 0, 2, 1])
      made.push(
        await publish(owner, {
          name: unique(`p${price}`),
          description: `It ${tag}`,
          tags: [tag],
          price_per_invocation: price,
        }),
      );
    const [, second, third] = made;
    assert(second !== undefined && third !== undefined);
    await complete(other, owner, third.id);
    assertStatus(await other.post(`/v1/skills/${second.id}/rate`, { rating: 2 }), 200);
    assertStatus(await other.post(`/v1/skills/${third.id}/rate`, { rating: 5 }), 200);
    // Its life counts the run, which changes the order by use.
    await eventually('the run to be counted', async () => {
      const { invocation_count: count } = await other
        .get<ListedSkill>(`/v1/skills/${third.id}`)
        .then(({ body }) => body);
      return count === 1;
    });
  });

  it('keeps what costs at most so much', async () => {
    const { skills, total } = await browse(other, { tags: tag, max_price_cents: 1 });
    assert.deepEqual([total, skills.every(({ price_per_invocation: cents }) => cents <= 1)], [3, true]);
  });

  it('begins with the lowest price, the best rated, the most used, the newest', async () => {
    const prices = (await browse(other, { tags: tag, sort: 'price' })).skills.map(
      (skill) => skill.price_per_invocation,
    );
    assert.deepEqual(prices, [0, 0, 1, 2, 3]);
    const rated = (await browse(other, { q: tag, sort: 'rating' })).skills.map((skill) => skill.average_rating);
    assert.deepEqual(rated, [5, 2, null, null, null]);
    const newest = (await browse(other, { q: tag, sort: 'newest' })).skills.map(({ created_at: at }) => at);
    assert.deepEqual(newest, newest.toSorted().toReversed());
    assert.equal((await browse(other, { q: tag, sort: 'most_used' })).total, 5);
  });

  for (const sort of ['relevance', 'price', 'rating', 'newest', 'most_used']) {
    it(`reads on by cursor, sorted by ${sort}, while another skill is published`, async () => {
      const whole = names(await browse(other, { q: tag, sort }));
      const seen: string[] = [];
      let cursor: string | null | undefined;
      for (let at = 0; cursor !== null && at < 10; at += 1) {
        const page: Page = await browse(other, { q: tag, sort, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...names(page));
        cursor = page.next_cursor;
        if (at > 0) continue;
        const further = await publish(owner, {
          name: unique('new'),
          description: `It ${tag} ${tag}`,
          price_per_invocation: 9,
        });
        assertStatus(await owner.post(`/v1/skills/${further.id}/unlist`), 200);
      }
      assert.deepEqual(seen, whole);
      assert.equal(new Set(seen).size, 5);
    });
  }

  it('refuses a cursor of another sort or search', async () => {
    const { next_cursor: cursor } = await browse(other, { q: tag, limit: 2 });
    assert(cursor !== null);
    const ask = (query: string) => other.get(`/v1/skills?cursor=${encodeURIComponent(cursor)}&${query}`);
    assertProblem(await ask(`q=${tag}&sort=price`), 'INVALID_CURSOR');
    assertProblem(await ask('q=other'), 'INVALID_CURSOR');
    assertProblem(await other.get('/v1/skills?cursor=x'), 'INVALID_CURSOR');
  });

  for (const query of ['sort=best', 'max_price_cents=-1', 'max_price_cents=1.5', 'max_price_cents=cheap']) {
    it(`refuses ${query}`, async () =>
      assertProblem(await other.get(`/v1/skills?${query}`), 'VALIDATION_ERROR', `query.${query.split('=')[0]}`));
  }

  it('names the seller, verified once the platform has recorded a claim about it', async () => {
    const seller = await buildOperator();
    const { id } = await publish(seller);
    const read = async () => assertStatus(await other.get<ListedSkill>(`/v1/skills/${id}`), 200).seller;
    assert.equal((await read()).verified, false);
    assertStatus(
      await platform().post('/v1/identity-claims', {
        operator_id: seller.operatorId,
        provider: 'registry',
        layer: 'legal',
        claim_type: 'kyb',
        assurance_level: 'substantial',
      }),
      201,
    );
    const listed = (await browse(seller, { limit: 100 })).skills.find((skill) => skill.id === id);
    assert.equal(listed?.seller.verified, true);
  });
});
