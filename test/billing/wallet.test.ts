import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger, ledgerFaults } from '../../src/billing/index.ts';
import { sql, type DatabasePool, type DatabaseTransactionConnection } from '../../src/database/pool.ts';
import { newId } from '../../src/ids.ts';
import {
  claim,
  complete,
  credit,
  debit,
  invoke,
  newSkill,
  newWallet,
  RACE_ROUNDS,
  run,
  walletOf,
} from './ledger-world.ts';
import { ownDatabase, type OwnDatabase } from './own-database.ts';

const Charged = z.object({ cents: z.number().nullable() });

describe('the ledger', () => {
  let own: OwnDatabase;
  let db: DatabasePool;
  before(async () => {
    own = await ownDatabase();
    db = own.pool;
  });
  after(() => own.drop());
  afterEach(() => assertLedger(db));

  it('credits and debits whole cents, each with the next position of the wallet', async () => {
    const wallet = await newWallet(db, 100);
    assert.notEqual(await debit(db, wallet, 30), null);
    assert.deepEqual(await walletOf(db, wallet), { posted_cents: 70, held_cents: 0, last_position: 2 });
  });

  it('refuses a debit that the wallet does not cover, and changes nothing', async () => {
    const wallet = await newWallet(db, 100);
    assert.equal(await debit(db, wallet, 101), null);
    assert.deepEqual(await walletOf(db, wallet), { posted_cents: 100, held_cents: 0, last_position: 1 });
  });

  it('does not debit what is held', async () => {
    const [consumer, provider] = [await newWallet(db, 100), await newWallet(db)];
    await invoke(db, consumer, await newSkill(db, provider, 60));
    assert.equal(await debit(db, consumer, 41), null);
    assert.notEqual(await debit(db, consumer, 40), null);
  });

  it('moves money once a cause, however often and at once it is asked to', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const wallet = await newWallet(db, 100);
      const cause = newId('txn');
      const ids = await Promise.all(Array.from({ length: 4 }, () => debit(db, wallet, 20, cause)));
      assert.equal(new Set(ids).size, 1, 'every repetition answers the first transfer');
      assert.deepEqual(await walletOf(db, wallet), { posted_cents: 80, held_cents: 0, last_position: 2 });
      const credits = await Promise.all(Array.from({ length: 4 }, () => credit(db, wallet, 5, `${cause}:back`)));
      assert.equal(new Set(credits).size, 1);
      assert.equal((await walletOf(db, wallet)).posted_cents, 85);
      assert.equal(await debit(db, wallet, 86), null);
      assert.equal(await debit(db, wallet, 86, cause), ids[0], 'also where the wallet would not cover it again');
    }
  });

  it('lets exactly as many rivals debit one wallet as it covers', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const wallet = await newWallet(db, 50);
      const done = await Promise.all(Array.from({ length: 12 }, () => debit(db, wallet, 10)));
      assert.equal(done.filter((id) => id !== null).length, 5);
      assert.deepEqual(await walletOf(db, wallet), { posted_cents: 0, held_cents: 0, last_position: 6 });
    }
  });

  it('gathers microcents and debits whole cents', async () => {
    const wallet = await newWallet(db, 2);
    const charge = (microcents: number) =>
      db.oneFirst(sql.type(Charged)`
        select charge_meter(${newId('txn')}, ${wallet}, 'sms', ${microcents}, 'overage', 'test charge') as cents`);
    const left = async (): Promise<number> => (await walletOf(db, wallet)).posted_cents;
    assert.equal(await charge(999_999), 0, 'it begins where the stream of the meter does');
    assert.equal(await left(), 2);
    assert.equal(await charge(1), 999_999);
    assert.equal(await left(), 1, 'the millionth microcent is a cent');
    assert.equal(await charge(1_500_000), 1_000_000);
    assert.equal(await left(), 0);
    assert.equal(await charge(500_000), null, 'the wallet is empty');
    assert.equal(await charge(499_999), 2_500_000, 'and the charge that it could not pay was not counted');
    assert.equal((await walletOf(db, wallet)).posted_cents, 0);
  });

  it('has no transfer from wallet to wallet', async () => {
    const [one, other] = [await newWallet(db, 10), await newWallet(db)];
    await assert.rejects(
      db.any(
        sql.type(
          Charged,
        )`select debit_wallet(${newId('txn')}, ${one}, 1, ${`wallet:${other}`}, 'adjustment', ${newId('txn')}, 'x') is null as cents`,
      ),
      { constraint: 'transfers_one_wallet' },
    );
  });
});

