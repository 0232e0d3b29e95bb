import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../../scripts/imports.ts';
import { tablesOfPeople, withTables } from '../../scripts/people-table.ts';
import { governedActs, ruleOfAct, type GovernedAct } from '../../src/commands/governed-acts.ts';
import { refusalsOf } from '../../src/http/refusals.ts';
import { routes } from '../../src/process/routes.ts';

const root = join(import.meta.dirname, '../..');
const acts = Object.keys(governedActs) as GovernedAct[];
const routeOf = (call: string) => routes.find(({ method, path }) => call === `${method.toUpperCase()} ${path}`);

describe('docs/people.md', () => {
  it('has the governed acts and the calls of persons as the code has them (node scripts/write-people.ts)', () => {
    const page = readFileSync(join(root, 'docs/people.md'), 'utf8');
    assert.equal(page, withTables(page));
    for (const rows of Object.values(tablesOfPeople)) assert(page.includes(rows()));
  });
});

describe('The list of governed acts', () => {
  it('names routes, each of which may ask for an approval, and no other may', () => {
    const governed = new Set(acts.map((act) => ruleOfAct(act).call));
    for (const call of governed) assert(routeOf(call) !== undefined, `there is no route ${call}`);
    const asking = routes.filter((route) => refusalsOf(route).includes('GOVERNANCE_APPROVAL_REQUIRED'));
    assert.deepEqual(
      asking.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
      [...governed].toSorted(),
    );
  });

  it('says that an owner decides only where the route may say so too', () => {
    for (const act of acts) {
      const { call, by } = ruleOfAct(act);
      const route = routeOf(call);
      assert(route !== undefined);
      if (by === 'owner') assert(refusalsOf(route).includes('NOT_OWNER'), call);
    }
  });

  it('has no act that no command asks the gate about', () => {
    const texts = sourceFiles(root)
      .filter((file) => file.startsWith('src/') && !file.endsWith('governed-acts.ts'))
      .map((file) => readFileSync(join(root, file), 'utf8'));
    for (const act of acts)
      assert(
        texts.some((text) => text.includes(`'${act}'`)),
        act,
      );
  });
});
