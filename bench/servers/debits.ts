import { z } from 'zod';
import { openPool, sql } from '../../src/database/pool.ts';
import { answering, ready, settings } from './child.ts';

/** The wallet debit as the service sends it: through its pool, as a named statement, the row parsed. */

export interface DebitRun {
  wallets: number;
  clients: number;
  seconds: number;
}

const Debited = z.object({ transfer: z.string() });
const { databaseUrl, size } = settings<{ databaseUrl: string; size: number }>();
const pool = await openPool(databaseUrl, { size, applicationName: 'carnet-bench' });

const upTo = (limit: number): number => 1 + Math.floor(Math.random() * limit);

const debit = (wallets: number) => {
  const id = upTo(Number.MAX_SAFE_INTEGER - 1);
  return pool.one(sql.type(Debited)`
    select debit_wallet('txn_' || ${id}, 'op_' || ${upTo(wallets)}, 1, 'platform::bench', 'adjustment', 'bench:' || ${id}, 'A debit of the bench') as transfer`);
};

answering(async ({ wallets, clients, seconds }: DebitRun) => {
  const [startedAt, until] = [performance.now(), performance.now() + seconds * 1_000];
  let debits = 0;
  const client = async (): Promise<void> => {
    for (; performance.now() < until; debits += 1) await debit(wallets);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { perSecond: (debits * 1_000) / (performance.now() - startedAt) };
});
ready();
