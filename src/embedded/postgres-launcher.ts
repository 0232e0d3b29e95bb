import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StartupFault } from '../errors/startup-fault.ts';

const run = promisify(execFile);

/** How Postgres, which refuses to run as root, is run here. */
export interface Launcher {
  /** Stands before the command. */
  prefix: string[];
  /** Set where the processes run under an account of their own, which must own the files. */
  account?: { uid: number; gid: number };
}

/**
 * In a user namespace of its own root counts as somebody else, and still reaches whatever root owns, below 0700 too.
 * initdb wants that somebody to have a name, and user 1 has one on every system.
 */
const UNSHARE = ['unshare', '--user', '--map-user=1', '--map-group=1'];

/** Why `postgres` can't be started or the folder can't be entered this way; undefined when both can. */
const works = async (launcher: Launcher, postgres: string, folder: string): Promise<string | undefined> => {
  const [command, ...args] = [
    ...launcher.prefix,
    'sh',
    '-c',
    'cd "$1" && exec "$2" --version',
    'carnet',
    folder,
    postgres,
  ];
  return run(command, args, { cwd: '/', ...launcher.account }).then(
    () => undefined,
    (error: Error & { stderr?: string }) => `${error.message}\n${error.stderr ?? ''}`.trim().split('\n').at(-1) ?? '',
  );
};

const postgresAccount = async (): Promise<Launcher['account']> => {
  const id = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout);
  return Promise.all([id('-u'), id('-g')]).then(
    ([uid, gid]) => ({ uid, gid }),
    () => undefined,
  );
};

/**
 * The first way to run Postgres that works here. `folder` is the data directory.
 *
 * @throws StartupFault when none does
 */
export const findLauncher = async (postgres: string, folder: string): Promise<Launcher> => {
  if (process.getuid?.() !== 0) {
    const fault = await works({ prefix: [] }, postgres, folder);
    if (fault === undefined) return { prefix: [] };
    throw new StartupFault(
      `The embedded Postgres does not run on this machine (${fault}); set DATABASE_URL to a Postgres 18 server of your own.`,
    );
  }
  const fault = await works({ prefix: UNSHARE }, postgres, folder);
  if (fault === undefined) return { prefix: UNSHARE };
  const account = await postgresAccount();
  if (account) {
    // The account only passes through; everything in the folder is 0600 or 0700.
    await chmod(folder, 0o711);
    const launcher = { prefix: [], account };
    if ((await works(launcher, postgres, folder)) === undefined) return launcher;
  }
  await chmod(folder, 0o700);
  throw new StartupFault(
    `Postgres refuses to run as root, and neither a user namespace (${fault}) nor a postgres account that can reach ${folder} and ${postgres} helps here; start Carnet as an ordinary user, or set DATABASE_URL to a Postgres 18 server of your own.`,
  );
};

/** Gives a folder and all in it to whoever runs Postgres, when a former start ran it as somebody else. */
export const giveTo = async (launcher: Launcher, folder: string): Promise<void> => {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = launcher.account ?? { uid: 0, gid: 0 };
  if ((await stat(folder)).uid !== uid) await run('chown', ['-R', `${uid}:${gid}`, folder]);
};
