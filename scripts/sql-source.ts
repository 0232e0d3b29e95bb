import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadModule, parsePlPgSQLSync, parseSync, scanSync } from 'libpg-query';
import { parseSync as parseTypeScript, Visitor } from 'oxc-parser';

await loadModule();

/** A statement of a file: what it is, and what it touches. */
export interface Sql {
  file: string;
  line: number;
  /** 'shared', a domain, or undefined for TypeScript that belongs to none. */
  domain: string | undefined;
  /** Tables and views. */
  tables: Set<string>;
  calls: Set<string>;
  /** Literals that end in a colon, without it: `'invocation:' || id`. */
  prefixes: Set<string>;
}

/** One `create function`. */
export interface SqlFunction extends Sql {
  name: string;
  language: 'sql' | 'plpgsql';
  text: string;
  /** Between the $$, without comments, in single spaces. */
  body: string;
  isTrigger: boolean;
  /** Tables whose triggers call it. */
  triggersOf: Set<string>;
  /** Code of each `refuse(…)`; undefined where it is not spelled as one literal. */
  refusals: (string | undefined)[];
  /** SQLSTATEs that it raises. */
  states: Set<string>;
  /** Variables by name with their types as written, of plpgsql; new and old of a trigger are not among them. */
  variables: Map<string, string>;
  /** Each SQL text of the body as a statement. */
  statements: string[];
}

export interface SqlSource {
  functions: SqlFunction[];
  views: (Sql & { name: string })[];
  templates: Sql[];
  /** Which domain a table belongs to: the one whose migration makes it. Of a view it is `domain`. */
  owners: Map<string, string>;
  /** Faults of form: what a file holds, how it is named and written. */
  faults: SqlFault[];
}

/** One fault for a reader: place, what, why, what to do. */
export interface SqlFault {
  at: string;
  what: string;
  why: string;
  instead: string;
}

/** A statement of a file as it is written. */
interface Written {
  file: string;
  line: number;
  domain: string | undefined;
  text: string;
}

/** Folders below src/ that every domain stands on; their tables are those of 0001-shared.sql. */
const GROUND = new Set(['commands', 'database', 'one-time-codes']);

type Tree = unknown;

function* nodes(tree: Tree): Generator<[string, Record<string, unknown>]> {
  if (tree === null || typeof tree !== 'object') return;
  for (const [key, value] of Object.entries(tree)) {
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      yield [key, value as Record<string, unknown>];
    yield* nodes(value);
  }
}

const strings = (list: unknown): string[] =>
  (list as { String?: { sval: string } }[]).map((one) => one.String?.sval ?? '');

/** The word before the colon, of `'invocation:'`. */
const prefixOf = (literal = ''): string[] => /^([a-z][a-z-]*):$/.exec(literal)?.slice(1) ?? [];

