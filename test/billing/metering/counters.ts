import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../../src/database/pool.ts';
import { eventually } from '../../support/eventually.ts';
import { run } from '../ledger/ledger-world.ts';

const CounterRow = z.object({ used: z.number(), overage: z.number(), passports: z.number(), invocations: z.number() });
type Counter = z.infer<typeof CounterRow>;

const none: Counter = { used: 0, overage: 0, passports: 0, invocations: 0 };

/** The metered actions of the operator in this month. */
export const counterOf = async (db: CommonQueryMethods, operator: string): Promise<Counter> =>
  (await db.maybeOne(sql.type(CounterRow)`
    select used, overage, passports, invocations from usage_counters
    where operator_id = ${operator} and meter = 'metered_action' and month = utc_month(clock_timestamp())`)) ?? none;

/** Sets how much the operator has used this month; nothing of it is charged. */
export const setUsed = (
  db: CommonQueryMethods,
  operator: string,
  { used, meter = 'metered_action' }: { used: number; meter?: string },
) =>
  run(
    db,
    sql.fragment`
      insert into usage_counters as c (operator_id, meter, month, used) values (${operator}, ${meter}, utc_month(clock_timestamp()), ${used})
      on conflict (operator_id, meter, month) do update set used = excluded.used`,
  );

/** Moves everything that the operator did this month into the month before. */
export const passMonth = (db: CommonQueryMethods, operator: string) =>
  run(
    db,
    sql.fragment`update usage_counters set month = (month - interval '1 month')::date where operator_id = ${operator}`,
  );

const RemainderRow = z.object({ charged_microcents: z.number(), debited_cents: z.number() });

export const remainderOf = (db: CommonQueryMethods, operator: string, meter = 'metered_action') =>
  db.maybeOne(sql.type(RemainderRow)`
    select charged_microcents, debited_cents from wallet_remainders where operator_id = ${operator} and meter = ${meter}`);

const monthAt = (time: number): number => new Date(time).getUTCMonth();

/** Waits for the next month where this one ends within a minute, which is longer than a case takes. */
export const monthToSpare = (): Promise<boolean> =>
  eventually('a month that goes on', () => monthAt(Date.now()) === monthAt(Date.now() + 60_000), { seconds: 90 });

/** Makes each case of a suite run within one month. */
export function eachWithinOneMonth(): void {
  beforeEach(async function () {
    this.timeout(120_000);
    await monthToSpare();
  });
}

/** Metered actions a month that tier free includes. */
export const FREE = 25_000;
