import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/pasted.ts';

const run = promisify(execFile);

describe('.env', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-env-'));
    for (const name of ['src', 'scripts']) await symlink(join(ROOT, name), join(folder, name));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** The line that a failing command of npm prints, once the packages are there. */
  const printedBy = async (name: string, environment: Record<string, string> = {}): Promise<string> => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const [, command = ''] = /&& exec (node .*)$/.exec(scripts[name] ?? '') ?? [];
    const { PORT: _port, DATA_DIR: _dataDir, ...inherited } = process.env;
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const failed: unknown = await run('sh', ['-c', command], {
      cwd: folder,
      env: { ...inherited, PATH, ...environment },
    }).catch((error: unknown) => error);
    assert(failed instanceof Error && 'stderr' in failed, `${name} went well`);
    return String(failed.stderr);
  };

  it('is read by npm start, where the environment counts more', async () => {
    await writeFile(join(folder, '.env'), '# of this machine\nPORT=70000\n');
    assert.match(await printedBy('start'), /PORT must be from 0 to 65535 \(it is "70000"\)/);
    assert.match(await printedBy('start', { PORT: '70001' }), /\(it is "70001"\)/);
  });

  it('is read by the other commands that look for an instance', async () => {
    await writeFile(join(folder, '.env'), 'DATA_DIR=/nowhere/at-all\n');
    for (const name of ['demo', 'check:ledger']) assert.match(await printedBy(name), /\/nowhere\/at-all/, name);
  });

  it('is ignored by git', async () => {
    const { stdout } = await run('git', ['check-ignore', '.env'], { cwd: ROOT });
    assert.equal(stdout, '.env\n');
  });
});
