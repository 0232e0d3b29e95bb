import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StartupFault } from '../errors/startup-fault.ts';

const run = promisify(execFile);

/** How Postgres is run on this machine; it refuses to run as root. */
export interface Launcher {
  /** Stands before the command. */
  prefix: string[];
  /** The account that the processes run under and that must own the files; unset: this process's own. */
  account?: { uid: number; gid: number };
}

/**
 * In a user namespace of its own root counts as another user and still has access to everything that root owns. initdb
 * needs that user to have a name; user 1 has one on every system.
 */
const UNSHARE = ['unshare', '--user', '--map-user=1', '--map-group=1'];

/** Why this launcher cannot start `postgres` or enter the folder; undefined when it can do both. */
async function launcherFault(
  launcher: Launcher,
  { postgres, folder }: { postgres: string; folder: string },
): Promise<string | undefined> {
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
}

async function postgresAccount(): Promise<Launcher['account']> {
  const id = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout);
  return Promise.all([id('-u'), id('-g')]).then(
    ([uid, gid]) => ({ uid, gid }),
    () => undefined,
  );
}

/**
 * The first launcher that works on this machine. `folder` is the data directory.
 *
 * @throws StartupFault when none does
 */
export async function findLauncher(postgres: string, folder: string): Promise<Launcher> {
  if (process.getuid?.() !== 0) {
    const fault = await launcherFault({ prefix: [] }, { postgres, folder });
    if (fault === undefined) return { prefix: [] };
    throw new StartupFault(
      `The embedded Postgres does not run on this machine (${fault}); set DATABASE_URL to a Postgres 18 server of your own.`,
    );
  }
  const fault = await launcherFault({ prefix: UNSHARE }, { postgres, folder });
  if (fault === undefined) return { prefix: UNSHARE };
  const account = await postgresAccount();
  if (account) {
    // The account may only pass through the folder; everything in it is 0600 or 0700.
    await chmod(folder, 0o711);
    const launcher = { prefix: [], account };
    if ((await launcherFault(launcher, { postgres, folder })) === undefined) return launcher;
  }
  await chmod(folder, 0o700);
  throw new StartupFault(
    `Postgres refuses to run as root, and neither a user namespace (${fault}) nor a postgres account that can reach ${folder} and ${postgres} helps here; start Carnet as an ordinary user, or set DATABASE_URL to a Postgres 18 server of your own.`,
  );
}

/** Makes the account that runs Postgres the owner of a folder and all in it, when a former start used another account. */
export async function giveTo(launcher: Launcher, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = launcher.account ?? { uid: 0, gid: 0 };
  if ((await stat(folder)).uid !== uid) await run('chown', ['-R', `${uid}:${gid}`, folder]);
}
