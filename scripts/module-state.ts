import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync, type Statement, type VariableDeclarator } from 'oxc-parser';
import { sourceFiles } from './imports.ts';

/**
 * Refuses state in variables of modules: what a process remembers stands in its context (`defineCache`), so that two contexts in one process,
 * as tests have them, share nothing. Seen as state are `let`, an empty Map, Set, WeakMap or WeakSet (only good for being filled), and an LRUCache.
 */
const allowed: Readonly<Record<string, string>> = {
  'src/main.ts embedded': 'an entry point is loaded once, and stops what it started when a signal comes',
  'src/main.ts parts': 'an entry point is loaded once, and stops what it started when a signal comes',
  'src/database/functions.ts own': 'the texts of the SQL functions, which are the same as long as the process runs',
  'src/embedded/ports.ts chosen': 'ports are the machine’s, not the context’s',
  'src/json-schema/compile.ts metaschemas': 'runs in a worker thread, which has no context; the same in each',
  'src/json-schema/worker.ts cache': 'runs in a worker thread, which has no context and is killed whole',
  'src/metrics/metrics.ts sources':
    'what a process counts is the process’s, and so are its parts that count by themselves',
  'temporal/runtime.ts log': 'the SDK has one runtime a process, and so one log',
};

const collections = new Set(['Map', 'Set', 'WeakMap', 'WeakSet']);

/** State that is not allowed, and allowed state that is gone, each as a text for a reader. */
export function moduleState(root: string): { texts: string[]; files: number } {
  const files = sourceFiles(root).filter((file) => /^(src|temporal|activities|workflows)\//.test(file));
  const found = files.flatMap((file) => stateIn(root, file));
  const names = new Set(found.map(({ name }) => name));
  return {
    texts: [
      ...found
        .filter(({ name }) => !(name in allowed))
        .map(
          ({ name, line }) => `${name.replace(' ', `:${line} `)} keeps state in a variable of a module
  why: every context of the process would share it, and nothing ever empties it
  instead: defineCache in src/context/caches.ts, or an object that the context holds; a true exception is named in scripts/module-state.ts`,
        ),
      ...Object.keys(allowed)
        .filter((name) => !names.has(name))
        .map((name) => `${name} is named in scripts/module-state.ts and does not exist`),
    ],
    files: files.length,
  };
}

function stateIn(root: string, file: string): { name: string; line: number }[] {
  const source = readFileSync(join(root, file), 'utf8');
  return parseSync(file, source).program.body.flatMap((statement) => {
    const declaration = declarationOf(statement);
    if (declaration?.type !== 'VariableDeclaration' || declaration.declare === true) return [];
    return declaration.declarations
      .filter((one) => declaration.kind !== 'const' || isMutable(one))
      .map(({ id, start }) => ({
        name: `${file} ${id.type === 'Identifier' ? id.name : source.slice(id.start, id.end)}`,
        line: source.slice(0, start).split('\n').length,
      }));
  });
}

const declarationOf = (statement: Statement) =>
  statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;

function isMutable({ init }: VariableDeclarator): boolean {
  if (init?.type !== 'NewExpression' || init.callee.type !== 'Identifier') return false;
  const { name } = init.callee;
  return name === 'LRUCache' || (collections.has(name) && init.arguments.length === 0);
}

if (import.meta.main) {
  const { texts, files } = moduleState(resolve(process.argv[2] ?? dirname(import.meta.dirname)));
  console.log(
    texts.length === 0 ? `module state: ${files} files keep none beyond the named exceptions` : texts.join('\n\n'),
  );
  process.exitCode = texts.length === 0 ? 0 : 1;
}
