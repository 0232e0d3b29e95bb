import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { charge, credit, debit, invoke, newSkill, newWallet, RACE_ROUNDS, walletOf } from '../ledger/ledger-world.ts';
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
    assert.notEqual(await debit(db, wallet, { cents: 30 }), null);
    assert.deepEqual(await walletOf(db, wallet), { posted_cents: 70, held_cents: 0, last_position: 2 });
  });

  it('refuses a debit that the wallet does not cover, and changes nothing', async () => {
    const wallet = await newWallet(db, 100);
    assert.equal(await debit(db, wallet, { cents: 101 }), null);
    assert.deepEqual(await walletOf(db, wallet), { posted_cents: 100, held_cents: 0, last_position: 1 });
  });

  it('does not debit what is held', async () => {
    const [consumer, provider] = [await newWallet(db, 100), await newWallet(db)];
    await invoke(db, { consumer, skill: await newSkill(db, provider, { price: 60 }) });
    assert.equal(await debit(db, consumer, { cents: 41 }), null);
    assert.notEqual(await debit(db, consumer, { cents: 40 }), null);
  });

  it('moves money once for a cause, however often it is called, also in parallel', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const wallet = await newWallet(db, 100);
      const cause = newId('txn');
      const ids = await Promise.all(Array.from({ length: 4 }, () => debit(db, wallet, { cents: 20, cause })));
      assert.equal(new Set(ids).size, 1, 'every repetition answers the first transfer');
      assert.deepEqual(await walletOf(db, wallet), { posted_cents: 80, held_cents: 0, last_position: 2 });
      const credits = await Promise.all(
        Array.from({ length: 4 }, () => credit(db, wallet, { cents: 5, cause: `${cause}:back` })),
      );
      assert.equal(new Set(credits).size, 1);
      assert.equal((await walletOf(db, wallet)).posted_cents, 85);
      assert.equal(await debit(db, wallet, { cents: 86 }), null);
      assert.equal(
        await debit(db, wallet, { cents: 86, cause }),
        ids[0],
        'also where the wallet would not cover it again',
      );
    }
  });

  it('lets exactly as many rivals debit one wallet as it covers', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const wallet = await newWallet(db, 50);
      const done = await Promise.all(Array.from({ length: 12 }, () => debit(db, wallet, { cents: 10 })));
      assert.equal(done.filter((id) => id !== null).length, 5);
      assert.deepEqual(await walletOf(db, wallet), { posted_cents: 0, held_cents: 0, last_position: 6 });
    }
  });

  it('gathers microcents and debits whole cents', async () => {
    const wallet = await newWallet(db, 2);
    const take = (microcents: number) => charge(db, wallet, microcents);
    const left = async (): Promise<number> => (await walletOf(db, wallet)).posted_cents;
    assert.equal(await take(999_999), 0, 'it begins where the stream of the meter does');
    assert.equal(await left(), 2);
    assert.equal(await take(1), 999_999);
    assert.equal(await left(), 1, 'the millionth microcent is a cent');
    assert.equal(await take(1_000_001), null, 'more than is left');
    assert.equal(await take(600_000), 1_000_000, 'and the charge that it could not pay was not counted');
    assert.equal(await take(400_001), null, 'what the meter has begun to use is used, though no cent was debited');
    assert.equal(await take(400_000), 1_600_000);
    assert.equal(await left(), 0);
  });

  it('promises a cent that a meter has begun to use to nothing else', async () => {
    const [consumer, provider] = [await newWallet(db, 2), await newWallet(db)];
    await charge(db, consumer, 1);
    const skill = await newSkill(db, provider, { price: 2 });
    await assert.rejects(invoke(db, { consumer, skill }), (error: { message: string; detail: string }) => {
      assert.match(error.message, /^INSUFFICIENT_CREDITS/);
      assert.deepEqual((JSON.parse(error.detail) as { extra: object }).extra, { required_cents: 3, balance_cents: 2 });
      return true;
    });
    await invoke(db, { consumer, skill: await newSkill(db, provider, { price: 1 }) });
    assert.equal(await charge(db, consumer, 999_999), 1, 'which is there for the meter');
  });

  it('covers charges of a wallet whose microcents are more than 64 bits hold', async () => {
    const wallet = await newWallet(db, 9_300_000_000_000);
    assert.equal(await charge(db, wallet, 1), 0);
    assert.equal(await charge(db, wallet, 2_000_000), 1);
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
