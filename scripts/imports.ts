import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { parseSync, Visitor, type Expression } from 'oxc-parser';

/**
 * One import of one file. `target` is a path from the root (`src/ids/ids.ts`), `npm:<package>` without a path inside it,
 * `node:<builtin>`, `missing:<specifier>` for what resolves to nothing, `computed:<source>` for what is known at run time alone.
 */
export type Import = { file: string; line: number; specifier: string; kind: 'value' | 'type'; target: string };

/** The folders that the import law is about. */
const folders = ['src', 'workflows', 'activities', 'temporal', 'test', 'bench', 'scripts', 'sdk'];

/** Every `.ts` file in them, as paths from `root`, sorted. */
export function sourceFiles(root: string): string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    )
    .filter((path) => path.endsWith('.ts') && !path.split('/').includes('node_modules'))
    .toSorted();
}

/**
 * Finds all forms of imports: import, re-export, `import()`, `import("…").T`, `import x = require("…")`.
 * Only `import type`, `export type` and `import("…").T` are of kind `type`: type stripping keeps `import { type T }`
 * as a bare import, which loads the module.
 * @throws {SyntaxError} when the file does not parse; skipping it would hide its imports.
 */
export function importsOf(root: string, file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8');
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new SyntaxError(`${file} does not parse: ${errors[0].message}`);
  const imports: Import[] = [];
  const add = (specifier: Expression, kind: Import['kind']) => {
    const line = source.slice(0, specifier.start).split('\n').length;
    const head = literalHead(specifier);
    const name = head ?? source.slice(specifier.start, specifier.end);
    imports.push({
      file,
      line,
      specifier: name,
      kind,
      target: head === undefined ? `computed:${name}` : targetOf(root, { file, specifier: head }),
    });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source, node.importKind ?? 'value'),
    ExportNamedDeclaration: (node) => node.source && add(node.source, node.exportKind ?? 'value'),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind ?? 'value'),
    ImportExpression: (node) => add(node.source, 'value'),
    TSImportType: (node) => add(node.source, 'type'),
    TSExternalModuleReference: (node) => add(node.expression, 'value'),
  }).visit(program);
  return imports;
}

/**
 * The specifier as far as it is known without running: a literal, or of a template the text before its first `${` when
 * that names a scope (`@scope/…`, as for the packages of a platform).
 */
function literalHead(specifier: Expression): string | undefined {
  if (specifier.type === 'Literal' && typeof specifier.value === 'string') return specifier.value;
  if (specifier.type !== 'TemplateLiteral') return undefined;
  const head = specifier.quasis[0]?.value.cooked ?? '';
  return specifier.expressions.length === 0 || /^@[^/]+\//.test(head) ? head : undefined;
}

function targetOf(root: string, { file, specifier }: { file: string; specifier: string }): string {
  if (isBuiltin(specifier)) return `node:${specifier.replace(/^node:/, '')}`;
  if (/^[./]/.test(specifier)) {
    const path = join(root, dirname(file), specifier);
    const target = relative(root, path);
    return existsSync(path) && !target.startsWith('..') ? target : `missing:${specifier}`;
  }
  const [scope = '', name = ''] = specifier.split('/');
  return `npm:${scope.startsWith('@') ? `${scope}/${name}` : scope}`;
}
