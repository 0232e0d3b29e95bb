import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of Linux that is kept in memory. */
const MEMORY = '/dev/shm';
/** Postgres keeps up to 2 GB of its log, and each database of a test adds 16 MB. A container has 64 MB there, unless it was given more. */
const MIN_FREE_BYTES = 6 * 1024 ** 3;

/**
 * A new folder for what Postgres and Temporal store: in memory where there is room. A database is a thousand files, the suite makes some
 * hundred, and a file system on a disk took a seventh of all processor time of a run to make them.
 */
export async function newDataDir(): Promise<string> {
  return mkdtemp(join((await hasRoom()) ? MEMORY : tmpdir(), 'carnet-test-'));
}

const hasRoom = (): Promise<boolean> =>
  statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize >= MIN_FREE_BYTES,
    () => false,
  );

export const removeDataDir = (dataDir: string): Promise<void> => rm(dataDir, { recursive: true, force: true });
