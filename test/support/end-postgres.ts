import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { childrenOf } from './processes.ts';

/** Freezes every process of an instance's Postgres. @returns what kills them, without a shut-down; the instance starts Postgres again */
export async function freezePostgres(dataDir: string): Promise<() => void> {
  const file = join(dataDir, 'postgres/data/postmaster.pid');
  const pid = await eventually('a postmaster', async () => Number.parseInt(await readFile(file, 'utf8'), 10), {
    ignoreErrors: () => true,
  });
  process.kill(pid, 'SIGSTOP'); // first: it must not tidy up after its children
  const children = childrenOf(pid);
  for (const child of children) process.kill(child, 'SIGSTOP');
  return () => {
    for (const child of children) process.kill(child, 'SIGKILL');
    process.kill(pid, 'SIGKILL');
  };
}

/** Kills every process of an instance's Postgres immediately. */
export const endPostgres = async (dataDir: string): Promise<void> => (await freezePostgres(dataDir))();
