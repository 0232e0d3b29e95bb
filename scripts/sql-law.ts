import { SqlStates } from '../src/database/sql-states.ts';
import { ErrorCodes } from '../src/errors/codes.ts';
import { lifeId } from '../src/ids/life-ids.ts';
import { DOMAINS } from './domains.ts';
import { readSql, type Sql, type SqlFault, type SqlFunction, type SqlSource } from './sql-source.ts';

/*
 * Who may touch whom in SQL. A table or a view belongs to the domain whose migration makes it. Functions and statements read and write
 * their own tables and the shared ones (0001-shared.sql), read the views that domains below theirs publish (scripts/domains.ts), and
 * call functions of their own domain, of the ground (src/commands, src/database, src/one-time-codes) and of domains below theirs.
 */

/** Exceptions from the law, one by one, each with its reason; one that nothing needs any more is a fault itself. */
export interface Exceptions {
  /** Tables of another domain that the statements of a folder touch. */
  tables: { folder: string; table: string; why: string }[];
  /** Views of a domain above that a domain reads. */
  views: { domain: string; view: string; why: string }[];
  /** Literals `'<prefix>:'` that are no kind of life. */
  prefixes: { prefix: string; why: string }[];
  /** Functions in a migration that are more than the stub of a trigger. */
  bodies: { name: string; why: string }[];
}

const EXCEPTIONS: Exceptions = {
  tables: [
    {
      folder: 'src/billing/ledger/laws/',
      table: 'invocations',
      why: 'the proof of the ledger compares holds and budgets with the invocations they are for',
    },
    ...['passport_budgets', 'passports', 'passport_lineages'].map((table) => ({
      folder: 'src/billing/ledger/laws/',
      table,
      why: 'the proof of the ledger compares what a passport has used with what it and those below it invoked',
    })),
  ],
  views: [
    { domain: 'accounts', view: 'operator_seats', why: 'billing sells the seats that members take' },
    { domain: 'billing', view: 'mission_intents', why: 'a statement shows the mission that was paid for' },
    { domain: 'billing', view: 'passport_purposes', why: 'a model call is charged with the purpose of its passport' },
    { domain: 'billing', view: 'published_skills', why: 'the page of usage counts them' },
    { domain: 'billing', view: 'skill_names', why: 'a statement names the skill that was paid for' },
    { domain: 'billing', view: 'invocation_references', why: 'a statement shows the invocation that was paid for' },
    { domain: 'skills', view: 'seller_credential_uses', why: 'an owner sees what is used of what they allow' },
    { domain: 'skills', view: 'completed_invocations', why: 'a rating is verified by an invocation of who rates' },
  ],
  prefixes: [
    { prefix: 'wallet', why: 'an account of the ledger' },
    { prefix: 'earnings', why: 'an account of the ledger' },
    { prefix: 'receivable', why: 'the cause of a transfer: what is owed after a chargeback is paid' },
    { prefix: 'unrefunded', why: 'the cause of a transfer: a refund came back' },
    { prefix: 'network', why: 'callers who request codes to sign in, by their network' },
    { prefix: 'browser', why: 'callers who request codes to sign in, by a browser that signed in before' },
    { prefix: 'payment', why: 'what the advisory lock of a payment is made of' },
  ],
  bodies: [
    { name: 'sha256_of_text', why: 'a stored column is made of it, which an installed function cannot be' },
    { name: 'search_words', why: 'a stored column is made of it: another text would leave the rows as they are' },
    { name: 'search_tags', why: 'as search_words' },
    { name: 'word_spellings', why: 'as search_words' },
    { name: 'skill_entries_of', why: 'the trigger that keeps entries calls it under every release' },
    { name: 'keep_skill_entries', why: 'it keeps entries as an index would, also for releases that know none of them' },
    { name: 'skill_name_parts', why: 'an index is made of it: another text would leave its entries as they are' },
    {
      name: 'keep_log',
      why: 'as keep_claims, for what the log has published',
    },
    {
      name: 'keep_life_of_message',
      why: 'it is for releases before the table of lives, which know none of its functions',
    },
    {
      name: 'keep_claims',
      why: 'it decides nothing but what may never happen, as a constraint does, for every release',
    },
  ],
};

/** A trigger's stub calls one function with the row, and returns null, which every trigger after the row may. */
const STUB = /^begin perform \w+\((?!.*\bselect\b)[^;]*\); return null; end$/;

