import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import { recordRefund, recordRefunded, settleRefund, settleTopUp } from '../../../src/billing/payments/queries.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { newWallet, run } from '../ledger/ledger-world.ts';
import { ProofDatabases } from '../ledger/proof/proof-database.ts';

/** A payment of $10, and how facts about it are reported. */
interface Payment {
  db: DatabasePool;
  wallet: string;
  topUp: string;
  payment: string;
  refund: string;
}
type Fact = (of: Payment) => Promise<unknown>;

/** Minutes after the beginning of a story of an hour, which is over. */
const at = (minute: number): Date => new Date(Math.floor(Date.now() / 1_000 - 3_600 + minute * 60) * 1_000);

const paid: Fact = ({ db, topUp, payment }) =>
  settleTopUp(
    db,
    {
      topUpId: topUp,
      outcome: 'paid',
      sessionId: `cs_${topUp}`,
      amountCents: 1_000,
      currency: 'usd',
      paymentId: payment,
    },
    null,
  );
/** How much of it had gone back at a minute. */
const sum =
  (refundedCents: number, minute: number): Fact =>
  ({ db, payment }) =>
    recordRefunded(db, { kind: 'refunded', paymentId: payment, refundedCents, currency: 'usd', ...event(minute) });
/** A refund that somebody made in the provider's dashboard came back at a minute. */
const cameBack =
  (amountCents: number | null, minute: number, name = 'x'): Fact =>
  ({ db, payment }) =>
    recordRefund(
      db,
      {
        kind: 'refund',
        providerRefundId: `re_${name}_${payment}`,
        paymentId: payment,
        key: null,
        amountCents,
        status: 'failed',
        madeAt: null,
        ...event(minute),
      },
      'req_test',
    );
const event = (minute: number) => ({ id: newId('evt'), type: 'of.a.test', createdAt: at(minute) });
/** A refund of ours, of all that is left, has succeeded. */
const refunded: Fact = async ({ db, wallet, topUp, refund }) => {
  await run(
    db,
    sql.fragment`
    select begin_refund(${refund}, ${newId('hld')}, ${wallet}, (select transaction_id from top_ups where id = ${topUp}), 'local')`,
  );
  await settleRefund(db, refund, {
    providerRefundId: `re_${refund}`,
    status: 'succeeded',
    madeAt: null,
    cameBackAt: null,
  });
};
/** … and came back at a minute. */
const oursCameBack =
  (minute: number): Fact =>
  ({ db, refund }) =>
    settleRefund(db, refund, {
      providerRefundId: `re_${refund}`,
      status: 'failed',
      madeAt: null,
      cameBackAt: at(minute),
    });

/** What waits for a person is given back. */
const giveBack: Fact = async ({ db, wallet }) => {
  const waiting = await db.any(sql.type(z.object({ id: z.string() }))`
    select id from billing_alarms where operator_id = ${wallet} and status = 'open'`);
  for (const { id } of waiting)
    await run(
      db,
      sql.fragment`
      select decide_returned_refund(id, 'given_back', amount_cents, 'req_test') from billing_alarms where id = ${id}`,
    );
};

interface Story {
  /** What has happened before, in this order. */
  before?: Fact[];
  facts: Fact[];
  /** Cents of the wallet in the end. */
  left: number;
}

