import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { newId } from '../../../src/ids/ids.ts';
import { agentLife, got, type AgentLife } from './agent-life.ts';

const [STANDARD, LOGGED, ENFORCED, TWIN] = [0, 1, 2, 3];
const DAY = 86_400;
const longIntent = { summary: 'A long work', services: [], estimated_duration_seconds: DAY, will_delegate: true };
const newX = (): string => Buffer.from(newId('key').slice(-32).padStart(32, '0')).toString('base64url');

describe('accountability over time', function () {
  this.timeout(300_000);
  let own: OwnContext;
  let life: AgentLife;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());
  beforeEach(async () => {
    life = await agentLife(own);
  });

  const issue = async (agent: number, more: Record<string, unknown> = {}) =>
    got(await life.issue({ agent_id: life.agents[agent]?.id ?? '', ...more }));
  const tryIssue = (agent: number) => life.issue({ agent_id: life.agents[agent]?.id ?? '' });

  describe('the longest silence of an enforced agent', () => {
    it('is no longer for a short time to live', async () => {
      const { jti } = await issue(ENFORCED, { ttl_seconds: 60 });
      await life.passes(370);
      assert.deepEqual(await life.missesOf(jti), []);
      await life.passes(10);
      assert.deepEqual(await life.missesOf(jti), ['missed_checkpoint']);
    });

    it('is no longer for an estimate, nor is the checkout expected later once it was flagged', async () => {
      const { jti } = await issue(ENFORCED, { ttl_seconds: 60, intent: longIntent });
      await life.passes(380);
      assert.deepEqual(await life.missesOf(jti), ['missed_checkpoint']);
      assert.equal(await tryIssue(ENFORCED), 'AGENT_REVIEW_PENDING', 'expected by the expiry, which has passed');
      await life.passes(600);
      assert.equal((await life.missesOf(jti)).at(-1), 'missed_checkout');
    });

    it('is no longer for new passports, whichever of them live', async () => {
      const first = await issue(ENFORCED, { ttl_seconds: 60, intent: longIntent });
      for (let nth = 0; nth < 5; nth += 1) {
        await life.passes(74);
        await issue(ENFORCED, { ttl_seconds: 60, intent: longIntent });
      }
      assert.deepEqual(await life.missesOf(first.jti), []);
      await life.passes(10);
      assert.deepEqual(await life.missesOf(first.jti), ['missed_checkpoint']);
    });

    it('is no longer for a revocation of its passports', async () => {
      const { jti } = await issue(ENFORCED);
      await life.passes(370);
      await life.revoke(jti);
      await issue(ENFORCED);
      await life.passes(10);
      assert.deepEqual(await life.missesOf(jti), ['missed_checkpoint']);
    });

    it('ends with a report by any of its passports, once one has expired', async () => {
      const short = await issue(ENFORCED, { ttl_seconds: 60 });
      const long = await issue(ENFORCED, { ttl_seconds: 3_600 });
      for (let nth = 0; nth < 2; nth += 1) {
        await life.passes(290);
        assert.equal(await life.checkpoint(long.jti), null);
      }
      await life.passes(290);
      assert.deepEqual(await life.missesOf(short.jti), []);
      assert.equal(await life.checkout(short.jti), null);
    });

    it('is flagged by a report that comes too late, also where no life has looked', async () => {
      const short = await issue(ENFORCED, { ttl_seconds: 60 });
      await life.passes(100);
      const long = await issue(ENFORCED, { ttl_seconds: 3_600 });
      await own.context.pool.query(sql.type(z.object({}))`
        update passport_lineages set started_at = started_at - interval '280 seconds', latest_expiry = latest_expiry - interval '280 seconds',
          next_checkpoint_due_at = next_checkpoint_due_at - interval '280 seconds' where operator_id = ${life.operatorId}`);
      assert.equal(await life.checkpoint(long.jti), null);
      assert.deepEqual(await life.missesOf(short.jti), ['missed_checkpoint']);
    });

    it('begins at the issue after a pause without passports', async () => {
      const first = await issue(ENFORCED);
      assert.equal(await life.checkout(first.jti), null);
      await life.passes(5_000);
      const second = await issue(ENFORCED);
      await life.passes(370);
      assert.deepEqual(await life.missesOf(second.jti), []);
      await life.passes(10);
      assert.deepEqual(await life.missesOf(second.jti), ['missed_checkpoint']);
    });
  });

  describe('a critical flag', () => {
    it('leaves the expected checkout where it is: a refresh ends by it, and past it nothing is issued, refreshed or delegated', async () => {
      const flagged = await issue(ENFORCED, { ttl_seconds: 900 });
      const other = await issue(ENFORCED, { ttl_seconds: 3_600 });
      assert.equal(await life.checkpoint(flagged.jti, { services_used: ['undeclared'] }), null);
      assert.equal(await life.checkpoint(other.jti), null);
      const refreshed = got(await life.refresh({ token: flagged.token, ttl_seconds: 3_600 }));
      assert.equal(refreshed.exp, flagged.exp);
      await life.passes(890);
      got(await tryIssue(ENFORCED));
      await life.passes(20);
      assert.equal(await tryIssue(ENFORCED), 'AGENT_REVIEW_PENDING');
      assert.equal(await life.refresh({ token: other.token }), 'AGENT_REVIEW_PENDING');
      const delegation = { child_agent_id: life.agents[STANDARD]?.id ?? '', scopes: [] };
      assert.equal(await life.delegate({ parent_passport_token: other.token, ...delegation }), 'AGENT_REVIEW_PENDING');
      assert.equal(await life.checkout(flagged.jti), null);
      assert.equal(await tryIssue(ENFORCED), 'AGENT_REVIEW_PENDING', 'held by the review');
      await life.approveAll();
      got(await tryIssue(ENFORCED));
    });

    it('is raised by the refresh itself where a checkpoint was missed', async () => {
      const passport = await issue(ENFORCED, { ttl_seconds: 900 });
      await own.context.pool.query(sql.type(z.object({}))`
        update passport_lineages set next_checkpoint_due_at = next_checkpoint_due_at - interval '380 seconds' where id = ${passport.jti}`);
      assert.equal(got(await life.refresh({ token: passport.token, ttl_seconds: 3_600 })).exp, passport.exp);
      assert.deepEqual(await life.missesOf(passport.jti), ['missed_checkpoint']);
    });
  });

  describe('a checkout', () => {
    it('of an enforced agent ends its passports and what was delegated from them, and takes back no claim', async () => {
      const parent = await issue(ENFORCED);
      const refreshed = got(await life.refresh({ token: parent.token }));
      const scopes: [] = [];
      const child = got(
        await life.delegate({
          parent_passport_token: parent.token,
          child_agent_id: life.agents[STANDARD]?.id ?? '',
          scopes,
        }),
      );
      assert.equal(await life.checkpoint(parent.jti), null);
      assert.equal(await life.checkout(parent.jti), null);
      assert.deepEqual(
        [await life.verify(parent.token), await life.verify(refreshed.token), await life.verify(child.token)],
        ['revoked', 'revoked', 'ancestor_revoked'],
      );
      const Row = z.object({ reason: z.string(), claims: z.number(), taken: z.number() });
      const rows = await own.context.pool.any(sql.type(Row)`
        select p.revoke_reason as reason, count(c.id)::int as claims, count(c.revoked_at)::int as taken
        from passports p left join claims c on c.passport_jti = p.jti where p.operator_id = ${life.operatorId} group by p.jti order by p.jti`);
      assert.deepEqual(rows, [
        { reason: 'checked_out', claims: 2, taken: 0 },
        { reason: 'checked_out', claims: 0, taken: 0 },
        { reason: 'checked_out', claims: 0, taken: 0 },
      ]);
      assert.equal(await life.refresh({ token: refreshed.token }), 'ALREADY_CHECKED_OUT');
      assert.equal(await life.checkpoint(parent.jti), 'ALREADY_CHECKED_OUT');
      assert.equal(await life.checkout(child.jti), null, 'the child still owes its own');
    });

    it('of a logged agent ends no passport', async () => {
      const passport = await issue(LOGGED);
      assert.equal(await life.checkout(passport.jti), null);
      assert.equal(await life.verify(passport.token), 'valid');
    });

    it('while passports are delegated from it: no child stays good', async () => {
      for (let round = 0; round < 10; round += 1) {
        const parent = await issue(ENFORCED);
        const delegation = { child_agent_id: life.agents[STANDARD]?.id ?? '', scopes: [] };
        const [outcome] = await Promise.all([
          life.delegate({ parent_passport_token: parent.token, ...delegation }),
          life.checkout(parent.jti),
        ]);
        if (typeof outcome === 'string') assert.equal(outcome, 'ALREADY_CHECKED_OUT');
        else assert.equal(await life.verify(outcome.token), 'ancestor_revoked');
      }
    });
  });

  describe('agents with one key', () => {
    it('are held to what the strictest of them is that has or had it, with the shortest interval', async () => {
      const x = newX();
      await life.setKey(ENFORCED, x);
      await life.setMode(ENFORCED, 'enforced', 60);
      await life.setKey(TWIN, x);
      assert.equal((await issue(TWIN)).mode, 'enforced');
      await life.setKey(ENFORCED, null);
      await life.setKey(TWIN, newX());
      const { jti, mode } = await issue(TWIN);
      assert.equal(mode, 'enforced', 'had it');
      await life.passes(95);
      assert.deepEqual(await life.missesOf(jti), ['missed_checkpoint'], 'after 60 seconds and 30');
      assert.equal((await issue(STANDARD)).mode, 'standard');
    });

    it('are held together, also where one gets the key while the other is held', async () => {
      const passport = await issue(ENFORCED);
      assert.equal(await life.checkout(passport.jti, { services_used: ['undeclared'] }), null);
      const x = newX();
      await life.setKey(ENFORCED, x);
      await life.setKey(TWIN, x);
      assert.equal(await tryIssue(TWIN), 'AGENT_REVIEW_PENDING');
      await life.setKey(ENFORCED, null);
      await life.setKey(TWIN, null);
      assert.equal(await tryIssue(TWIN), 'AGENT_REVIEW_PENDING', 'had it');
      await life.approveAll();
      got(await tryIssue(TWIN));
    });
  });

  describe('an agent that is made stricter', () => {
    it('is held to it from the next refresh on, and so is what it delegates', async () => {
      const passport = await issue(STANDARD);
      const before = got(
        await life.delegate({
          parent_passport_token: passport.token,
          child_agent_id: life.agents[TWIN]?.id ?? '',
          scopes: [],
        }),
      );
      assert.equal(before.mode, 'standard');
      await life.setMode(STANDARD, 'enforced', 60);
      const delegated = await life.delegate({
        parent_passport_token: passport.token,
        child_agent_id: life.agents[TWIN]?.id ?? '',
        scopes: [],
      });
      assert.equal(got(delegated).mode, 'enforced', 'by an older passport of it too');
      const refreshed = got(await life.refresh({ token: passport.token }));
      assert.equal(refreshed.mode, 'enforced');
      assert.equal(got(await life.refresh({ token: before.token })).mode, 'enforced', 'as its parent is');
      await life.passes(95);
      assert.deepEqual(await life.missesOf(refreshed.jti), ['missed_checkpoint']);
      await life.setMode(STANDARD, 'standard');
      assert.equal(got(await life.refresh({ token: refreshed.token })).mode, 'enforced', 'never weaker');
    });
  });

  /** Seconds that an enforced agent of the model may be silent, and how far the clocks of rows and of a commit differ. */
  const [INTERVAL, SILENCE, SLACK] = [300, 375, 2];
  const agent = fc.constantFrom(ENFORCED, TWIN, STANDARD, LOGGED);
  const of = fc.nat();
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        act: fc.constant('issue' as const),
        agent,
        ttl: fc.constantFrom(60, 200, 900, 3_600),
        estimate: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ act: fc.constant('refresh' as const), of, ttl: fc.constantFrom(60, 900, 3_600) }),
    },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('delegate' as const), of, agent }) },
    { weight: 4, arbitrary: fc.record({ act: fc.constant('checkpoint' as const), of }) },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('checkout' as const), of }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('revoke' as const), of }) },
    {
      weight: 2,
      arbitrary: fc.record({ act: fc.constant('key' as const), agent, key: fc.constantFrom('a', 'b', null) }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('approve' as const) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('stricter' as const), agent }) },
    {
      weight: 8,
      arbitrary: fc.record({
        act: fc.constant('pass' as const),
        seconds: fc.constantFrom(10, 50, 100, 150, 200, 290, 365, 385, 700),
      }),
    },
  );
  type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

  const Moments = z.object({
    lineage: z.string(),
    agent: z.string(),
    from: z.number(),
    until: z.number(),
    ended: z.number(),
    reports: z.array(z.number()),
    misses: z.array(z.number()),
    due: z.array(z.number()),
  });

  it('through any life of agents: no silence longer than promised without a flag, and no flag for who kept their word', async () => {
    let [flags, silences, kept] = [0, 0, 0];
    const play = async (steps: Step[]): Promise<void> => {
      const one = await agentLife(own);
      const keys = { a: newX(), b: newX() };
      const modes = one.agents.map(({ accountability }) => accountability as string);
      const had = one.agents.map(() => new Set<string>());
      const passports: { jti: string; token: string; agent: number }[] = [];
      /** When a lineage of a weaker mode was made enforced, in seconds of the model. */
      const stricterSince = new Map<string, number>();
      let passed = 0;
      const now = async (): Promise<number> =>
        passed +
        (await own.context.pool.oneFirst(
          sql.type(z.object({ at: z.number() }))`select extract(epoch from clock_timestamp())::float8 as at`,
        ));
      /** Whether a key makes the agent enforced. */
      const isEnforced = (who: number): boolean =>
        modes.some(
          (mode, other) =>
            mode === 'enforced' && (other === who || [...(had[who] ?? [])].some((key) => had[other]?.has(key))),
        );
      const learn = (outcome: Awaited<ReturnType<AgentLife['issue']>>, who: number): string | null => {
        if (typeof outcome === 'string') return null;
        const { jti, token, mode } = got(outcome);
        if (isEnforced(who)) assert.equal(mode, 'enforced');
        passports.push({ jti, token, agent: who });
        return mode;
      };
      for (const taken of steps) {
        if (taken.act === 'pass') {
          await one.passes(taken.seconds);
          passed += taken.seconds;
        } else if (taken.act === 'approve') await one.approveAll();
        else if (taken.act === 'stricter') {
          modes[taken.agent] = 'enforced';
          await one.setMode(taken.agent, 'enforced');
        } else if (taken.act === 'key') {
          if (taken.key !== null) had[taken.agent]?.add(taken.key);
          await one.setKey(taken.agent, taken.key === null ? null : keys[taken.key]);
        } else if (taken.act === 'issue') {
          const outcome = await one.issue({
            agent_id: one.agents[taken.agent]?.id ?? '',
            ttl_seconds: taken.ttl,
            ...(taken.estimate && { intent: longIntent }),
          });
          learn(outcome, taken.agent);
        } else {
          const passport = passports[taken.of % Math.max(1, passports.length)];
          if (passport === undefined) continue;
          const { jti, token } = passport;
          if (taken.act === 'checkpoint') await one.checkpoint(jti);
          else if (taken.act === 'checkout') await one.checkout(jti);
          else if (taken.act === 'revoke') await one.revoke(jti);
          else if (taken.act === 'delegate') {
            const child = one.agents[taken.agent]?.id ?? '';
            learn(await one.delegate({ parent_passport_token: token, child_agent_id: child, scopes: [] }), taken.agent);
          } else {
            const Mode = z.object({ id: z.string(), accountability: z.string() });
            const before = await own.context.pool.one(sql.type(Mode)`
              select l.id, l.accountability from passport_lineages l join passports p on p.lineage_id = l.id where p.jti = ${jti}`);
            const mode = learn(await one.refresh({ token, ttl_seconds: taken.ttl }), passport.agent);
            if (mode === 'enforced' && before.accountability !== 'enforced') stricterSince.set(before.id, await now());
          }
        }
      }
      await one.passes(2_000);
      passed += 2_000;
      const moments = await own.context.pool.any(sql.type(Moments)`
        select l.id as lineage, l.agent_id as agent, extract(epoch from l.started_at)::float8 as from,
          extract(epoch from least(l.checked_out_at, l.checkout_missed_at, clock_timestamp()))::float8 as until,
          extract(epoch from least(l.latest_expiry, l.revoked_at))::float8 as ended,
          array(select extract(epoch from at)::float8 from (
            select submitted_at as at from checkpoints c where c.lineage_id = l.id
            union all select submitted_at from checkouts c where c.lineage_id = l.id and submitted_at is not null) as r order by at) as reports,
          array(select extract(epoch from raised_at)::float8 from passport_flags f
            where f.lineage_id = l.id and f.type like 'missed%' order by f.id) as misses,
          array(select extract(epoch from occasion::timestamptz)::float8 from passport_flags f
            where f.lineage_id = l.id and f.type = 'missed_checkpoint' order by f.id) as due
        from passport_lineages l where l.operator_id = ${one.operatorId} and l.accountability = 'enforced'`);
      const reportsOf = await own.context.pool.any(sql.type(z.object({ agent: z.string(), at: z.number() }))`
        select l.agent_id as agent, extract(epoch from c.submitted_at)::float8 as at
        from checkpoints c join passport_lineages l on l.id = c.lineage_id where l.operator_id = ${one.operatorId}
        union all select agent_id, extract(epoch from submitted_at)::float8 from checkouts
        where operator_id = ${one.operatorId} and submitted_at is not null`);
      for (const { id } of one.agents) {
        const reports = reportsOf.flatMap(({ agent: by, at }) => (by === id ? [at] : [])).toSorted((a, b) => a - b);
        const open = moments
          .filter(({ agent: holder }) => holder === id)
          .map((lineage) => {
            const since = stricterSince.get(lineage.lineage);
            return { ...lineage, from: since === undefined ? lineage.from : since - passed };
          })
          .toSorted((a, b) => a.from - b.from);
        const misses = open.flatMap((lineage) => lineage.misses);
        // The stretches during which something of the agent is open.
        const stretches: { from: number; until: number }[] = [];
        for (const { from, until } of open) {
          const last = stretches.at(-1);
          if (last !== undefined && from <= last.until) last.until = Math.max(last.until, until);
          else stretches.push({ from, until });
        }
        for (const { from, until } of stretches) {
          const marks = [from, ...reports.filter((at) => at > from && at < until), until];
          for (const [index, begin] of marks.slice(0, -1).entries()) {
            const end = marks[index + 1] as number;
            if (end - begin <= SILENCE + SLACK) kept += 1;
            else {
              silences += 1;
              assert(
                misses.some((at) => at >= begin && at <= end + SLACK),
                `silent for ${end - begin} s without a flag`,
              );
            }
          }
        }
        for (const lineage of open)
          for (const due of lineage.due) {
            flags += 1;
            const [begin, end] = [due - INTERVAL + SLACK, due + SILENCE - INTERVAL - SLACK];
            const counted = end + SLACK > lineage.ended + SLACK ? reports : lineage.reports;
            assert(!counted.some((at) => at > begin && at < end), `flagged, though it had reported: due ${due}`);
            assert(begin >= lineage.from - SLACK && end <= lineage.until + SLACK, 'flagged while nothing was open');
          }
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), play), { numRuns: 60 });
    assert(flags > 0 && silences > 0 && kept > 0, JSON.stringify({ flags, silences, kept }));
  });
});
