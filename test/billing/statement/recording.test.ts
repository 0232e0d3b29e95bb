import assert from 'node:assert/strict';
import { z } from 'zod';
import { ledgerFaults } from '../../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId, type PassportId } from '../../../src/ids/ids.ts';
import { credit, newWallet, run as perform, walletOf } from '../ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../wallet/own-database.ts';
import { debitsOf } from './reading.ts';
import { call, run, sealedCall } from './statements.ts';

const CENT_COST = 869_565; // with the fee and rounded up, exactly a cent

const CountRow = z.object({ count: z.number() });
const recorded = (db: DatabasePool, wallet: string) =>
  db.oneFirst(sql.type(CountRow)`select (select count(*) from model_calls where operator_id = ${wallet})
    + (select count(*) from machine_runs where operator_id = ${wallet}) + (select count(*) from usage_charges where operator_id = ${wallet}) as count`);
const charged = (db: DatabasePool, wallet: string, meter = 'sealed_execution') =>
  db.oneFirst(sql.type(CountRow)`
    select coalesce((select charged_microcents from wallet_remainders where operator_id = ${wallet} and meter = ${meter}), 0) as count`);

describe('recording usage', () => {
  let own: OwnDatabase;
  let db: DatabasePool;
  before(async () => {
    own = await ownDatabase();
    db = own.pool;
  });
  after(() => own.drop());

  it('charges the cost and 15 %, rounded up once', async () => {
    for (const [cost, charge] of [
      [0, 0],
      [1, 2],
      [100, 115],
      [101, 117],
      [CENT_COST, 1_000_000],
    ] as const) {
      const [called, ran] = [await newWallet(db, 10), await newWallet(db, 10)];
      await sealedCall(db, called, { costMicrocents: cost });
      await run(db, ran, { costMicrocents: cost });
      assert.deepEqual([await charged(db, called), await charged(db, ran)], [charge, charge], `of ${cost}`);
    }
  });

  it('charges only the fee where the provider bills the customer', async () => {
    const wallet = await newWallet(db, 10);
    await call(db, wallet, { price: { state: 'wallet_price', meter: 'llm_gateway', costMicrocents: 101 } });
    assert.equal(await charged(db, wallet, 'llm_gateway'), 16);
  });

  it('charges nothing for calls that are included, covered or unavailable', async () => {
    const wallet = await newWallet(db);
    await call(db, wallet, { price: { state: 'included', costMicrocents: 5 } });
    await call(db, wallet, { price: { state: 'covered', costMicrocents: 5 } });
    await call(db, wallet, { price: { state: 'unavailable' } });
    assert.deepEqual([await charged(db, wallet), await recorded(db, wallet)], [0, 3]);
  });

  it('happens once for an id, however often it is called, also in parallel', async () => {
    for (const price of [
      { state: 'wallet_price', meter: 'sealed_execution', costMicrocents: CENT_COST },
      { state: 'included', costMicrocents: 1 },
    ] as const) {
      const wallet = await newWallet(db, 100);
      const id = newId('llm');
      await Promise.all(Array.from({ length: 8 }, () => call(db, wallet, { id, price })));
      await call(db, wallet, { id, price });
      assert.deepEqual(
        [await recorded(db, wallet), await charged(db, wallet)],
        [1, price.state === 'included' ? 0 : 1_000_000],
      );
      const calls = await db.oneFirst(
        sql.type(CountRow)`select last_call as count from wallets where operator_id = ${wallet}`,
      );
      assert.equal(calls, 1);
    }
    const wallet = await newWallet(db, 500);
    const [ran, source] = [newId('mch'), newId('idc')];
    await Promise.all(Array.from({ length: 8 }, () => run(db, wallet, { costMicrocents: CENT_COST, id: ran })));
    const charges = await Promise.all(
      Array.from({ length: 8 }, () =>
        db.oneFirst(
          sql.type(CountRow)`select charge_usage(${source}, ${wallet}, 'identity', ${CENT_COST}, 'Identity') as count`,
        ),
      ),
    );
    assert.deepEqual(new Set(charges), new Set([1_000_000]), 'every repetition answers what was charged');
    assert.deepEqual(
      [await recorded(db, wallet), await charged(db, wallet), await charged(db, wallet, 'identity')],
      [2, 1_000_000, 1_000_000],
    );
    assert.equal((await walletOf(db, wallet)).posted_cents, 498);
  });

  it('keeps the charges of a meter in the order of time, however many charge in parallel', async () => {
    const wallet = await newWallet(db, 1_000);
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        Array.from({ length: 12 }, () =>
          perform(db, sql.fragment`select charge_usage(${newId('idc')}, ${wallet}, 'identity', 100000, 'Identity')`),
        ),
      );
    }
    const disordered = (await ledgerFaults(db)).filter(({ law }) => law === 'charges are in the order of time');
    assert.deepEqual(disordered, []);
  });

  it('is 402 where the wallet does not cover it, remainders included, and then nothing is recorded', async () => {
    const wallet = await newWallet(db, 1);
    await sealedCall(db, wallet, { costMicrocents: 500_000 }); // 575,000 of the cent
    await assert.rejects(
      call(db, wallet, { price: { state: 'wallet_price', meter: 'llm_gateway', costMicrocents: 3_000_000 } }),
      {
        code: 'INSUFFICIENT_CREDITS',
        extra: { required_cents: 2, balance_cents: 1 },
      },
    );
    await assert.rejects(run(db, wallet, { costMicrocents: 400_000 }), { code: 'INSUFFICIENT_CREDITS' });
    assert.deepEqual(
      [await recorded(db, wallet), await charged(db, wallet), await charged(db, wallet, 'llm_gateway')],
      [1, 575_000, 0],
    );
    await credit(db, wallet, { cents: 1, cause: newId('txn') });
    await run(db, wallet, { costMicrocents: 400_000 });
    assert.equal(await recorded(db, wallet), 2);
  });

  it('is 402 while a chargeback is owed', async () => {
    const wallet = await newWallet(db, 10);
    await perform(db, sql.fragment`select charge_back(${wallet}, 20, ${newId('evt')}, 'Disputed')`);
    await assert.rejects(sealedCall(db, wallet, { costMicrocents: 1 }), {
      code: 'INSUFFICIENT_CREDITS',
      extra: { required_cents: 1, balance_cents: 0, receivable_cents: 10 },
    });
  });

  it('takes the declared purpose from the mission, else from the passport, else null', async () => {
    const wallet = await newWallet(db, 100);
    const mission = newId('ms');
    await perform(
      db,
      sql.fragment`insert into missions (id, operator_id, declared_intent, claim_id) values (${mission}, ${wallet}, 'The mission', 'pc_1')`,
    );
    const passport = async (missions: string[]): Promise<PassportId> => {
      const jti = newId('psp');
      await perform(
        db,
        sql.fragment`
        insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, intent, mission_ids, started_at, latest_expiry)
        values (${jti}, 'ses_1', ${wallet}, 'ag_1', 'ag_1', 0, 'standard', '{"summary":"The passport","services":[]}', ${sql.array(missions, 'text')}, now(), now())`,
      );
      await perform(
        db,
        sql.fragment`
        insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, kid, issued_at, expires_at, payload, status_day, status_index)
        values (${jti}, ${jti}, 'ses_1', ${wallet}, 'ag_1', 0, 'kid', now(), now(), '{}', current_date, 0)`,
      );
      return jti;
    };
    await call(db, wallet, { missionId: mission, passportId: await passport([]) });
    await call(db, wallet, { passportId: await passport([mission]) });
    await call(db, wallet, { passportId: await passport([mission, 'ms_other']) });
    await call(db, wallet);
    const purposes = (await debitsOf(db, wallet)).flatMap(({ details }) =>
      details.llm_sources.map(({ declared_purpose, mission: of }) => [declared_purpose, of?.id]),
    );
    assert.deepEqual(purposes, [
      ['The mission', mission],
      ['The mission', mission],
      ['The passport', undefined],
      [null, undefined],
    ]);
  });
});
