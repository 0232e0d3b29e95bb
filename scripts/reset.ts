import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { holdDataDirectory, stopLeftovers } from '../src/embedded/index.ts';

/** Empties the data directory, so that the next start begins again: `npm run reset`, or without a question `npm run reset -- --yes`. */

/** Locked by the instance that runs on the directory; a directory without it was never used by one. */
const LOCK = 'instance.lock';

/** The files that a start creates there; everything else is kept. */
const SERVICE_FILES: ReadonlyMap<string, string> = new Map([
  ['postgres', 'the database: operators, skills, wallets, claims, everything'],
  ['temporal', 'the runs of the Temporal server'],
  ['logs', 'the logs of Postgres and Temporal'],
  ['fetch', 'what was fetched to run them'],
  ['credentials.json', 'the keys of the demo operators and of the administrator'],
  ['encryption.key', 'the key that decrypts what is stored encrypted'],
  [LOCK, 'the lock against a second instance'],
  ['running.json', 'the address of the instance that ran last'],
]);

const refuse = (sentence: string): never => {
  console.error(`carnet: ${sentence}`);
  process.exit(1);
};

async function confirmed(): Promise<boolean> {
  process.stdout.write('Type yes to delete all of it: ');
  const lines = createInterface({ input: process.stdin });
  const [answer] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  lines.close();
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
const mustConfirm = !process.argv.includes('--yes');
if (mustConfirm && !process.stdin.isTTY) {
  refuse('There is no terminal for the question; npm run reset -- --yes deletes without it.');
}
const entries = readdirSync(dataDir);
try {
  const { release } = holdDataDirectory(dataDir); // to the end, so that nothing starts meanwhile
  const deleted = entries.filter((name) => SERVICE_FILES.has(name));
  const others = entries.filter((name) => !SERVICE_FILES.has(name));
  console.log(
    `This deletes, in ${dataDir}:\n${deleted.map((name) => `  ${name.padEnd(18)}${SERVICE_FILES.get(name)}`).join('\n')}`,
  );
  if (others.length > 0)
    console.log(`These are not Carnet's and stay:\n${others.map((name) => `  ${name}`).join('\n')}`);
  if (mustConfirm && !(await confirmed())) {
    release();
    refuse('Nothing was deleted.');
  }
  await stopLeftovers(dataDir);
  for (const name of deleted.filter((one) => one !== LOCK))
    rmSync(join(dataDir, name), { recursive: true, force: true });
  release();
  rmSync(join(dataDir, LOCK), { force: true });
  console.log('Deleted. The next npm start begins with an empty service.');
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error));
}
