import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sourceFiles } from '../../scripts/imports.ts';

const root = join(import.meta.dirname, '../..');

/** Lints temporary files with the project's own configuration; returns `<file> <rule>`, sorted. */
function lint(files: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'carnet-lint-'));
  try {
    for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json'])
      cpSync(join(root, name), join(folder, name));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['--format', 'json', ...Object.keys(files)], {
      cwd: folder,
      encoding: 'utf8',
    });
    const report = JSON.parse(stdout) as {
      diagnostics: { filename: string; code?: string; message: string; severity: string }[];
    };
    return report.diagnostics
      .map(({ filename, code, message, severity }) => `${filename} ${severity} ${code ?? message}`)
      .toSorted();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const refused: [rule: string, text: string][] = [
  ['typescript(no-explicit-any)', 'export const first = (list: any): string => String(list);'],
  ['typescript(no-unsafe-return)', `export const read = (): string => JSON.parse('""');`],
  ['typescript(no-non-null-assertion)', 'export const first = (list: string[]): string => list[0]!;'],
  ['typescript(no-floating-promises)', 'export const start = (work: () => Promise<void>): void => { work(); };'],
  [
    'typescript(no-misused-promises)',
    'export const start = (work: () => Promise<boolean>): string => (work() ? "yes" : "no");',
  ],
  ['typescript(ban-ts-comment)', '// @ts-ignore\nexport const ignored: string = 1;'],
  [
    'typescript(switch-exhaustiveness-check)',
    `export const say = (kind: 'a' | 'b'): void => { switch (kind) { case 'a': break; } };`,
  ],
  ['eslint(no-console)', `export const say = (): void => console.log('said');`],
  ['import(no-default-export)', 'export default 1;'],
  ['node(no-process-env)', 'export const home = process.env.HOME;'],
];

describe('the lint rules', () => {
  it('refuse in the code of the service what style refuses', () => {
    const files = Object.fromEntries(refused.map(([, text], index) => [`src/skills/case-${index}.ts`, text]));
    const found = lint(files);
    assert.deepEqual(
      refused
        .map(([rule], index) => `src/skills/case-${index}.ts error ${rule}`)
        .filter((line) => !found.includes(line)),
      [],
      found.join('\n'),
    );
  });

  it('report nothing where entry points print and tests read answers', () => {
    const files = {
      'src/main.ts': `console.log(process.env.PORT);`,
      'test/answers.test.ts': `export const name = async (answer: Response): Promise<string> => (await answer.json()).name;`,
      'src/skills/publish.ts': 'export const publish = (price: number): string => `${price} cents`;',
    };
    assert.deepEqual(lint(files), []);
  });

  it('report a suppression that suppresses nothing', () => {
    const [found] = lint({
      'src/skills/publish.ts': '// oxlint-disable-next-line no-console -- it prints\nexport const publish = 1;',
    });
    assert.match(found ?? '', /^src\/skills\/publish\.ts error Unused oxlint-disable/);
  });

  it('are suppressed nowhere in the tree without a reason behind `--`', () => {
    const suppression = /(?:oxlint|eslint)-disable(?!.* -- \w)/;
    const bare = sourceFiles(root)
      .filter((file) => join(root, file) !== import.meta.filename)
      .flatMap((file) =>
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .flatMap((line, index) => (suppression.test(line) ? [`${file}:${index + 1}`] : [])),
      );
    assert.deepEqual(bare, []);
  });
});