const stories: Record<string, Story> = {
  'a refund without us that came back': { facts: [paid, sum(300, 10), cameBack(300, 20)], left: 1_000 },
  'and one after it': { facts: [paid, sum(300, 10), cameBack(300, 20), sum(200, 40)], left: 800 },
  'and all of the payment after it': { facts: [paid, sum(300, 10), cameBack(300, 20), sum(1_000, 40)], left: 0 },
  'one of two that came back, and another after it': {
    facts: [paid, sum(300, 10), sum(500, 20), cameBack(300, 30), sum(400, 40)],
    left: 600,
  },
  'one of two that came back, and nothing after it': {
    facts: [paid, sum(300, 10), sum(500, 20), cameBack(300, 30)],
    left: 800,
  },
  'two that came back': {
    facts: [paid, sum(300, 10), sum(500, 20), cameBack(300, 30), cameBack(200, 35, 'y')],
    left: 1_000,
  },
  'one of which nobody says how much it was': {
    facts: [paid, sum(300, 10), cameBack(null, 20), sum(200, 40)],
    left: 800,
  },
  'one that is reported as failed twice': {
    facts: [paid, sum(300, 10), cameBack(300, 20), cameBack(300, 45), sum(200, 40)],
    left: 800,
  },
  'ours that came back, and one without us after it': {
    before: [paid, refunded],
    facts: [oursCameBack(20), sum(400, 30)],
    left: 600,
  },
  'ours that came back, with the sum that counted it, and one without us after it': {
    before: [paid, refunded],
    facts: [sum(1_000, 10), oursCameBack(20), sum(400, 30)],
    left: 600,
  },
  'ours of the rest, and the one without us came back': {
    before: [paid, sum(300, 10), refunded],
    facts: [sum(1_000, 20), cameBack(300, 30)],
    left: 300,
  },
  'ours of the rest, and the one without us, which was larger, came back': {
    before: [paid, sum(600, 10), refunded],
    facts: [sum(1_000, 70), cameBack(600, 80)],
    left: 600,
  },
  'ours of the rest, and the one without us, which was larger, and both came back': {
    before: [paid, sum(600, 10), refunded],
    facts: [sum(1_000, 70), cameBack(600, 80), oursCameBack(90)],
    left: 1_000,
  },
  'ours of the rest, where the one without us, which was larger, had come back before': {
    before: [paid, sum(600, 10), cameBack(600, 20), refunded],
    facts: [sum(400, 70)],
    left: 600,
  },
  'ours of the rest, a part of what was without us came back, and another after it': {
    before: [paid, sum(300, 10), sum(900, 20), refunded],
    facts: [sum(1_000, 70), cameBack(300, 75), sum(900, 80)],
    left: 100,
  },
  'ours after most of one without us came back': {
    before: [paid, sum(1_000, 10), cameBack(700, 20), giveBack, refunded],
    facts: [sum(1_000, 70), oursCameBack(80)],
    left: 700,
  },
  'ours of the rest, and both came back': {
    before: [paid, sum(300, 10), refunded],
    facts: [sum(1_000, 20), cameBack(300, 30), oursCameBack(40)],
    left: 1_000,
  },
  'ours of the rest, and both came back, and one without us after them': {
    before: [paid, sum(300, 10), refunded],
    facts: [sum(1_000, 20), cameBack(300, 30), oursCameBack(40), sum(200, 50)],
    left: 800,
  },
};

function* ordersOf<T>(all: readonly T[]): Generator<T[]> {
  if (all.length === 0) yield [];
  for (const [index, first] of all.entries())
    for (const rest of ordersOf(all.toSpliced(index, 1))) yield [first, ...rest];
}

const Wallet = z.object({ worth: z.number(), waits: z.number() });

describe('Facts about a payment end in the same wallet in whatever order they come', function () {
  this.timeout(120_000);
  const databases = new ProofDatabases();
  let db: DatabasePool;
  before(async () => {
    db = (await databases.current()).pool;
  });
  after(() => databases.close());

  const walletOf = (wallet: string): Promise<z.infer<typeof Wallet>> =>
    db.one(sql.type(Wallet)`
      select posted_cents - receivable_cents as worth,
        (select coalesce(sum(amount_cents), 0)::int8 from billing_alarms
          where operator_id = ${wallet} and kind = 'refund_came_back' and status = 'open') as waits
      from wallets where operator_id = ${wallet}`);
  async function payment(before: Fact[] = []): Promise<Payment> {
    const [wallet, topUp] = [await newWallet(db), newId('top')];
    await run(
      db,
      sql.fragment`
      insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
      values (${topUp}, ${wallet}, 'local', 1000, 86400, 'http://carnet.test', now() + interval '1 day')`,
    );
    const made = { db, wallet, topUp, payment: `pi_${topUp}`, refund: newId('rfd') };
    for (const fact of before) await fact(made);
    return made;
  }

  for (const [what, { before: earlier, facts, left }] of Object.entries(stories)) {
    it(what, async () => {
      const numbered = facts.map((fact, index) => ({ fact, index }));
      const wrong: string[] = [];
      for (const order of ordersOf(numbered))
        for (const decides of ['at once', 'in the end']) {
          const made = await payment(earlier);
          for (const { fact } of order) {
            await fact(made);
            if (decides === 'at once') await giveBack(made);
          }
          const { worth, waits } = await walletOf(made.wallet);
          const said = `${order.map(({ index }) => index).join(' ')}, a person decides ${decides}`;
          if (worth + waits !== left) wrong.push(`${said}: ${worth} and ${waits} wait`);
          else {
            await giveBack(made);
            if ((await walletOf(made.wallet)).worth !== left) wrong.push(`${said}: given back too much or too little`);
          }
        }
      assert.deepEqual(wrong, []);
      await assertLedger(db);
    });
  }
});
