import assert from 'node:assert/strict';
import { z } from 'zod';
import { credentialEncryptionContext } from '../../../src/credentials/encryption.ts';
import { sql } from '../../../src/database/pool.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';
import { run, walletOf } from '../../billing/ledger/ledger-world.ts';
import { eachWithinOneMonth } from '../../billing/metering/counters.ts';
import { answered, modelStep, eachExecution, type Execution } from './execution-world.ts';

const Call = z.object({ meter: z.string().nullable(), cost: z.number(), charged: z.number() });
/** 50 tokens read at 2 microcents and 20 written at 10. */
const COST = 300;
type Mode = 'none' | 'buyer_provides' | 'seller_provides' | 'both';

describe('the keys that model steps are asked with', () => {
  eachWithinOneMonth();
  let { own, db, world, consumer: buyer, provider: seller } = {} as Execution;
  eachExecution(
    { consumer: 1_000, provider: 100 },
    (made) => ({ own, db, world, consumer: buyer, provider: seller } = made),
  );

  /** Both have a key. */
  const enter = async (operator: string, key: string): Promise<void> => {
    const secret = own.context.encryption.encrypt(
      key,
      credentialEncryptionContext({ operatorId: operator as OperatorId, provider: 'tiny' }),
    );
    await run(
      db,
      sql.fragment`insert into model_credentials (operator_id, provider, secret, last_four) values (${operator}, 'tiny', ${secret}, '1111')`,
    );
  };
  const publish = (mode: Mode, limit: object = { max_calls: 100 }, steps = [modelStep()]): Promise<string> =>
    world.publish(seller, {
      steps,
      more: {
        credential_mode: mode,
        required_credentials: [{ provider: 'tiny', scopes: [] }],
        seller_credential_limit: limit,
      },
    });
  const callOf = (id: string) =>
    db.one(sql.type(Call)`
      select meter, cost_microcents as cost, microcents as charged from model_calls where invocation_id = ${id}`);
  const useOf = (skill: string) =>
    db.maybeOne(sql.type(z.object({ calls: z.number(), cost: z.number() }))`
      select calls, cost_microcents as cost from seller_credential_use where skill_id = ${skill}`);
  const refused = (code: string) => (error: unknown) => String((error as Error).cause ?? error).includes(code);

  for (const [mode, key, meter, charged, uses] of [
    ['none', undefined, 'sealed_execution', 345, null],
    ['buyer_provides', 'sk-of-buyer', 'llm_gateway', 45, null],
    ['seller_provides', 'sk-of-seller', 'llm_gateway', 45, { calls: 1, cost: COST }],
    ['both', 'sk-of-buyer', 'llm_gateway', 45, null],
  ] as const)
    it(`are ${key ?? 'none but the platform’s'} in mode ${mode}: ${charged} microcents on ${meter}`, async () => {
      await enter(buyer, 'sk-of-buyer');
      await enter(seller, 'sk-of-seller');
      const skill = await publish(mode);
      world.doubles.models.push(answered('short'));
      const id = await world.invoke(buyer, skill);
      assert.equal(await world.live(id), 'completed');
      assert.equal(world.doubles.asked[0]?.apiKey, key);
      assert.deepEqual(await callOf(id), { meter, cost: COST, charged });
      assert.deepEqual(await useOf(skill), uses);
    });

  it('are asked for before anything is held: CREDENTIAL_REQUIRED', async () => {
    const skill = await publish('buyer_provides');
    await assert.rejects(world.invoke(buyer, skill), refused('CREDENTIAL_REQUIRED'));
    assert.equal((await walletOf(db, buyer)).held_cents, 0);
  });

  it('end the run where one went missing since it was invoked', async () => {
    await enter(buyer, 'sk-of-buyer');
    const id = await world.invoke(buyer, await publish('buyer_provides'));
    await run(db, sql.fragment`delete from model_credentials where operator_id = ${buyer}`);
    assert.equal(await world.live(id), 'failed');
    assert.match((await world.show(id)).error ?? '', /CREDENTIAL_REQUIRED/u);
    assert.equal(world.doubles.asked.length, 0);
  });

  it('of the seller are counted a call each step: SELLER_LIMIT_REACHED', async () => {
    await enter(seller, 'sk-of-seller');
    const steps = [modelStep(), modelStep()];
    await assert.rejects(
      world.invoke(buyer, await publish('seller_provides', { max_calls: 1 }, steps)),
      refused('SELLER_LIMIT_REACHED'),
    );
    const skill = await publish('seller_provides', { max_calls: 3 }, steps);
    world.doubles.models.push(answered('a'), answered('b'));
    assert.equal(await world.live(await world.invoke(buyer, skill)), 'completed');
    assert.deepEqual(await useOf(skill), { calls: 2, cost: 2 * COST });
    await assert.rejects(world.invoke(buyer, skill), refused('SELLER_LIMIT_REACHED'));
  });

  it('of the seller end the run where the limit was reached since it was invoked', async () => {
    await enter(seller, 'sk-of-seller');
    const skill = await publish('seller_provides', { max_calls: 1 });
    const [first, second] = [await world.invoke(buyer, skill), await world.invoke(buyer, skill)];
    world.doubles.models.push(answered('a'));
    assert.equal(await world.live(first), 'completed');
    assert.equal(await world.live(second), 'failed');
    assert.match((await world.show(second)).error ?? '', /SELLER_LIMIT_REACHED/u);
  });
});
