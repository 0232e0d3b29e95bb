// Adds new migrations to the list of those that have landed: the last step of writing one. An entry that is there is never changed.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LANDED, landingOf } from './landed-migrations.ts';

const root = process.argv[2] ?? dirname(import.meta.dirname);
const { faults, listed, missing } = landingOf(root);
if (faults.length > 0) {
  console.log(faults.join('\n\n'));
  process.exitCode = 1;
} else {
  const entries = [...listed, ...missing].toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(join(root, LANDED), entries.map(([name, sum]) => `${sum}  ${name}\n`).join(''));
  console.log(missing.size === 0 ? 'Every migration is in the list.' : `Added ${[...missing.keys()].join(', ')}.`);
}
