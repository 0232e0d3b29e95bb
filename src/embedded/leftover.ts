import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Leftover {
  /** Its first line is the process id. */
  pidFile: string;
  /** A piece of the command line by which the process is recognised as ours, such as the path of its data. */
  mark: string;
  stopSignal: 'SIGINT' | 'SIGTERM';
}

/** Then SIGKILL. A part that is stopping because its parent has died needs up to five seconds. */
const MAX_WAIT_MS = 10_000;

/** The command line of a process; empty where it does not exist or is a zombie. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    return readFile(`/proc/${pid}/cmdline`, 'utf8').then(
      (line) => line.replaceAll('\0', ' '),
      () => '',
    );
  }
  return run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

/**
 * Stops a part that a former start left running on our data, and removes its pid file. Where the number in the file
 * belongs to another process by now, only the file is removed.
 */
export async function stopLeftover({ pidFile, mark, stopSignal }: Leftover): Promise<void> {
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  const isOurs = async (): Promise<boolean> => pid > 0 && (await commandLine(pid)).includes(mark);
  const send = (signal: NodeJS.Signals): void => {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended since the check.
    }
  };
  if (await isOurs()) {
    send(stopSignal);
    const deadline = performance.now() + MAX_WAIT_MS;
    while (await isOurs()) {
      if (performance.now() > deadline) send('SIGKILL');
      await sleep(50);
    }
  }
  await rm(pidFile, { force: true });
}

/** Stops the parts that a start which has died left running on this data directory. */
export async function stopLeftovers(dataDir: string): Promise<void> {
  const postgres = join(dataDir, 'postgres', 'data');
  const temporal = join(dataDir, 'temporal');
  await stopLeftover({ pidFile: join(postgres, 'postmaster.pid'), mark: postgres, stopSignal: 'SIGINT' });
  await stopLeftover({
    pidFile: join(temporal, 'server.pid'),
    mark: join(temporal, 'server.db'),
    stopSignal: 'SIGTERM',
  });
}
