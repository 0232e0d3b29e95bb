import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onServerCore } from './pinning.ts';

const run = promisify(execFile);

interface PgbenchRun {
  url: string;
  /** SQL in pgbench's language. */
  script: string;
  clients: number;
  seconds: number;
  folder: string;
}

/**
 * Transactions a second of pgbench on the core of the servers, with prepared statements.
 * @throws Error where there is no pgbench, or a transaction failed
 */
export async function pgbench({ url, script, clients, seconds, folder }: PgbenchRun): Promise<number> {
  if (spawnSync('pgbench', ['--version']).error !== undefined) {
    throw new Error(
      'This bench compares with pgbench; install it (Debian and Ubuntu: postgresql-contrib, macOS: brew install libpq) and put it on the PATH.',
    );
  }
  const file = join(folder, 'pgbench.sql');
  writeFileSync(file, `${script};\n`);
  const whole = String(Math.max(1, Math.round(seconds))); // pgbench takes whole seconds only
  const [command, args] = onServerCore('pgbench', [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(clients),
    '-j',
    '1',
    '-T',
    whole,
    '-f',
    file,
    url,
  ]);
  const { stdout, stderr } = await run(command, args);
  const perSecond = /tps = ([\d.]+) \(without/.exec(stdout)?.[1];
  if (perSecond === undefined || /ERROR|aborted/.test(stderr)) throw new Error(`pgbench failed:\n${stdout}\n${stderr}`);
  return Number(perSecond);
}
