import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupFault } from '../errors/startup-fault.ts';

export interface RunningFacts {
  base_url: string;
  [name: string]: string;
}

interface Instance {
  /** The data directory as an absolute path without symbolic links. */
  dataDir: string;
  /** Writes facts beside the process id in `running.json`, from which a second start names this one. */
  writeRunningFacts(facts: RunningFacts): void;
  release(): void;
}

const SQLITE_BUSY = 5;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describeRunning(factsFile: string): string {
  try {
    const { pid, base_url: url } = JSON.parse(readFileSync(factsFile, 'utf8')) as { pid: number; base_url?: string };
    return url === undefined ? `process ${pid}, still starting` : `process ${pid}, at ${url}`;
  } catch {
    return 'a process that is just starting';
  }
}

/** Folder by folder: the option `recursive` of Node never returns on file systems without folders, such as /proc (seen). */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function createDataDirectory(dataDir: string): string {
  try {
    makeFolders(resolve(dataDir));
    return realpathSync(dataDir);
  } catch (error) {
    throw new StartupFault(
      `The data directory ${resolve(dataDir)} can't be made (${messageOf(error)}); set DATA_DIR to a folder that this user may write.`,
    );
  }
}

/**
 * Creates the data directory (mode 0700) and locks it for this process. The lock is the operating system's, on an empty
 * SQLite file, so it ends with the process, however that ends.
 *
 * @throws StartupFault when another process holds the directory or it can't be written
 */
export function holdDataDirectory(directory: string): Instance {
  const dataDir = createDataDirectory(directory);
  const factsFile = join(dataDir, 'running.json');
  const write = (facts: Partial<RunningFacts>): void => {
    const complete = `${factsFile}.new`;
    writeFileSync(complete, `${JSON.stringify({ pid: process.pid, ...facts }, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(complete, factsFile);
  };
  try {
    const lockFile = join(dataDir, 'instance.lock');
    writeFileSync(lockFile, '', { flag: 'a', mode: 0o600 });
    const lock = new DatabaseSync(lockFile);
    lock.exec('pragma journal_mode = memory; begin exclusive');
    write({});
    const release = (): void => {
      rmSync(factsFile, { force: true });
      lock.close();
    };
    return { dataDir, writeRunningFacts: write, release };
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new StartupFault(
        `Carnet already runs on the data directory ${dataDir} (${describeRunning(factsFile)}); stop it first, or set DATA_DIR and PORT to others.`,
      );
    }
    throw new StartupFault(
      `The data directory ${dataDir} can't be written (${messageOf(error)}); set DATA_DIR to a folder that belongs to this user.`,
    );
  }
}
