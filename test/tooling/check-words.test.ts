import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { refusedWords } from '../../scripts/check-words.ts';

const root = join(import.meta.dirname, '../..');
const script = join(root, 'scripts/check-words.ts');

function inFolder<T>(files: Record<string, string>, look: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'carnet-words-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return look(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lays one file in an empty folder and returns what is refused there, `<line> <words>` each. */
const refusedIn = (file: string, text: string): string[] =>
  inFolder({ [file]: text }, (folder) => refusedWords(folder).faults.map(({ line, words }) => `${line} ${words}`));

/** [where, file, text, what is refused] */
const planted: [string, string, string, string][] = [
  ['a comment', 'src/a.ts', 'const a = 1;\n// Sent at once.', '2 at once'],
  ['a comment behind code', 'src/a.ts', 'const a = 1; // whatever it is', '1 whatever'],
  ['a later line of a comment', 'src/a.ts', '/**\n * Sent\n * anew.\n */', '3 anew'],
  ['two lines of a comment', 'src/a.ts', '/**\n * Sent at\n * once.\n */', '2 at once'],
  ['two lines of comments', 'src/a.ts', '// It says what became\n// of it.', '1 what became of'],
  ['a comment in SQL', 'src/a.sql', 'select 1;\n-- Whoever is first.', '2 Whoever'],
  ['a comment behind SQL', 'src/a.sql', 'select 1; -- hence', '1 hence'],
  ['a module of Node', 'scripts/a.mjs', '// Lest it stops.', '1 Lest'],
  ['a shell script', '.ci/run', '# The end thereof.', '1 thereof'],
  ['YAML', 'docker-compose.yml', 'services: # wherein they are', '1 wherein'],
  ['the title of a test', 'test/a.test.ts', "it('sends at once', () => {});", '1 at once'],
  ['the title of a block', 'test/a.test.ts', "\ndescribe('Whose key it is', () => {});", '2 Whose'],
  ['a title with a value', 'test/a.test.ts', 'it(`sends ${n} anew`, () => {});', '1 anew'],
  ['the title of a test that runs alone', 'test/a.test.ts', "it.only('whatever', () => {});", '1 whatever'],
  ['a page', 'page.md', '# Page\n\nIt is sent at once.', '3 at once'],
  ['two lines of a page', 'page.md', 'It is sent at\nonce.', '1 at once'],
  ['a heading', 'page.md', '## What is refused', '1 What is'],
  ['the beginning of a comment', 'src/a.ts', '/** Of an operator eight run. */', '1 Of'],
  ['the beginning of its next line', 'src/a.ts', '/**\n * One runs.\n * What a person reads.\n */', '3 What a'],
  ['the beginning of a list', 'page.md', '- What the service does', '1 What the'],
  ['bold words', 'page.md', '1. **What it costs.** Nothing.', '1 What it'],
];

const sound: [string, string, string][] = [
  ['code', 'src/a.ts', 'const whatever = "at once"; log.info(`Whoever ${whatever}`);'],
  ['text in backticks', 'page.md', 'The word `at once` says nothing.'],
  ['a block of code in a page', 'page.md', '```sh\n# at once\n```'],
  ['the name of a file', 'src/a.ts', '// See begin-anew.ts and src/anew/a.ts.'],
  ['words in the middle', 'src/a.ts', '// It says what is refused, and whose it is, of all.'],
  ['a value that looks like a comment', 'src/a.sql', "select 'at once';"],
  ['a migration', 'src/database/migrations/0001-a.sql', '-- Whoever is first.'],
];

describe('check-words', () => {
  for (const [where, file, text, found] of planted) {
    it(`refuses a word in ${where}`, () => {
      assert.deepEqual(refusedIn(file, text), [found]);
    });
  }

  for (const [where, file, text] of sound) {
    it(`accepts ${where}`, () => {
      assert.deepEqual(refusedIn(file, text), []);
    });
  }

  it('says for each word where it is and what to write', () => {
    inFolder({ 'src/a.ts': '// Sent anew.' }, (folder) => {
      const { status, stdout } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
      assert.equal(stdout, 'src/a.ts:1 says "anew"\n  instead: say "again" or "from the beginning"\n');
      assert.equal(status, 1);
    });
  });

  it('finds nothing in this project', () => {
    assert.deepEqual(refusedWords(root).faults, []);
  });

  it('is part of CI', () => {
    assert.match(readFileSync(join(root, '.ci/run'), 'utf8'), /^stage 'words' node scripts\/check-words\.ts$/m);
  });
});
