import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildOperator, suspend, unique, type TestOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform, type Reply, type Requester } from '../../support/service.ts';
import { publish, publishApproved, sealedSkill, type SkillList } from '../support.ts';

const browse = async (caller: Requester, query: Record<string, string | number>): Promise<SkillList> => {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return assertStatus(await caller.get<SkillList>(`/v1/skills?${search.toString()}`), 200);
};
const names = ({ skills }: SkillList): string[] => skills.map(({ name }) => name);

/** A word no other test of the suite uses, so that the marketplace around it does not matter. */
const word = (): string => `w${unique('x').slice(2)}`;

describe('GET /v1/skills', () => {
  let owner: TestOperator;
  let other: TestOperator;

  before(async () => {
    [owner, other] = await Promise.all([buildOperator(), buildOperator()]);
  });

  for (const name of ['tags[]', 'tags[0]', 'tags%5B%5D', 'status[eq]']) {
    it(`refuses ${name}, which would be ignored otherwise`, async () =>
      assertProblem(await other.get(`/v1/skills?${name}=x`), 'VALIDATION_ERROR', `query.${decodeURIComponent(name)}`));
  }

  it('ignores brackets behind a name that it does not know', async () =>
    assertStatus(await other.get('/v1/skills?other[]=x'), 200));

  it('requires authentication', async () => assertProblem(await anonymous().get('/v1/skills'), 'UNAUTHENTICATED'));

  it('shows active skills of everybody, newest first', async () => {
    const skill = await publish(owner);
    const { skills, limit, offset, total } = await browse(other, {});
    assert(skills.some(({ id }) => id === skill.id));
    assert.deepEqual(
      skills.map(({ created_at: at }) => at),
      skills
        .map(({ created_at: at }) => at)
        .toSorted()
        .toReversed(),
    );
    assert(skills.every(({ status }) => status === 'active'));
    assert.deepEqual([limit, offset], [20, 0]);
    assert(total >= skills.length);
  });

  it('leaves code and schemas out, for its owner too', async () => {
    const codeMembers = ['execution_steps', 'execution_script', 'dependencies', 'llm_config'];
    const tag = word();
    await publishApproved(owner, {
      execution_mode: 'source',
      execution_script: 'x',
      dependencies: '# none',
      llm_config: { max_tokens: 1 },
      tags: [tag],
    });
    for (const caller of [owner, other, platform()]) {
      const [skill] = (await browse(caller, { tags: tag })).skills;
      assert(skill !== undefined);
      for (const field of [...codeMembers, 'input_schema', 'output_schema']) assert(!(field in skill), field);
    }
  });

  describe('status', () => {
    const tag = word();
    before(async () => {
      for (const maker of [owner, other]) {
        await publish(maker, { ...sealedSkill, tags: [tag] });
        const suspended = await publish(maker, { tags: [tag] });
        assertStatus(await maker.post(`/v1/skills/${suspended.id}/suspend`), 200);
        const unlisted = await publish(maker, { tags: [tag] });
        assertStatus(await maker.post(`/v1/skills/${unlisted.id}/unlist`), 200);
      }
    });

    for (const status of ['pending_review', 'suspended', 'unlisted']) {
      it(`shows only the caller's own ${status} skills, and everybody's to the platform`, async () => {
        const own = await browse(owner, { tags: tag, status });
        assert.deepEqual(
          own.skills.map(({ operator_id: id }) => id),
          [owner.operatorId],
        );
        assert.equal((await browse(platform(), { tags: tag, status })).total, 2);
      });
    }

    it('finds them by words that no skill on the market has', async () => {
      assert.equal((await browse(owner, { q: tag, status: 'suspended' })).total, 1);
      assert.equal((await browse(owner, { q: tag })).total, 0);
    });

    it('shows none of them without it', async () => assert.equal((await browse(owner, { tags: tag })).total, 0));
  });

  it('leaves out what a suspended operator offers', async () => {
    const tag = word();
    const banned = await buildOperator();
    await publish(banned, { name: tag, tags: [tag] });
    const { total } = await browse(other, { tags: tag });
    assert.equal(total, 1);
    await suspend(banned.operatorId);
    for (const query of [{ tags: tag }, { search: tag }]) assert.equal((await browse(other, query)).total, 0);
    const newest = await browse(other, {});
    assert(newest.skills.every(({ operator_id: id }) => id !== banned.operatorId));
  });

  describe('trust_level and max_trust_level', () => {
    const tag = word();
    before(async () => {
      for (const level of ['L0', 'L1', 'L2'])
        await publish(owner, { name: unique(level.toLowerCase()), trust_level_required: level, tags: [tag] });
    });
    const levels = async (query: Record<string, string>) =>
      (await browse(other, { tags: tag, ...query })).skills.map((skill) => skill.trust_level_required).toSorted();

    it('filters by the level required, exactly', async () =>
      assert.deepEqual(await levels({ trust_level: 'L1' }), ['L1']));
    it('filters by the level required, at most', async () =>
      assert.deepEqual(await levels({ max_trust_level: 'L1' }), ['L0', 'L1']));
  });

  describe('tags', () => {
    const [a, b] = [word(), word()];
    before(async () => {
      await publish(owner, { name: 'both', tags: [a, b] });
      await publish(owner, { name: 'only-b', tags: [b, 'z'] });
      await publish(owner, { name: 'only-a', tags: [a] });
    });

    it('matches any, most in common first, then newest', async () => {
      assert.deepEqual(names(await browse(other, { tags: `${a},${b}` })), ['both', 'only-a', 'only-b']);
    });
    it('may be repeated', async () => {
      const { skills } = assertStatus(await other.get<SkillList>(`/v1/skills?tags=${a}&tags=${b}`), 200);
      assert.deepEqual(
        skills.map(({ name }) => name),
        ['both', 'only-a', 'only-b'],
      );
    });
    it('matches all with tags_match=all', async () =>
      assert.deepEqual(names(await browse(other, { tags: `${a},${b}`, tags_match: 'all' })), ['both']));
    it('is exact', async () => assert.equal((await browse(other, { tags: a.slice(0, -1) })).total, 0));
  });

  describe('search', () => {
    const w = word();
    before(async () => {
      await publish(owner, { name: `said-${w}`, description: 'Says it in its name' });
      await publish(owner, {
        name: 'in-passing',
        description: `Long and about other things, of which ${w} is one that stands near the end of it`,
      });
      await publish(owner, { name: 'often', description: `${w} ${w} ${w}` });
      await publish(owner, {
        name: `translate-${w}`,
        description: 'Summarizes node.js documents, the translations of invoices',
      });
    });

    it('puts the name before the description', async () => {
      const found = names(await browse(other, { search: w }));
      assert.deepEqual(found.toSorted(), ['in-passing', 'often', `said-${w}`, `translate-${w}`]);
      assert(found.indexOf(`said-${w}`) < found.indexOf('often'));
      assert(found.indexOf('often') < found.indexOf('in-passing'));
    });

    const finds: [how: string, search: string][] = [
      ['the beginning of the last word', `${w} summ`],
      ['the beginning of the last word, past its stem', `${w} summari`],
      ['another form of a word', `${w} translating document`],
      ['a word of the name between hyphens', `translate ${w}`],
      ['words whatever the order and the case', `INVOICE ${w.toUpperCase()}`],
      ['words with a stop word between', `${w} translations of the invoices`],
      ['a part of a dotted word', `${w} node`],
      ['words apart from any punctuation', `"${w}" & (node.js | !)`],
    ];
    for (const [how, search] of finds) {
      it(`finds ${how}, and puts it first`, async () =>
        assert.equal(names(await browse(other, { search }))[0], `translate-${w}`));
    }

    it('is the same as q', async () =>
      assert.deepEqual(names(await browse(other, { q: w })), names(await browse(other, { search: w }))));
    it('is none when empty', async () => assert((await browse(other, { search: ' ' })).total > 4));
    it('finds nothing for punctuation alone', async () =>
      assert.equal((await browse(other, { search: '?!' })).total, 0));
    it('finds a skill named by stop words alone', async () => {
      const how = await publish(owner, { name: unique('how-to') });
      const { skills } = await browse(other, { search: 'how to', limit: 100 });
      assert(skills.some(({ id }) => id === how.id));
    });

    it('is never a fault, no matter what is typed', async () => {
      const hostile = [
        "'",
        "' or 1=1; --",
        ':*',
        '!!!&&&|||',
        '<->',
        'a <-> b',
        "'a':B*",
        '\\',
        '%',
        '((((',
        'a:*b',
        '\u{10FFFF}',
        'x'.repeat(2_000),
        '😀'.repeat(1_000),
        '٣',
        'ﬁ',
      ];
      for (const search of hostile)
        assertStatus(await other.get(`/v1/skills?search=${encodeURIComponent(search)}`), 200);
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (search) => {
          const { status } = await other.get(`/v1/skills?search=${encodeURIComponent(search.toWellFormed())}`);
          assert(
            status === 200 || (status === 400 && search.includes('\0')),
            `${status} for ${JSON.stringify(search)}`,
          );
        }),
        { numRuns: 60 },
      );
    });
  });

  describe('limit and offset', () => {
    const tag = word();
    before(async () => {
      for (let at = 0; at < 5; at += 1) await publish(owner, { name: `page-${at}`, tags: [tag] });
    });

    it('pages without gap or overlap, and links to the neighbours', async () => {
      const seen: string[] = [];
      let path: string | undefined = `/v1/skills?tags=${tag}&limit=2`;
      const links: string[] = [];
      while (path !== undefined) {
        const reply: Reply<SkillList> = await other.get<SkillList>(path);
        seen.push(...names(assertStatus(reply, 200)));
        assert.equal(reply.body.total, 5);
        const link: string = reply.headers.get('link') ?? '';
        links.push(
          [...link.matchAll(/rel="(\w+)"/g)]
            .map(([, relation]) => relation ?? '')
            .toSorted()
            .join(' '),
        );
        path = /<([^>]+)>; rel="next"/.exec(link)?.[1]?.replace(/^https?:\/\/[^/]+/, '');
      }
      assert.deepEqual(seen, ['page-4', 'page-3', 'page-2', 'page-1', 'page-0']);
      assert.deepEqual(links, ['next', 'next prev', 'prev']);
    });

    it('gives the total past the end', async () => {
      const { skills, total } = await browse(other, { tags: tag, offset: 50 });
      assert.deepEqual([skills.length, total], [0, 5]);
    });

    for (const [name, value] of [
      ['limit', '0'],
      ['limit', '101'],
      ['limit', '1.5'],
      ['limit', 'all'],
      ['offset', '-1'],
      ['status', 'gone'],
      ['trust_level', 'L3'],
      ['tags_match', 'none'],
    ]) {
      it(`refuses ${name}=${value}`, async () =>
        assertProblem(await other.get(`/v1/skills?${name}=${value}`), 'VALIDATION_ERROR', `query.${name}`));
    }

    it('ignores parameters it does not know', async () => assertStatus(await other.get('/v1/skills?colour=red'), 200));
  });
});
