import pg from 'pg';
import { createPool } from 'slonik';
import { assertLedger } from '../src/billing/index.ts';
import { migrate } from '../src/database/migrations.ts';
import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { inTurns, rate, ratioCells, rates, table } from './pairs.ts';
import { pgbench } from './pgbench.ts';

/** The pool's size in production, and so both sides' number of clients. */
const CLIENTS = 8;
const WALLETS = 1_000;
const CENTS = 100_000_000;

/** The statement of servers/debits.ts in pgbench's language, where `:bench` would be a variable, so it has two colons in both. */
const script = (wallets: number, metered: boolean): string => `\\set id random(1, 9007199254740990)
\\set wallet random(1, ${wallets})
select debit_wallet('txn_' || :id, 'op_' || :wallet, 1, 'platform::bench', 'adjustment', 'bench:' || :id, 'A debit of the bench') as transfer${
  metered ? `\nfrom meter_action('op_' || :wallet, 'invocation')` : ''
}`;

/** From a tier that includes every action to one whose allowance is used up: each action from here on is charged. */
const USE_UP = [
  `update operators set tier = 'developer' where id <> 'op_platform'`,
  `insert into usage_counters as c (operator_id, meter, month, used)
   select o.id, 'metered_action', utc_month(clock_timestamp()), t.metered_actions from operators o join tiers t on t.name = o.tier
   where o.id <> 'op_platform'
   on conflict (operator_id, meter, month) do update set used = c.used + excluded.used`,
  'vacuum analyze',
];

async function execute(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function makeWallets(url: string): Promise<void> {
  await migrate(url);
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `insert into operators (id, name, email, tier) select 'op_' || n, 'bench ' || n, n || '@carnet.invalid', 'enterprise' from generate_series(1, $1::int) n`,
    [WALLETS],
  );
  await client.query(
    `select credit_wallet('txn_credit_' || n, 'op_' || n, $2, 'platform::bench', 'adjustment', 'bench credit ' || n, 'Credit')
     from generate_series(1, $1::int) n`,
    [WALLETS, CENTS],
  );
  await client.query('vacuum analyze');
  await client.end();
}

/** @throws Error where money appeared or disappeared */
async function proveNoDrift(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<Record<'debits' | 'charged' | 'overage' | 'gone', string>>(
    `select (select count(*) from transfers where debit_account like 'wallet:%' and kind <> 'overage') as debits,
       (select sum(overage) from usage_counters) as charged,
       (select sum(amount_cents) from transfers where kind = 'overage') as overage,
       $1::bigint - (select sum(posted_cents) from wallets) as gone`,
    [WALLETS * CENTS],
  );
  await client.end();
  const number = (name: 'debits' | 'charged' | 'overage' | 'gone'): number => Number(rows[0]?.[name]);
  const [debits, charged, overage, gone] = [number('debits'), number('charged'), number('overage'), number('gone')];
  if (debits + overage !== gone)
    throw new Error(`${debits} debits of a cent and ${overage} cents of overage took ${gone} cents from the wallets.`);
  // A pool of its own: proving a million transfers takes longer than a statement of the service may.
  const pool = await createPool(url, { statementTimeout: 'DISABLE_TIMEOUT', maxPoolSize: 1 });
  await assertLedger(pool);
  await pool.end();
  return (
    `Zero drift: ${rate(debits)} debits of one cent and ${rate(charged)} actions charged at a hundredth of one, which is ${rate(overage)} cents in whole ` +
    `ones; ${rate(gone)} cents are gone from the wallets, and every law of \`assertLedger\` holds.`
  );
}

interface Case {
  wallets: number;
  metered: boolean;
  goal: number;
}

async function measure(lab: Lab): Promise<string[]> {
  const url = await lab.newDatabase('b4');
  await makeWallets(url);
  const debits = await lab.start('debits', { databaseUrl: url, size: CLIENTS });
  const compare = async (what: string, { wallets, metered, goal }: Case): Promise<string[]> => {
    const ours = async (seconds: number): Promise<number> =>
      (await debits.request<{ perSecond: number }>({ wallets, metered, clients: CLIENTS, seconds })).perSecond;
    await ours(lab.seconds(2));
    const by = await inTurns(
      lab.rounds,
      {
        carnet: () => ours(lab.seconds(5)),
        pgbench: () =>
          pgbench({
            url,
            script: script(wallets, metered),
            clients: CLIENTS,
            seconds: lab.seconds(5),
            folder: lab.dataDir,
          }),
      },
      (line) => lab.log(`${what}: ${line}`),
    );
    return [what, rates(by.carnet), rates(by.pgbench), ...ratioCells(by.carnet, by.pgbench, goal)];
  };
  const both = async (what: string, metered: boolean): Promise<string[][]> => [
    await compare(`${what}, spread over ${rate(WALLETS)} wallets`, { wallets: WALLETS, metered, goal: 0.4 }),
    await compare(`${what}, one hot wallet`, { wallets: 1, metered, goal: 0.7 }),
  ];
  const rows = [...(await both('a debit alone', false)), ...(await both('counted, within the allowance', true))];
  await execute(url, USE_UP);
  rows.push(...(await both('counted and charged, over the allowance', true)));
  lab.log('proving the ledger');
  return [
    table(
      [`Debits, ${CLIENTS} clients`, 'Carnet, a second', 'pgbench, a second', 'ratio (spread of the pairs)', 'goal'],
      rows,
    ),
    await proveNoDrift(url),
  ];
}

/** The same SQL function from the service's pool and from pgbench, which is C and does nothing else. */
export const b4: Bench = {
  title: 'B4: the wallet debit, metering on',
  run: async (lab) => [...(await measure(lab)), await floors(lab)],
};
