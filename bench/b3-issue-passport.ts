import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { inTurns, median, rate, rates, ratioCells, ratiosOf, spread, table } from './pairs.ts';
import type { PassportRun } from './servers/passports.ts';

/** The pool's size in production, and so both sides' number of clients. */
const CLIENTS = 8;
/** A delegation at depth 4 may cost this share of an issue. */
const DELEGATE_GOAL = 1.5;

async function measure(lab: Lab): Promise<string[]> {
  const databaseUrl = await lab.newDatabase('b3');
  const passports = await lab.start('passports', { databaseUrl, size: CLIENTS });
  const run = async (what: PassportRun['what'], clients: number, seconds: number): Promise<number> =>
    (await passports.request<{ perSecond: number }>({ what, clients, seconds } satisfies PassportRun)).perSecond;
  const compare = async (clients: number) => {
    const [warm, long] = [lab.seconds(2), lab.seconds(4)];
    for (const what of ['issue', 'bare', 'delegate'] as const) await run(what, clients, warm);
    return await inTurns(
      lab.rounds,
      {
        issue: () => run('issue', clients, long),
        bare: () => run('bare', clients, long),
        delegate: () => run('delegate', clients, long),
      },
      (line) => lab.log(`${clients} clients: ${line}`),
    );
  };
  const [one, many] = [await compare(1), await compare(CLIENTS)];
  const row = (clients: number, { issue, bare, delegate }: typeof one): string[] => {
    const costs = ratiosOf(issue, delegate);
    return [
      rate(clients),
      rates(issue),
      rates(bare),
      ...ratioCells(issue, bare, 0.5),
      rates(delegate),
      spread(costs),
      `${DELEGATE_GOAL.toFixed(2)} ${median(costs) <= DELEGATE_GOAL ? 'reached' : 'missed'}`,
    ];
  };
  return [
    table(
      [
        'Clients',
        'issue, a second',
        'bare, a second',
        'issue / bare',
        'goal, at least',
        'delegate to depth 4, a second',
        'cost of a delegation in issues',
        'goal, at most',
      ],
      [row(1, one), row(CLIENTS, many)],
    ),
  ];
}

/** Issuing beside a bare Ed25519 signature and the same rows from one SQL function through a prepared statement of `pg`. */
export const b3: Bench = {
  title: 'B3: issuing and delegating passports',
  run: async (lab) => [...(await measure(lab)), await floors(lab)],
};
