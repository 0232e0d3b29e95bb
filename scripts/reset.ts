import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { holdDataDirectory, stopLeftovers } from '../src/embedded/index.ts';

/** Empties the data directory, so that the next start begins anew: `npm run reset`, which asks, or `npm run reset -- --yes`. */

/** Held by whoever runs on the directory; a directory without it was never run on. */
const LOCK = 'instance.lock';

/** What a start makes there; anything else is somebody's and stays. */
const OURS: ReadonlyMap<string, string> = new Map([
  ['postgres', 'the database: operators, skills, wallets, claims, everything'],
  ['temporal', 'the runs of the Temporal server'],
  ['logs', 'the logs of Postgres and Temporal'],
  ['fetch', 'what was fetched to run them'],
  ['credentials.json', 'the keys of the demo operators and of the administrator'],
  ['encryption.key', 'the key that opens what is stored sealed'],
  [LOCK, 'the lock that keeps two instances apart'],
  ['running.json', 'the note of what ran here last'],
]);

const refuse = (sentence: string): never => {
  console.error(`carnet: ${sentence}`);
  process.exit(1);
};

async function confirmed(): Promise<boolean> {
  process.stdout.write('Type yes to delete all of it: ');
  const asking = createInterface({ input: process.stdin });
  const [answer] = (await Promise.race([once(asking, 'line'), once(asking, 'close')])) as [string?];
  asking.close();
  return answer?.trim() === 'yes';
}

const dataDir = resolve(process.env.DATA_DIR ?? '.carnet');
if (!existsSync(dataDir)) {
  console.log(`There is no ${dataDir}: nothing to delete.`);
  process.exit(0);
}
if (!existsSync(join(dataDir, LOCK))) {
  refuse(
    `${dataDir} is no data directory of Carnet, so nothing in it is deleted; set DATA_DIR to the one that you mean.`,
  );
}
const asked = !process.argv.includes('--yes');
if (asked && !process.stdin.isTTY) {
  refuse('There is no terminal to ask on; say --yes (npm run reset -- --yes) to delete without being asked.');
}
const entries = readdirSync(dataDir);
try {
  const { release } = holdDataDirectory(dataDir); // to the end, so that nothing starts meanwhile
  const doomed = entries.filter((name) => OURS.has(name));
  const others = entries.filter((name) => !OURS.has(name));
  console.log(
    `This deletes, in ${dataDir}:\n${doomed.map((name) => `  ${name.padEnd(18)}${OURS.get(name)}`).join('\n')}`,
  );
  if (others.length > 0)
    console.log(`These are not Carnet's and stay:\n${others.map((name) => `  ${name}`).join('\n')}`);
  if (asked && !(await confirmed())) {
    release();
    refuse('Nothing was deleted.');
  }
  await stopLeftovers(dataDir);
  for (const name of doomed.filter((one) => one !== LOCK))
    rmSync(join(dataDir, name), { recursive: true, force: true });
  release();
  rmSync(join(dataDir, LOCK), { force: true });
  console.log('Deleted. The next npm start begins with an empty service.');
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error));
}
