import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf } from '../../scripts/imports.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('load-roles.ts', () => {
  it('loads what processes load late and in threads', () => {
    const loaded = new Set(importsOf(ROOT, 'test/support/load-roles.ts').map(({ target }) => target));
    const late = globSync('src/*/**/*.ts', { cwd: ROOT }).flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\b(?:import|new URL)\('(\.[^']+\.ts)'/g)].map(
        ([, target = '']) => relative(ROOT, join(ROOT, file, '..', target)),
      ),
    );
    assert(late.length > 10, 'they are found');
    // Traces are exported in one test alone, and migrations run when they are loaded.
    const others = new Set(['src/tracing/export.ts', 'src/database/migrate-once.ts']);
    assert.deepEqual(new Set(late).difference(loaded).difference(others), new Set());
  });
});
