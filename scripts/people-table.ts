import { governedActs, ruleOfAct, type GovernedAct } from '../src/commands/governed-acts.ts';
import { routes } from '../src/process/routes.ts';

const WHO = { owner: 'an owner', administrator: 'an owner or administrator' } as const;

const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;

const table = (head: string[], rows: string[][]): string =>
  [row(head), `|${head.map(() => '---|').join('')}`, ...rows.map(row)].join('\n');

/** The tables of docs/people.md, from the list of governed acts and from the routes, by the name of their marker. */
export const tablesOfPeople: Record<'acts' | 'calls', () => string> = {
  acts: () =>
    table(
      ['act', 'call', 'who decides', 'why'],
      (Object.keys(governedActs) as GovernedAct[]).map((act) => {
        const { call, what, why, by } = ruleOfAct(act);
        return [`${what} (\`${act}\`)`, `\`${call}\``, WHO[by], why];
      }),
    ),
  calls: () =>
    table(
      ['call', 'what it does'],
      routes
        .filter(({ audience }) => audience === 'person')
        .map(({ method, path, summary }) => [`\`${method.toUpperCase()} ${path}\``, summary]),
    ),
};

/** A page with these tables between `<!-- table: name -->` and `<!-- end of table -->`. */
export const withTables = (page: string): string =>
  Object.entries(tablesOfPeople).reduce(
    (text, [name, rows]) =>
      text.replace(
        new RegExp(`(<!-- table: ${name} -->\\n)[^]*?(<!-- end of table -->)`),
        (_all, begin: string, end: string) => `${begin}${rows()}\n${end}`,
      ),
    page,
  );
