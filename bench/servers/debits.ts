import { z } from 'zod';
import { openPool, sql } from '../../src/database/pool.ts';
import { answering, ready, settings } from './child.ts';

/** The wallet debit as the service sends it: through its pool, as a named statement, the row parsed; alone, or counted as a metered action. */

interface DebitRun {
  wallets: number;
  metered: boolean;
  clients: number;
  seconds: number;
}

const Debited = z.object({ transfer: z.string() });
const { databaseUrl, size } = settings<{ databaseUrl: string; size: number }>();
const pool = await openPool(databaseUrl, { size, applicationName: 'carnet-bench' });

const upTo = (limit: number): number => 1 + Math.floor(Math.random() * limit);

const alone = sql.fragment``;

const debit = (wallets: number, metered: boolean) => {
  const id = upTo(Number.MAX_SAFE_INTEGER - 1);
  const wallet = upTo(wallets);
  return pool.one(sql.type(Debited)`
    select debit_wallet('txn_' || ${id}, 'op_' || ${wallet}, 1, 'platform::bench', 'adjustment', 'bench:' || ${id}, 'A debit of the bench') as transfer
    ${metered ? sql.fragment`from meter_action('op_' || ${wallet}, 'invocation')` : alone}`);
};

answering(async ({ wallets, metered, clients, seconds }: DebitRun) => {
  const [startedAt, until] = [performance.now(), performance.now() + seconds * 1_000];
  let debits = 0;
  const client = async (): Promise<void> => {
    for (; performance.now() < until; debits += 1) await debit(wallets, metered);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { perSecond: (debits * 1_000) / (performance.now() - startedAt) };
});
ready();
