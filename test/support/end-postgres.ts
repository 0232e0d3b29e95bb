import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { childrenOf } from './processes.ts';

/** Kills every process of an instance's Postgres immediately, without a shut-down. The instance starts it again. */
export async function endPostgres(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postgres/data/postmaster.pid');
  const pid = await eventually('a postmaster', async () => Number.parseInt(await readFile(file, 'utf8'), 10), {
    ignoreErrors: () => true,
  });
  process.kill(pid, 'SIGSTOP'); // it must not tidy up after its children
  for (const child of childrenOf(pid)) process.kill(child, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
}