describe('assertLedger', () => {
  class RollBack extends Error {}
  let own: OwnDatabase;
  before(async () => {
    own = await ownDatabase();
  });
  after(() => own.drop());

  /** Breaks the books in a transaction that is rolled back, and gives the laws found broken in it. */
  async function lawsBrokenBy(
    breakIt: (connection: DatabaseTransactionConnection) => Promise<unknown>,
  ): Promise<string[]> {
    let laws: string[] = [];
    await own.pool
      .transaction(async (connection) => {
        await breakIt(connection);
        laws = (await ledgerFaults(connection)).map((fault) => fault.law);
        throw new RollBack();
      })
      .catch((error: unknown) => {
        if (!(error instanceof RollBack)) throw error;
      });
    return laws;
  }

  const paid = async (connection: DatabaseTransactionConnection): Promise<string> => {
    const [consumer, provider] = [await newWallet(connection, 100), await newWallet(connection)];
    const id = await invoke(connection, consumer, await newSkill(connection, provider, 25));
    await claim(connection, provider, id);
    await complete(connection, provider, id);
    return id;
  };

  const breaks: Record<string, { law: string; by: (connection: DatabaseTransactionConnection) => Promise<unknown> }> = {
    'a minted cent': {
      law: 'a wallet is the sum of its transfers',
      by: async (c) =>
        run(
          c,
          sql.fragment`update wallets set posted_cents = posted_cents + 1 where operator_id = ${await newWallet(c, 10)}`,
        ),
    },
    'a lost earning': {
      law: 'earnings are the sum of their transfers',
      by: async (c) => {
        const id = await paid(c);
        await run(
          c,
          sql.fragment`
          update earnings set posted_cents = posted_cents - 1
          where operator_id = (select provider_operator_id from invocations where id = ${id})`,
        );
      },
    },
    'a hold that nothing holds': {
      law: 'held is the sum of the open holds',
      by: async (c) =>
        run(c, sql.fragment`update wallets set held_cents = 5 where operator_id = ${await newWallet(c, 10)}`),
    },
    'a transfer taken away': {
      law: 'positions are dense',
      by: async (c) => run(c, sql.fragment`delete from transfers where invocation_id = ${await paid(c)}`),
    },
    'a captured hold without its transfer': {
      law: 'a captured hold is one transfer of its amount',
      by: async (c) => run(c, sql.fragment`delete from transfers where invocation_id = ${await paid(c)}`),
    },
    'a hold without its invocation': {
      law: 'a hold follows its invocation',
      by: async (c) => run(c, sql.fragment`delete from invocations where id = ${await paid(c)}`),
    },
    'a price that was not held': {
      law: 'a price has its hold',
      by: async (c) => run(c, sql.fragment`delete from holds where cause = ${await paid(c)}`),
    },
    'an account of nobody': {
      law: 'every account has its row',
      by: (c) =>
        run(
          c,
          sql.fragment`
        insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, description)
        values (${newId('txn')}, 'platform:adjustments', 'earnings:op_nobody', 1, 'adjustment', 'nobody', 'x')`,
        ),
    },
    'a meter that forgot a debit': {
      law: 'a meter is debited its whole cents',
      by: async (c) =>
        run(
          c,
          sql.fragment`
        insert into wallet_remainders (operator_id, meter, charged_microcents, debited_cents) values (${await newWallet(c, 1)}, 'sms', 1000000, 1)`,
        ),
    },
    'a budget that forgot': {
      law: 'a budget counts what was not given back',
      by: async (c) =>
        run(c, sql.fragment`update invocations set agent_id = 'ag_forgotten' where id = ${await paid(c)}`),
    },
  };
  for (const [what, { law, by }] of Object.entries(breaks)) {
    it(`sees ${what}`, async () => {
      assert((await lawsBrokenBy(by)).includes(law), `"${law}" must be among the laws found broken`);
    });
  }

  it('finds nothing in books that are right', async () => {
    assert.deepEqual(await lawsBrokenBy(paid), []);
  });
});
