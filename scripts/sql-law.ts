import { ErrorCodes } from '../src/errors/codes.ts';
import { DOMAINS } from './domains.ts';
import { readSql, type Sql, type SqlSource } from './sql-source.ts';

/*
 * Who may touch whom in SQL. A table belongs to the domain whose migration makes it. Functions and statements read and write
 * their own tables and the shared ones (0001-shared.sql), read any view that a domain makes for others, and call functions of their own
 * domain, of the ground (src/commands, src/database) and of domains below theirs (scripts/domains.ts).
 */

/** Files that may touch more, each with its reason. */
const EXEMPT: { files: RegExp; names: string[]; why: string }[] = [
  {
    files: /^src\/billing\/ledger\/laws\//,
    names: ['invocations'],
    why: 'the proof of the ledger compares holds and budgets with the invocations they are for',
  },
];

const order = (domain: string | undefined): number =>
  domain === undefined ? DOMAINS.length : DOMAINS.indexOf(domain as (typeof DOMAINS)[number]);

const describe = (at: string, what: string, why: string, instead: string): string =>
  `${at} ${what}\n  why: ${why}\n  instead: ${instead}`;

/** What is broken below `root`, each as a text for a reader: place, what, why, what to do. */
export function violations(root: string): { texts: string[]; source: SqlSource } {
  const source = readSql(root, DOMAINS);
  const texts = source.faults.map(({ at, what, why, instead }) => describe(at, what, why, instead));
  const domains = new Map(source.functions.map(({ name, domain }) => [name, domain]));

  const judge = (sql: Sql, what: string): void => {
    const at = `${sql.file}:${sql.line}`;
    const exempt = new Set(EXEMPT.filter(({ files }) => files.test(sql.file)).flatMap(({ names }) => names));
    for (const table of sql.tables) {
      const owner = source.owners.get(table);
      if (owner === undefined || owner === 'shared' || owner === sql.domain || exempt.has(table)) continue;
      texts.push(
        describe(
          at,
          `${what} touches ${table}, a table of ${owner}`,
          'a domain that reads the tables of another breaks when that one changes them, and goes past its rules',
          `call a function of ${owner}, or read a view that its migration makes for others`,
        ),
      );
    }
    for (const call of sql.calls) {
      const callee = domains.get(call);
      if (callee === undefined || callee === 'shared' || order(callee) <= order(sql.domain)) continue;
      texts.push(
        describe(
          at,
          `${what} calls ${call}(), a function of ${callee}`,
          `${callee} stands above ${sql.domain} and may need it: two domains that need each other are one`,
          'let the domain above call the one below and pass what it needs, or move the function down',
        ),
      );
    }
  };

  for (const one of source.functions) {
    judge(one, `${one.name}()`);
    for (const code of one.refusals) {
      if (code !== undefined && Object.hasOwn(ErrorCodes, code)) continue;
      texts.push(
        describe(
          `${one.file}:${one.line}`,
          code === undefined
            ? `${one.name}() refuses with a code that is not one literal`
            : `${one.name}() refuses with ${code}`,
          code === undefined
            ? 'a code that is put together is found by no search'
            : 'a caller would get a 500: src/errors/codes.ts has no such code',
          code === undefined
            ? "write it out: refuse('CODE', …)"
            : 'name a code of src/errors/codes.ts, or add it there',
        ),
      );
    }
  }
  for (const view of source.views) judge(view, `the view ${view.name}`);
  for (const template of source.templates.filter(({ file }) => file.startsWith('src/')))
    judge(template, 'the statement');

  const names = source.functions.map(({ name }) => name);
  for (const { name, file, line } of source.functions.filter((one, place) => names.indexOf(one.name) !== place))
    texts.push(
      describe(
        `${file}:${line}`,
        `makes ${name}() a second time`,
        'a function has one text, and which of two is called depends on the search_path',
        'give it another name',
      ),
    );
  return { texts, source };
}