/** The names in a statement: tables and views, functions, and prefixes of ids. */
function touched(text: string): { tables: string[]; calls: string[]; prefixes: string[] } {
  const all = [...nodes(parseSync(text))];
  const temporary = new Set(
    all.filter(([kind]) => kind === 'CommonTableExpr').map(([, node]) => node.ctename as string),
  );
  return {
    tables: all
      .filter(([, node]) => typeof node.relname === 'string' && !temporary.has(node.relname))
      .map(([, node]) => node.relname as string),
    calls: all.filter(([kind]) => kind === 'FuncCall').map(([, node]) => strings(node.funcname).at(-1) ?? ''),
    prefixes: all
      .filter(([kind]) => kind === 'A_Const')
      .flatMap(([, { sval }]) => prefixOf((sval as { sval?: string } | undefined)?.sval)),
  };
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Without comments, each character of which becomes a space: offsets stay. */
const withoutComments = (text: string): string => text.replaceAll(/--[^\n]*/g, (comment) => ' '.repeat(comment.length));

/** Types as they are written in arguments, out parameters and declarations: `p_id text`, `moment constant timestamptz := …`. */
function declared(text: string): string {
  const [, head = '', declarations = ''] =
    /^([\s\S]*?\bas \$\$)(?:[\s\S]*?\bdeclare\b([\s\S]*?)\bbegin\b)?/.exec(text) ?? [];
  return head + declarations;
}

const typeOf = (name: string, declarations: string): string =>
  new RegExp(`(?<![\\w.])${name}\\s+(?:constant\\s+)?([a-z_]\\w*(?:\\[\\])?)`).exec(declarations)?.[1] ?? 'record';

const statementOf = ({ query, parseMode }: { query: string; parseMode: number }): string => {
  if (parseMode === 0) return query;
  return `select ${parseMode === 2 ? query : query.replace(/^[\w.[\]]+\s*:?=/, '')}`;
};

function readFunction({ file, line, domain, text }: Written): SqlFunction {
  const tree = parseSync(text).stmts?.[0]?.stmt as { CreateFunctionStmt?: { funcname: unknown } } | undefined;
  const name = strings(tree?.CreateFunctionStmt?.funcname).at(-1) ?? '';
  const language = /\blanguage (\w+)/.exec(text)?.[1] === 'sql' ? 'sql' : 'plpgsql';
  const bare = withoutComments(text);
  const variables = new Map<string, string>();
  const statements: string[] = [];
  if (language === 'sql') statements.push(text.slice(text.indexOf('$$') + 2, text.lastIndexOf('$$')));
  else {
    for (const [kind, node] of nodes(parsePlPgSQLSync(text))) {
      if (kind === 'PLpgSQL_expr') statements.push(statementOf(node as { query: string; parseMode: number }));
      if ((kind !== 'PLpgSQL_var' && kind !== 'PLpgSQL_rec') || typeof node.refname !== 'string') continue;
      const { typname } = (node.datatype as { PLpgSQL_type?: { typname: string } } | undefined)?.PLpgSQL_type ?? {
        typname: 'record',
      };
      variables.set(node.refname, typname === 'record' ? typeOf(node.refname, declared(bare)) : typname);
    }
  }
  const isTrigger = /\breturns trigger\b/.test(bare);
  if (isTrigger) for (const row of ['new', 'old']) variables.delete(row);
  const all = statements.map(touched);
  return {
    file,
    line,
    domain,
    name,
    language,
    text,
    body: bare
      .slice(bare.indexOf('$$') + 2, bare.lastIndexOf('$$'))
      .trim()
      .replaceAll(/\s+/g, ' ')
      .replace(/;$/, ''),
    isTrigger,
    triggersOf: new Set(),
    variables,
    statements,
    refusals: [...bare.matchAll(/\brefuse\((?!code text)\s*(?:'(\w+)'\s*,)?/g)].map(([, code]) => code),
    states: new Set([...bare.matchAll(/\berrcode\s*=\s*'(\w+)'/g)].map(([, state = '']) => state)),
    tables: new Set([
      ...all.flatMap(({ tables }) => tables),
      ...declared(bare)
        .matchAll(/\b[a-z_]\w*\b/g)
        .map(([word]) => word),
    ]),
    calls: new Set(all.flatMap(({ calls }) => calls)),
    prefixes: new Set(all.flatMap(({ prefixes }) => prefixes)),
  };
}

/** Statements of a migration or of a file of a function, with the line that each begins at. */
function statementsOf(text: string): { line: number; text: string; kind: string; node: Record<string, unknown> }[] {
  return (parseSync(text).stmts ?? []).map(({ stmt, stmt_location: at = 0, stmt_len: length }) => {
    const bytes = Buffer.from(text);
    const raw = bytes.subarray(at, length === undefined ? undefined : at + length).toString();
    const before = bytes.subarray(0, at).toString();
    const lead = /^(?:\s|--[^\n]*\n)*/.exec(raw)?.[0].length ?? 0;
    const [kind = '', node = {}] = Object.entries(stmt as unknown as Record<string, Record<string, unknown>>)[0] ?? [];
    return { line: lineAt(before + raw, before.length + lead), text: raw.slice(lead), kind, node };
  });
}

const SQL_VERBS = /\b(?:from|join|into|update|using)\s+(?:only\s+)?([a-z_]\w*)/g;

/** Returns what the templates of a file name, as far as reading words shows. */
function templatesOf(root: string, { file, domain }: { file: string; domain: string | undefined }): Sql[] {
  const source = readFileSync(join(root, file), 'utf8');
  if (!source.includes('sql.')) return [];
  const found: Sql[] = [];
  new Visitor({
    TaggedTemplateExpression: ({ tag, quasi }) => {
      if (!source.slice(tag.start, tag.end).startsWith('sql.')) return;
      const text = withoutComments(quasi.quasis.map(({ value }) => value.raw).join(' $1 '));
      const isTemporary = (name: string): boolean =>
        new RegExp(`\\b${name}(?: \\([^)]*\\))? as (?:materialized )?\\(`).test(text);
      const tables = [...text.matchAll(SQL_VERBS)].map(([, name = '']) => name).filter((name) => !isTemporary(name));
      const calls = [...text.matchAll(/(?<![\w.])([a-z_]\w*)\(/g)].map(([, name = '']) => name);
      const prefixes = [...text.matchAll(/'([^']*)'/g)].flatMap(([, literal]) => prefixOf(literal));
      found.push({
        file,
        line: lineAt(source, quasi.start),
        domain,
        tables: new Set(tables),
        calls: new Set(calls),
        prefixes: new Set(prefixes),
      });
    },
  }).visit(parseTypeScript(file, source).program);
  return found;
}

/** Everything below `root` that is SQL. `domains`: the folders of src/ that are one. */
export function readSql(root: string, domains: readonly string[]): SqlSource {
  const source: SqlSource = { functions: [], views: [], templates: [], owners: new Map(), faults: [] };
  const fault = (one: SqlFault): void => void source.faults.push(one);
  const domainOf = (file: string): string | undefined => {
    const folder = file.split('/')[1] ?? '';
    if (GROUND.has(folder)) return 'shared';
    return domains.find((domain) => domain === folder);
  };
  const read = (file: string): ReturnType<typeof statementsOf> | undefined => {
    const text = readFileSync(join(root, file), 'utf8');
    try {
      const loud = scanSync(text).tokens.find((token) => token.keywordKind > 0 && /[A-Z]/.test(token.text));
      if (loud)
        fault({
          at: `${file}:${lineAt(text, loud.start)}`,
          what: `writes ${loud.text}`,
          why: 'keywords are read faster in one way of writing',
          instead: `write ${loud.text.toLowerCase()}`,
        });
      return statementsOf(text);
    } catch (error) {
      fault({
        at: file,
        what: `does not parse: ${error instanceof Error ? error.message : String(error)}`,
        why: 'Postgres would refuse it',
        instead: 'mend the statement',
      });
      return undefined;
    }
  };
  const add = (written: Written): void => {
    try {
      source.functions.push(readFunction(written));
    } catch (error) {
      const { file, line } = written;
      fault({
        at: `${file}:${line}`,
        what: `does not parse: ${error instanceof Error ? error.message : String(error)}`,
        why: 'Postgres would refuse it when it is called',
        instead: 'mend the body',
      });
    }
  };
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => join('src', path))
    .toSorted();
  for (const file of files.filter((path) => /\/migrations\/[^/]+\.sql$/.test(path))) {
    const subject = basename(file, '.sql').replace(/^\d+-/, '');
    const domain = ['shared', ...domains].find((one) => subject === one || subject.startsWith(`${one}-`));
    if (domain === undefined)
      fault({
        at: file,
        what: 'begins with no domain',
        why: 'a table belongs to the domain that its migration is named after',
        instead: 'name it NNNN-<domain>.sql or NNNN-<domain>-<what>.sql',
      });
    for (const { line, text, kind, node } of read(file) ?? []) {
      const { relname: name = '' } = (node.relation ?? node.view ?? {}) as { relname?: string };
      if (kind === 'CreateStmt') source.owners.set(name, domain ?? '');
      if (kind === 'CreateTrigStmt') {
        const called = strings(node.funcname).at(-1);
        source.functions.find((one) => one.name === called)?.triggersOf.add(name);
      }
      if (kind === 'ViewStmt') {
        const { tables, calls, prefixes } = touched(text);
        source.views.push({
          name,
          file,
          line,
          domain,
          tables: new Set(tables.filter((table) => table !== name)),
          calls: new Set(calls),
          prefixes: new Set(prefixes),
        });
      }
      if (kind === 'CreateFunctionStmt') add({ file, line, domain, text });
    }
  }
  for (const file of files.filter((path) => /\/sql\/[^/]+\.sql$/.test(path))) {
    const statements = read(file);
    if (statements === undefined) continue;
    if (basename(file) === 'types.sql') {
      for (const { line, kind } of statements.filter((one) => one.kind !== 'CompositeTypeStmt'))
        fault({
          at: `${file}:${line}`,
          what: `holds a ${kind}`,
          why: 'types.sql is installed before every function',
          instead: 'keep to `create type … as (…)`',
        });
      continue;
    }
    const before = source.functions.length;
    for (const { line, text } of statements) add({ file, line, domain: domainOf(file), text });
    const [made] = source.functions.slice(before);
    if (
      statements.length !== 1 ||
      (made && made.name !== basename(file, '.sql')) ||
      made?.text.startsWith('create or replace')
    )
      fault({
        at: file,
        what: 'is not one `create function` of its own name',
        why: 'the text of a function is found by its name',
        instead: 'one function a file, `sql/<name>.sql`, without `or replace`',
      });
    if (!readFileSync(join(root, file), 'utf8').startsWith('--'))
      fault({
        at: file,
        what: 'does not begin with a comment',
        why: 'a function is read beside its caller, by people who did not write it',
        instead: 'say in a sentence what it does and what it returns',
      });
  }
  for (const file of files.filter((path) => path.endsWith('.ts')))
    source.templates.push(...templatesOf(root, { file, domain: domainOf(file) }));
  return source;
}