const order = (domain: string | undefined): number =>
  domain === undefined ? DOMAINS.length : DOMAINS.indexOf(domain as (typeof DOMAINS)[number]);

const describe = ({ at, what, why, instead }: SqlFault): string =>
  `${at} ${what}\n  why: ${why}\n  instead: ${instead}`;

/** Finds what is broken below `root`, each as a text for a reader: place, what, why, what to do. */
export function violations(root: string, exceptions: Exceptions = EXCEPTIONS): { texts: string[]; source: SqlSource } {
  const source = readSql(root, DOMAINS);
  const texts = source.faults.map((fault) => describe(fault));
  const domains = new Map(source.functions.map(({ name, domain }) => [name, domain]));
  const publishers = new Map(source.views.map(({ name, domain }) => [name, domain]));
  const needed = new Set<object>();
  const isExcepted = <T extends object>(list: readonly T[], fits: (one: T) => boolean): boolean => {
    const found = list.filter(fits);
    for (const one of found) needed.add(one);
    return found.length > 0;
  };

  const judgeTable = (sql: Sql, { at, what, table }: { at: string; what: string; table: string }): void => {
    const owner = source.owners.get(table);
    if (owner === undefined || owner === 'shared' || owner === sql.domain) return;
    if (isExcepted(exceptions.tables, (one) => one.table === table && sql.file.startsWith(one.folder))) return;
    texts.push(
      describe({
        at,
        what: `${what} touches ${table}, a table of ${owner}`,
        why: 'a domain that reads the tables of another breaks when that one changes them, and goes past its rules',
        instead: `call a function of ${owner}, or read a view that its migration makes for others`,
      }),
    );
  };
  const judgeView = (sql: Sql, { at, what, view }: { at: string; what: string; view: string }): void => {
    const publisher = publishers.get(view);
    if (publisher === undefined || order(publisher) <= order(sql.domain)) return;
    if (isExcepted(exceptions.views, (one) => one.view === view && one.domain === sql.domain)) return;
    texts.push(
      describe({
        at,
        what: `${what} reads ${view}, a view of ${publisher}`,
        why: `${publisher} stands above ${sql.domain} and may need it: two domains that need each other are one`,
        instead: 'let the domain above pass what is needed, or list the view with its reason in scripts/sql-law.ts',
      }),
    );
  };
  const judgeCall = (sql: Sql, { at, what, call }: { at: string; what: string; call: string }): void => {
    const callee = domains.get(call);
    if (callee === undefined || callee === 'shared' || order(callee) <= order(sql.domain)) return;
    texts.push(
      describe({
        at,
        what: `${what} calls ${call}(), a function of ${callee}`,
        why: `${callee} stands above ${sql.domain} and may need it: two domains that need each other are one`,
        instead: 'let the domain above call the one below and pass what it needs, or move the function down',
      }),
    );
  };
  const judgePrefix = ({ at, what, prefix }: { at: string; what: string; prefix: string }): void => {
    if (Object.hasOwn(lifeId, prefix) || isExcepted(exceptions.prefixes, (one) => one.prefix === prefix)) return;
    texts.push(
      describe({
        at,
        what: `${what} spells '${prefix}:', which is no kind of life`,
        why: 'a message for a life that src/ids/life-ids.ts does not know reaches nobody',
        instead: "spell it as lifeId does, '<kind>:'; list another prefix with what it means in scripts/sql-law.ts",
      }),
    );
  };
  const judge = (sql: Sql, what: string): void => {
    const at = `${sql.file}:${sql.line}`;
    for (const table of sql.tables) {
      judgeTable(sql, { at, what, table });
      judgeView(sql, { at, what, view: table });
    }
    for (const call of sql.calls) judgeCall(sql, { at, what, call });
    for (const prefix of sql.prefixes) judgePrefix({ at, what, prefix });
  };

  const judgeRefusals = ({ file, line, name, refusals }: SqlFunction): void => {
    for (const code of refusals) {
      if (code !== undefined && Object.hasOwn(ErrorCodes, code)) continue;
      texts.push(
        describe({
          at: `${file}:${line}`,
          what:
            code === undefined
              ? `${name}() refuses with a code that is not one literal`
              : `${name}() refuses with ${code}`,
          why:
            code === undefined
              ? 'a code that is put together is found by no search'
              : 'a caller would get a 500: src/errors/codes.ts has no such code',
          instead:
            code === undefined
              ? "write it out: refuse('CODE', …)"
              : 'name a code of src/errors/codes.ts, or add it there',
        }),
      );
    }
  };
  const raisers = new Map<string, string>();
  const judgeStates = ({ file, line, name, states }: SqlFunction): void => {
    for (const state of states) {
      const other = raisers.get(state);
      raisers.set(state, name);
      if (other === undefined && Object.values<string>(SqlStates).includes(state)) continue;
      texts.push(
        describe({
          at: `${file}:${line}`,
          what:
            other === undefined
              ? `${name}() raises ${state}, which src/database/sql-states.ts lacks`
              : `${name}() raises ${state}, as ${other}() does`,
          why: 'a SQLSTATE that is caught must mean one thing',
          instead:
            "refuse('CODE', …) what a caller is told; what our own code acts on has a state of its own in src/database/sql-states.ts",
        }),
      );
    }
  };
  const judgeForm = ({ file, line, name, body, variables, isTrigger, triggersOf }: SqlFunction): void => {
    const at = `${file}:${line}`;
    for (const [variable] of [...variables].filter(([, type]) => type === 'record'))
      texts.push(
        describe({
          at,
          what: `${name}() has a variable of type record, ${variable}`,
          why: 'what it holds is known only when it runs, so no check can read the statements that name it',
          instead: 'give it the type of the table or view, or one variable a column',
        }),
      );
    if (!file.includes('/migrations/')) return;
    if (!STUB.test(body) && !isExcepted(exceptions.bodies, (one) => one.name === name))
      texts.push(
        describe({
          at,
          what: `${name}() decides something in a migration`,
          why: 'a migration never changes, and every release shares what it makes',
          instead:
            'leave the stub of a trigger, `begin perform <function>(…); return null; end`, and write the function beside its domain, in sql/',
        }),
      );
    if (isTrigger && triggersOf.size === 0)
      texts.push(
        describe({
          at,
          what: `${name}() belongs to no trigger`,
          why: 'nothing calls it',
          instead: 'make the trigger, or delete it',
        }),
      );
  };

  const judgeLife = ({ file, line, name, prefixes, calls }: SqlFunction): void => {
    const advanced = /^advance_(\w+)$/.exec(name)?.[1] ?? '';
    const kind = advanced === 'log' ? 'log-sequencer' : advanced.replaceAll('_', '-');
    if (!Object.hasOwn(lifeId, kind)) return;
    const spelled = [...prefixes].filter((prefix) => Object.hasOwn(lifeId, prefix)).join(', ');
    if (spelled !== kind)
      texts.push(
        describe({
          at: `${file}:${line}`,
          what: `${name}() spells ${spelled === '' ? 'no kind of life' : spelled}`,
          why: `it deletes the messages of ${kind}, and says when to look again`,
          instead: `write '${kind}:' || id, and let another function wake other lives`,
        }),
      );
    for (const call of ['begin_look', 'look_again'])
      if (![...calls].includes(call))
        texts.push(
          describe({
            at: `${file}:${line}`,
            what: `${name}() does not call ${call}()`,
            why: 'a look deletes the messages that it has seen, and says when somebody must look again; otherwise a life is lost',
            instead: `call begin_look('${kind}:' || id) first, and look_again('${kind}:' || id, owner, moment) last`,
          }),
        );
  };

  for (const one of source.functions) {
    judge(one, `${one.name}()`);
    judgeRefusals(one);
    judgeStates(one);
    judgeLife(one);
    judgeForm(one);
  }
  for (const view of source.views) judge(view, `the view ${view.name}`);
  for (const template of source.templates) judge(template, 'the statement');

  const names = source.functions.map(({ name }) => name);
  for (const { name, file, line } of source.functions.filter((one, place) => names.indexOf(one.name) !== place))
    texts.push(
      describe({
        at: `${file}:${line}`,
        what: `makes ${name}() a second time`,
        why: 'a function has one text, and which of two is called depends on the search_path',
        instead: 'give it another name',
      }),
    );
  for (const one of Object.values(exceptions)
    .flat()
    .filter((exception) => !needed.has(exception)))
    texts.push(
      describe({
        at: 'scripts/sql-law.ts',
        what: `excepts ${JSON.stringify(one)}, which nothing needs`,
        why: 'an exception that is left over lets the next break pass',
        instead: 'delete it',
      }),
    );
  return { texts, source };
}
