import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { importsOf, sourceFiles, type Import } from './imports.ts';
import { isTest } from './test-order.ts';

/** Who loads what, of all source files: seconds of a processor. */
interface Imports {
  files: string[];
  loadedBy: ReadonlyMap<string, Import[]>;
}

export function readImports(root: string): Imports {
  const files = sourceFiles(root);
  return {
    files,
    loadedBy: Map.groupBy(
      files.flatMap((file) => importsOf(root, file)),
      ({ target }) => target,
    ),
  };
}

/**
 * The test files that a change touches: those that load a changed file, no matter what stands in between, and those that stand where the
 * changed file stands (`src/billing/wallet/x.ts` → `test/billing/wallet/**`, `src/mail/sql/x.sql` → `test/mail/**`), since most tests
 * speak to a running service over HTTP and load nothing of it.
 * @param changed paths from the root
 * @returns paths from the root, sorted
 */
export function testsOfChange({ files, loadedBy }: Imports, changed: string[]): string[] {
  const touched = new Set(changed);
  for (const file of touched) for (const { file: importer } of loadedBy.get(file) ?? []) touched.add(importer);
  const folders = changed.flatMap(testFoldersOf);
  return files.filter(
    (file) => isTest(file) && (touched.has(file) || folders.some((folder) => file.startsWith(`${folder}/`))),
  );
}

/** Where the tests of a file of the house stand. */
function testFoldersOf(file: string): string[] {
  const [top = '', ...inside] = dirname(file).split('/');
  const place = inside.filter((folder) => folder !== 'sql');
  if (top === 'src') return place.length === 0 ? ['test/process'] : [join('test', ...place)];
  if (top === 'workflows' || top === 'activities') return ['test/replay', 'test/temporal'];
  if (top === 'temporal') return ['test/temporal'];
  return top === 'scripts' ? ['test/tooling'] : [];
}

/** Lists what differs from `revision` in this checkout, files that git does not track yet included. */
export function changedSince(root: string, revision: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  return [...git('diff', '--name-only', revision), ...git('ls-files', '--others', '--exclude-standard')];
}
