import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readImports, testsOfChange } from '../../scripts/tests-of-change.ts';

const imports = readImports(join(import.meta.dirname, '../..'));
const touchedBy = (...changed: string[]): string[] => testsOfChange(imports, changed);

describe('npm test -- --changed', () => {
  it('runs the tests that load what has changed, through other files too', () => {
    const tests = touchedBy('scripts/imports.ts');
    assert(tests.includes('test/tooling/import-law.test.ts'), tests.join(', '));
    assert(!tests.includes('test/mail/mail-life.test.ts'), tests.join(', '));
  });

  it('runs the tests that stand where the changed file stands', () => {
    const tests = touchedBy('src/governance/sql/request_approval.sql');
    assert.deepEqual(tests, [
      'test/governance/access.test.ts',
      'test/governance/approvals.test.ts',
      'test/governance/gate.test.ts',
      'test/governance/oauth-requesters.test.ts',
      'test/governance/pages/approvals-page.test.ts',
      'test/governance/subjects.test.ts',
      'test/governance/without-a-person.test.ts',
    ]);
  });

  it('runs a changed test, and nothing for a page of the documentation', () => {
    assert.deepEqual(touchedBy('test/governance/gate.test.ts'), ['test/governance/gate.test.ts']);
    assert.deepEqual(touchedBy('docs/concepts.md'), []);
  });
});
