import assert from 'node:assert/strict';
import { z } from 'zod';
import { translateDatabaseError } from '../../src/database/errors.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { readSkill } from '../../src/skills/show-skill.ts';
import { newSkill, newWallet, run } from '../billing/ledger/ledger-world.ts';
import { eachWithinOneMonth } from '../billing/metering/counters.ts';
import { callOf, ownContext, type OwnContext } from '../invocations/own-context.ts';
import { roundsOf } from '../support/cases.ts';
import { rivals } from '../support/rivals.ts';

const Nothing = z.object({});
const ROUNDS = roundsOf(40, 9);
type Mode = 'none' | 'buyer_provides' | 'seller_provides' | 'both';

/** The refusal of a statement. */
async function refusalOf(statement: Promise<unknown>): Promise<CarnetError> {
  const refused = await statement.then(() => assert.fail('it is refused'), translateDatabaseError);
  assert(refused instanceof CarnetError, String(refused));
  return refused;
}

describe('The key that answers a model step', () => {
  let own: OwnContext;
  let db: DatabasePool;
  const has: Record<string, string> = {};
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    for (const who of ['nothing', 'a key', 'a key of another provider']) has[who] = await newWallet(db);
    for (const [who, provider] of [
      ['a key', 'openai'],
      ['a key of another provider', 'claude'],
    ] as const)
      await run(
        db,
        sql.fragment`
        insert into model_credentials (operator_id, provider, secret, last_four) values (${has[who] ?? ''}, ${provider}, 'sealed', '1111')`,
      );
  });
  after(() => own.close());

  const NAMED = [
    { provider: 'elsewhere', scopes: [] },
    { provider: 'openai', scopes: ['chat'] },
  ];
  const sourceOf = (
    mode: Mode,
    { buyer, seller, required = NAMED }: { buyer: string; seller: string; required?: object[] },
  ) =>
    db.oneFirst(sql.type(z.object({ source: z.string().nullable() }))`
      select llm_key_source(${has[buyer] ?? ''}, ${has[seller] ?? ''}, ${mode}, ${JSON.stringify(required)}::jsonb, 'openai') as source`);

  const [NONE, KEY, OTHER] = ['nothing', 'a key', 'a key of another provider'];
  for (const [mode, buyer, seller, source] of [
    ['none', KEY, KEY, 'platform'],
    ['buyer_provides', KEY, NONE, 'buyer'],
    ['buyer_provides', NONE, KEY, null],
    ['buyer_provides', OTHER, KEY, null],
    ['seller_provides', NONE, KEY, 'seller'],
    ['seller_provides', KEY, NONE, null],
    ['seller_provides', KEY, OTHER, null],
    ['both', KEY, KEY, 'buyer'],
    ['both', NONE, KEY, 'seller'],
    ['both', OTHER, KEY, 'seller'],
    ['both', KEY, NONE, 'buyer'],
    ['both', NONE, OTHER, null],
  ] as const)
    it(`is ${source ?? 'missing'} where the mode is ${mode}, the buyer has ${buyer} and the seller ${seller}`, async () => {
      assert.equal(await sourceOf(mode, { buyer, seller }), source);
    });

  for (const mode of ['buyer_provides', 'seller_provides', 'both'] as const)
    it(`is the platform’s in mode ${mode} where required_credentials do not name the provider`, async () => {
      for (const required of [[], [{ provider: 'openai-eu', scopes: ['openai'] }]])
        assert.equal(await sourceOf(mode, { buyer: KEY, seller: KEY, required }), 'platform');
    });

  for (const [mode, who, instead] of [
    ['buyer_provides', 'buyer', true],
    ['seller_provides', 'seller', false],
    ['both', 'either', true],
  ] as const)
    it(`is named where it is missing in mode ${mode}: CREDENTIAL_REQUIRED`, async () => {
      const { code, message, extra } = await refusalOf(
        db.query(sql.type(Nothing)`select refuse_missing_credential(${mode}, 'openai')`),
      );
      assert.equal(code, 'CREDENTIAL_REQUIRED');
      assert.deepEqual(extra, { provider: 'openai', who });
      assert.equal(message.includes('PUT /v1/credentials/openai'), instead);
    });
});

