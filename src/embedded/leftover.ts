import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Leftover {
  /** Its first line is the process id. */
  pidFile: string;
  /** A piece of the command line by which a process is known for ours, such as the path of its data. */
  mark: string;
  stopSignal: 'SIGINT' | 'SIGTERM';
}

/** A part that is just ending, because its parent has died, needs up to five seconds. */
const PATIENCE_MS = 10_000;

/** The command line of a process, empty when there is no such process (or only its zombie). */
const commandLine = async (pid: number): Promise<string> => {
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
};

/**
 * Ends a part that a former start left running on our data, and removes its pid file. A pid file whose number now
 * belongs to somebody else is removed without touching that process.
 */
export const stopLeftover = async ({ pidFile, mark, stopSignal }: Leftover): Promise<void> => {
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  const isOurs = async (): Promise<boolean> => pid > 0 && (await commandLine(pid)).includes(mark);
  const tell = (signal: NodeJS.Signals): void => {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself since we looked.
    }
  };
  if (await isOurs()) {
    tell(stopSignal);
    const giveUp = performance.now() + PATIENCE_MS;
    while (await isOurs()) {
      if (performance.now() > giveUp) tell('SIGKILL');
      await sleep(50);
    }
  }
  await rm(pidFile, { force: true });
};

/** Ends whatever a former start left running on this data directory, whose process has died. */
export const stopLeftovers = async (dataDir: string): Promise<void> => {
  const postgres = join(dataDir, 'postgres', 'data');
  const temporal = join(dataDir, 'temporal');
  await stopLeftover({ pidFile: join(postgres, 'postmaster.pid'), mark: postgres, stopSignal: 'SIGINT' });
  await stopLeftover({
    pidFile: join(temporal, 'server.pid'),
    mark: join(temporal, 'server.db'),
    stopSignal: 'SIGTERM',
  });
};
