import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Logger } from 'pino';

/** The walls between a script and the machine, besides its runtime and Node's permissions. */
export interface Walls {
  /** Namespaces for processes, network, mounts and names: no other process and no network is there. */
  namespaces: boolean;
  /** The process of a script has a user id of its own, which owns nothing. */
  ownUser: boolean;
  /** Memory and processor time are read from outside (`/proc`). */
  watched: boolean;
}

const NAMESPACES = ['unshare', '--net', '--pid', '--ipc', '--uts', '--mount-proc', '--fork', '--kill-child'];
/** For who is not root: a user namespace allows the others. */
const USER_NAMESPACE = ['--user'];

/**
 * Starts a program a little behind all others, without environment, core files and files that grow, and waits for its end. The pipe 3 leads
 * to the parent: once it closes, also by the death of the parent, the program is killed, no matter what it does. In namespaces this shell is the
 * first process, with which the kernel ends all others. It waits for both of its children: the first process of a container may be a Node,
 * which waits for no process that it has not started.
 */
const LAUNCHER = `
ulimit -c 0
ulimit -f 0
if [ -w /proc/self/autogroup ]; then { echo 5 >/proc/self/autogroup; } 2>/dev/null; fi
exec 4<&0 </dev/null
nice -n 5 env -i "$@" <&4 4<&- 3<&- &
program=$!
exec 4<&- >/dev/null
(read -r _ <&3; kill -9 $program) &
watcher=$!
exec 3<&-
wait $program
ended=$?
kill -9 $watcher
wait $watcher
exit $ended
`;

/** Arguments for `/bin/sh`; the process must lead a group of its own and have a pipe 3. A program that is killed ends it by `128 + signal`. */
export function launch(walls: Pick<Walls, 'namespaces'>, program: readonly string[]): string[] {
  const namespaces = walls.namespaces ? [...NAMESPACES, ...(isRoot() ? [] : USER_NAMESPACE)] : [];
  return ['-c', 'exec "$@"', 'sh', ...namespaces, '/bin/sh', '-c', LAUNCHER, 'carnet-sandbox', ...program];
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** User ids of children, one each in turn, so that none may signal another: above those of people, below those of services. */
const FIRST_USER = 50_000;
const USERS = 1_000;

/** The user id of the n-th child; 0 leaves the child's user as it is. */
export const userOf = ({ ownUser }: Walls, n: number): number => (ownUser ? FIRST_USER + (n % USERS) : 0);

const MAX_TRIAL_MS = 30_000;

/** Whether a Node starts behind these walls, and may become another user where it must. */
function stands(walls: Walls): Promise<boolean> {
  const user = userOf(walls, 0);
  const trial =
    user === 0 ? '' : `process.setgroups([]); process.setgid(${user}); process.setuid(${user}); process.getuid();`;
  const child = spawn('/bin/sh', launch(walls, [process.execPath, '--permission', '--no-warnings', '--eval', trial]), {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.stdio[3]?.destroy(), MAX_TRIAL_MS);
    child.once('error', () => resolve(false));
    child.once('exit', (code) => {
      clearTimeout(timer);
      child.stdio[3]?.destroy();
      resolve(code === 0);
    });
  });
}

/** Finds by trial which walls this system allows, and says so. */
export async function findWalls(log: Logger): Promise<Walls> {
  const watched = existsSync(`/proc/self/task/${process.pid}/children`);
  const users = isRoot() ? [true, false] : [false];
  const choices = [true, false].flatMap((namespaces) => users.map((ownUser) => ({ namespaces, ownUser, watched })));
  for (const walls of choices) {
    if (await stands(walls)) {
      report(log, walls);
      return walls;
    }
  }
  const none = { namespaces: false, ownUser: false, watched };
  log.error('sandbox: no process could be started for scripts; every step with a script will be interrupted');
  return none;
}

const NAMES: Record<keyof Walls, string> = {
  namespaces: 'namespaces without network and other processes',
  ownUser: 'a user id of its own',
  watched: 'memory and processor time watched from outside',
};

function report(log: Logger, walls: Walls): void {
  const named = (stand: boolean): string[] =>
    (Object.keys(NAMES) as (keyof Walls)[]).filter((wall) => walls[wall] === stand).map((wall) => NAMES[wall]);
  const missing = named(false);
  if (missing.length === 0) log.info({ standing: named(true) }, 'sandbox: all walls around scripts stand');
  else
    log.warn(
      { standing: named(true), missing },
      `sandbox: scripts run without ${missing.join(' and without ')}; docs/sandbox.md says what a system needs for them`,
    );
}
