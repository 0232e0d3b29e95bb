import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporal } from '../../src/embedded/temporal-binary.ts';
import type { TemporalSource } from '../../src/embedded/temporal-sources.ts';

/** Writes a command that claims to be the Temporal CLI of this version; nothing is downloaded. */
const writeCli = async (file: string, version: string): Promise<string> => {
  await writeFile(file, `#!/bin/sh\necho 'temporal version ${version} (Server 1.32.0, UI 2.54.1)'\n`);
  await chmod(file, 0o755);
  return file;
};

const giving = (version: string): TemporalSource => ({
  description: `a source of ${version}`,
  fetch: (folder) => writeCli(join(folder, 'temporal'), version),
});

const refusing: TemporalSource = {
  description: 'a source without network',
  fetch: () => Promise.reject(new Error('no network here')),
};

describe('finding the Temporal CLI', () => {
  const { PATH, XDG_CACHE_HOME } = process.env;
  let folder: string;
  let lines: string[];

  const find = (sources: TemporalSource[]): Promise<string> =>
    findTemporal({ dataDir: folder, progress: (line) => lines.push(line), sources });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-cli-'));
    lines = [];
    await mkdir(join(folder, 'path'));
    process.env.PATH = join(folder, 'path'); // and no folder where this machine may have one of its own
    process.env.XDG_CACHE_HOME = join(folder, 'cache');
  });

  afterEach(async () => {
    process.env.PATH = PATH;
    if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
    await rm(folder, { recursive: true });
  });

  it('takes the one on the PATH without any output', async () => {
    await writeCli(join(folder, 'path/temporal'), '1.9.1');
    assert.equal(await find([refusing]), 'temporal');
    assert.deepEqual(lines, []);
  });

  it('ignores one on the PATH that is too old', async () => {
    await writeCli(join(folder, 'path/temporal'), '1.4.9');
    assert.match(await find([giving('1.9.1')]), /\/cache\/carnet\//);
  });

  it('tries the sources in their order, prints why one failed, and keeps what it fetched for the next start', async () => {
    const cached = await find([refusing, giving('1.4.0'), giving('1.9.1'), giving('1.9.2')]);
    const patterns = [/kept in/, /a source without network/, /no network here/, /a source of 1\.4\.0/, /does not run/];
    for (const [index, pattern] of patterns.entries()) assert.match(lines[index] ?? '', pattern);
    assert.doesNotMatch(lines.join('\n'), /1\.9\.2/);
    lines = [];
    assert.equal(await find([refusing]), cached);
    assert.deepEqual(lines, []);
    assert.deepEqual(await readdir(join(folder, 'cache/carnet')), [`temporal-${process.platform}-${process.arch}`]);
    assert.deepEqual((await readdir(folder)).toSorted(), ['cache', 'path']);
  });

  it('names in one sentence what can be done when no source has it', async () => {
    await assert.rejects(find([refusing]), ({ name, message }: Error) => {
      assert.equal(name, 'StartupFault');
      assert.match(message, /^[^\n]*TEMPORAL_ADDRESS[^\n]*PATH[^\n]*pip[^\n]*Go\.$/);
      return true;
    });
  });
});