describe('Limits of a seller for their key', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let seller: string;
  let skill: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    seller = await newWallet(db);
  });
  beforeEach(async () => {
    skill = await newSkill(db, seller, { price: 0 });
  });
  eachWithinOneMonth();
  after(() => own.close());

  type Limit = { max_calls?: number; max_cost_cents?: number } | null;
  const begin = (limit: Limit, most: number): Promise<string> =>
    db.oneFirst(sql.type(z.object({ month: z.string() }))`
      select begin_seller_call(${skill}, ${limit === null ? null : JSON.stringify(limit)}::jsonb, ${most})::text as month`);
  const end = (month: string, { most, cost, made = true }: { most: number; cost: number | null; made?: boolean }) =>
    db.query(sql.type(Nothing)`select end_seller_call(${skill}, ${month}::date, ${most}, ${cost}, ${made})`);
  const used = () =>
    db.one(sql.type(z.object({ calls: z.number(), cost_microcents: z.number() }))`
      select coalesce(sum(calls), 0)::bigint as calls, coalesce(sum(cost_microcents), 0)::bigint as cost_microcents from seller_credential_use where skill_id = ${skill}`);

  it('is a number of calls a month of UTC: 409 SELLER_LIMIT_REACHED with when the next begins', async () => {
    for (let call = 0; call < 2; call += 1) await begin({ max_calls: 2 }, 5);
    const { code, extra } = await refusalOf(begin({ max_calls: 2 }, 5));
    assert.equal(code, 'SELLER_LIMIT_REACHED');
    const { max_calls: most, resets_at: resets, ...rest } = extra;
    assert.deepEqual([most, rest], [2, {}]);
    const at = new Date(String(resets));
    assert.equal(at.getTime(), Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
    assert(at.getTime() > Date.now() && at.getTime() <= Date.now() + 31 * 86_400_000);
    await run(db, sql.fragment`update seller_credential_use set month = month - 40 where skill_id = ${skill}`);
    await begin({ max_calls: 2 }, 5);
  });

  it('is a sum of cents, of which a call under way takes the most that it can cost', async () => {
    const limit = { max_cost_cents: 0.5 };
    const month = await begin(limit, 400_000);
    const { code, extra } = await refusalOf(begin(limit, 100_001));
    assert.equal(code, 'SELLER_LIMIT_REACHED');
    assert.equal(extra['max_cost_cents'], 0.5);
    assert.equal(extra['max_calls'], undefined);
    await end(month, { most: 400_000, cost: 100_000 });
    assert.deepEqual(await used(), { calls: 1, cost_microcents: 100_000 });
    await begin(limit, 400_000);
    assert.deepEqual(await used(), { calls: 2, cost_microcents: 500_000 });
  });

  it('is shown with what is used of it, to the owner alone', async () => {
    const [owner, other] = [seller, await newWallet(db)] as [OperatorId, OperatorId];
    skill = await newSkill(db, seller, { price: 0, mode: 'source' });
    await run(db, sql.fragment`update skills set credential_mode = 'both' where id = ${skill}`);
    await run(db, sql.fragment`insert into skill_code (skill_id, llm_enabled, llm_model) values (${skill}, true, 'm')`);
    const read = async (operator: OperatorId) => {
      const answer = await readSkill(own.context, callOf(operator, 'getSkill').caller, skill);
      return ('body' in answer ? answer.body : undefined)?.seller_credential_use;
    };
    const { resets_at: resets, ...nothing } = (await read(owner)) ?? {};
    assert.deepEqual(nothing, { calls: 0, cost_microcents: 0 });
    assert(Date.parse(String(resets)) > Date.now());
    await begin(null, 400);
    await end(await begin(null, 400), { most: 400, cost: 100 });
    assert.deepEqual(await read(owner), { calls: 2, cost_microcents: 500, resets_at: resets });
    assert.equal(await read(other), undefined);
  });

  it('counts a call whose cost nobody knows at the most, one that was not computed as a call, and none at more than the most', async () => {
    await end(await begin(null, 100), { most: 100, cost: null });
    assert.deepEqual(await used(), { calls: 1, cost_microcents: 100 });
    await end(await begin({}, 100), { most: 100, cost: 0 });
    assert.deepEqual(await used(), { calls: 2, cost_microcents: 100 });
    await end(await begin({}, 100), { most: 100, cost: 1_000 });
    assert.deepEqual(await used(), { calls: 3, cost_microcents: 200 });
    await end(await begin({}, 100), { most: 100, cost: 0, made: false });
    assert.deepEqual(await used(), { calls: 3, cost_microcents: 200 }, 'a call that was not made');
  });

  it('gives back in the month in which the call began', async () => {
    const month = await begin(null, 100);
    await run(db, sql.fragment`update seller_credential_use set month = '2020-01-01' where skill_id = ${skill}`);
    await begin(null, 100);
    await end('2020-01-01', { most: 100, cost: 0 });
    const left = await db.oneFirst(sql.type(z.object({ cost: z.number() }))`
      select cost_microcents as cost from seller_credential_use where skill_id = ${skill} and month = ${month}::date`);
    assert.equal(left, 100);
  });

  it('is nothing where it is 0, and no limit where it is left out', async () => {
    assert.equal((await refusalOf(begin({ max_calls: 0 }, 0))).code, 'SELLER_LIMIT_REACHED');
    assert.equal((await refusalOf(begin({ max_cost_cents: 0 }, 1))).code, 'SELLER_LIMIT_REACHED');
    assert.deepEqual(await used(), { calls: 0, cost_microcents: 0 }, 'a refused call takes nothing');
    for (const limit of [null, {}, { max_calls: 1e300 }, { max_cost_cents: 1e300 }]) await begin(limit, 1_000_000);
    assert.equal((await used()).calls, 4);
  });

  it(`holds against rivals: of 32 in parallel, ${ROUNDS} times, as many as it allows and no more`, async () => {
    const outcome = async (limit: Limit): Promise<string> => {
      try {
        await begin(limit, 300_000);
        return 'taken';
      } catch (error) {
        const refused = translateDatabaseError(error);
        if (refused instanceof CarnetError) return refused.code;
        throw error;
      }
    };
    const limits = [
      [{ max_calls: 7 }, 7],
      [{ max_cost_cents: 3 }, 10],
      [{ max_calls: 9, max_cost_cents: 3 }, 9],
    ] as const;
    for (let round = 0; round < ROUNDS; round += 1) {
      const [limit, allowed] = limits[round % limits.length] ?? limits[0];
      skill = await newSkill(db, seller, { price: 0 });
      const outcomes = await rivals(32, () => outcome(limit));
      assert.equal(outcomes.filter((one) => one === 'taken').length, allowed);
      assert.equal(outcomes.filter((one) => one === 'SELLER_LIMIT_REACHED').length, 32 - allowed);
      assert.deepEqual(await used(), { calls: allowed, cost_microcents: allowed * 300_000 });
    }
  }).timeout(300_000);
});
