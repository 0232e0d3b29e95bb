import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { moduleState } from '../../scripts/module-state.ts';

/** Returns what is found in a project of this one file, as `<file>:<line> <variable>`. */
function foundIn(text: string, file = 'src/skills/cache.ts'): string[] {
  const root = mkdtempSync(join(tmpdir(), 'carnet-module-state-'));
  try {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    return moduleState(root)
      .texts.map((line) => line.split('\n')[0] ?? '')
      .flatMap((line) => /^(\S+ \S+) keeps state/.exec(line)?.[1] ?? []);
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe('scripts/module-state.ts', () => {
  for (const [what, text] of [
    ['a variable that changes', 'let found = 0;'],
    ['an exported one', 'export let found: string | undefined;'],
    ['a Map to be filled', 'const found = new Map<string, number>();'],
    ['a Set to be filled', 'export const found = new Set();'],
    ['a cache', 'const found = new LRUCache<string, string>({ max: 10 });'],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.deepEqual(foundIn(`// a comment\n${text}\n`), ['src/skills/cache.ts:2 found']);
    });
  }

  for (const [what, text, file] of [
    ['a table', `const names = new Set(['a', 'b']); const byName = new Map(entries);`, undefined],
    ['what a function keeps while it runs', 'function count() { let sum = 0; const seen = new Set(); }', undefined],
    ['a cache of the context', 'const found = defineCache(() => new Map());', undefined],
    ['a script', 'let found = 0;', 'scripts/count.ts'],
    ['a named exception', 'let embedded; let parts;', 'src/main.ts'],
  ] as const) {
    it(`accepts ${what}`, () => {
      assert.deepEqual(foundIn(text, file), []);
    });
  }

  it('names exceptions that are gone', () => {
    const root = mkdtempSync(join(tmpdir(), 'carnet-module-state-'));
    try {
      assert(
        moduleState(root).texts.includes('src/main.ts parts is named in scripts/module-state.ts and does not exist'),
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('finds nothing in this project', () => {
    assert.deepEqual(moduleState(join(import.meta.dirname, '../..')).texts, []);
  });
});
