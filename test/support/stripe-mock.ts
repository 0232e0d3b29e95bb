import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';

/** Stripe's own mock server for its OpenAPI: a parameter that Stripe does not have is 400, and nothing is stored. */
const MODULE = 'github.com/stripe/stripe-mock';
const VERSION = 'v0.203.0';

/** Where Go's installer puts Go, which is not always on the PATH. */
const GO_FOLDER = '/usr/local/go/bin';

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'carnet');
const PROGRAM = join(CACHE, `stripe-mock-${VERSION}`);

/** The program, or the reason why there is none: Go builds it into the cache, from the network the first time. */
export async function stripeMock(): Promise<{ program: string } | { missing: string }> {
  if (existsSync(PROGRAM)) return { program: PROGRAM };
  try {
    await build();
    return { program: PROGRAM };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return { missing: code === 'ENOENT' ? 'Go is not installed' : `Go could not build ${MODULE}@${VERSION}` };
  }
}

/** Builds into a separate folder first, so that two builders do not see each other's unfinished files. */
async function build(): Promise<void> {
  const PATH = [process.env.PATH, GO_FOLDER].join(delimiter);
  await promisify(execFile)('go', ['version'], { env: { ...process.env, PATH } });
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'stripe-mock-build-'));
  try {
    const env = { ...process.env, PATH, GOBIN: folder, CGO_ENABLED: '0' };
    await promisify(execFile)('go', ['install', `${MODULE}@${VERSION}`], { env, timeout: 300_000 });
    await rename(join(folder, 'stripe-mock'), PROGRAM);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface RunningMock {
  apiBase: string;
  stop(): Promise<void>;
}

export async function startStripeMock(program: string): Promise<RunningMock> {
  const child = spawn(program, ['-http-addr', '127.0.0.1:0', '-https-addr', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  const address = await eventually(
    'stripe-mock to listen',
    () => /Listening for HTTP at address: (\S+)/.exec(printed)?.[1] ?? (child.exitCode === null ? undefined : 'ended'),
  );
  if (address === 'ended') throw new Error(`stripe-mock ended at once. It printed:\n${printed}`);
  return {
    apiBase: `http://${address}`,
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
