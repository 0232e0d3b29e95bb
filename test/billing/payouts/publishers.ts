import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { claim, complete, credit, invoke, newSkill, newWallet, run } from '../ledger/ledger-world.ts';

/** A publisher with earnings, made by the functions that capture them. */
export interface Publisher {
  id: string;
  /** @param at when they were captured, e.g. `2020-01-15` */
  earn(cents: number, at: string): Promise<void>;
  earnings(): Promise<number>;
  payout(month: string): Promise<PayoutRow | null>;
  /** Signed cents that payouts and commissions have moved out of its earnings, by kind. */
  moved(): Promise<Record<string, number>>;
}

const PayoutRow = z.object({
  id: z.string(),
  status: z.string(),
  gross_cents: z.number(),
  commission_cents: z.number(),
  net_cents: z.number(),
  account: z.string().nullable(),
  provider_transfer_id: z.string().nullable(),
});
type PayoutRow = z.infer<typeof PayoutRow>;

const Cents = z.object({ cents: z.number() });
const Moved = z.object({ kind: z.string(), cents: z.number() });

export interface PublisherOptions {
  /** Null where none is set. */
  account?: string | null;
  commissionBps?: number | null;
}

export async function newPublisher(db: CommonQueryMethods, options: PublisherOptions = {}): Promise<Publisher> {
  const id = await newWallet(db);
  const { account = `acct_${id.slice(3)}`, commissionBps = null } = options;
  await run(
    db,
    sql.fragment`update operators set payout_account = ${account}, commission_bps = ${commissionBps} where id = ${id}`,
  );
  return {
    id,
    async earn(cents, at) {
      const consumer = await newWallet(db);
      await credit(db, consumer, { cents, cause: newId('txn') });
      const invocation = await invoke(db, { consumer, skill: await newSkill(db, id, { price: cents }) });
      await claim(db, { provider: id, id: invocation });
      await complete(db, { provider: id, id: invocation });
      await run(db, sql.fragment`update transfers set created_at = ${at}::timestamptz where wallet = ${consumer}`);
    },
    earnings: () => db.oneFirst(sql.type(Cents)`select posted_cents as cents from earnings where operator_id = ${id}`),
    payout: (month) =>
      db.maybeOne(sql.type(PayoutRow)`
        select id, status, gross_cents, commission_cents, net_cents, account, provider_transfer_id
        from payouts where operator_id = ${id} and month = ${month}`),
    async moved() {
      const rows = await db.any(sql.type(Moved)`
        select kind, sum(case when debit_account = 'earnings:' || ${id} then amount_cents else -amount_cents end)::int8 as cents
        from transfers where kind in ('payout', 'commission') and 'earnings:' || ${id} in (debit_account, credit_account)
        group by kind`);
      return Object.fromEntries(rows.map(({ kind, cents }) => [kind, cents]));
    },
  };
}
