import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holdDataDirectory } from '../../src/embedded/index.ts';
import { newDataDir, removeDataDir } from '../support/data-dir.ts';
import { service } from '../support/service.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/reset.ts', import.meta.url));

const QUESTION = 'Type yes to delete all of it: ';

interface Outcome {
  code: number;
  printed: string;
}

/** @param options.answer what is typed after the question */
async function run(
  command: string,
  args: string[],
  { folder, answer }: { folder: string; answer?: string },
): Promise<Outcome> {
  const child = spawn(command, args, { env: { ...process.env, DATA_DIR: folder }, stdio: ['pipe', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      const questioned = printed.includes(QUESTION);
      printed += chunk.toString();
      if (answer !== undefined && !questioned && printed.includes(QUESTION)) child.stdin.write(`${answer}\n`);
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, printed };
}

describe('npm run reset', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await newDataDir();
  });
  afterEach(() => removeDataDir(dataDir));

  /** As a start leaves it. */
  const fill = (): void => {
    holdDataDirectory(dataDir).release();
    for (const name of [
      'postgres/data/PG_VERSION',
      'temporal/server.db',
      'logs/postgres.log',
      'credentials.json',
      'encryption.key',
    ]) {
      const file = join(dataDir, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'x');
    }
  };
  const reset = (folder = dataDir, ...args: string[]) => run(process.execPath, [SCRIPT, ...args], { folder });
  /** With a terminal, which `script` provides. */
  const resetAnswering = (answer: string) => {
    const terminal =
      process.platform === 'linux'
        ? ['-qec', `${process.execPath} ${SCRIPT}`, '/dev/null']
        : ['-q', '/dev/null', process.execPath, SCRIPT];
    return run('script', terminal, { folder: dataDir, answer });
  };
  const names = (): string[] => readdirSync(dataDir).toSorted((left, right) => left.localeCompare(right));

  it('lists what it deletes, and with --yes deletes it', async () => {
    fill();
    const { code, printed } = await reset(dataDir, '--yes');
    assert.equal(code, 0, printed);
    for (const what of ['postgres', 'temporal', 'logs', 'credentials.json', 'encryption.key', dataDir])
      assert(printed.includes(what), what);
    assert.deepEqual(names(), []);
  });

  it('deletes nothing where there is no terminal for the question', async () => {
    fill();
    const before = names();
    const { code, printed } = await reset();
    assert.equal(code, 1);
    assert.match(printed, /no terminal for the question; npm run reset -- --yes/);
    assert.deepEqual(names(), before);
  });

  for (const answer of ['no', '', 'y', 'yes please']) {
    it(`deletes nothing where a person answers ${JSON.stringify(answer)}`, async () => {
      fill();
      const before = names();
      const { code, printed } = await resetAnswering(answer);
      assert.match(printed, /Nothing was deleted/);
      assert.notEqual(code, 0);
      assert.deepEqual(names(), before);
    });
  }

  it('deletes it where a person answers yes', async () => {
    fill();
    const { printed } = await resetAnswering('yes');
    assert.match(printed, /Deleted\./);
    assert.deepEqual(names(), []);
  });

  it('keeps what is not Carnet’s, and lists it', async () => {
    fill();
    writeFileSync(join(dataDir, 'thesis.txt'), 'mine');
    const { printed } = await reset(dataDir, '--yes');
    assert.match(printed, /not Carnet's and stay:\n {2}thesis\.txt/);
    assert.deepEqual(names(), ['thesis.txt']);
  });

  it('refuses a directory that was never one of Carnet', async () => {
    mkdirSync(join(dataDir, 'postgres'));
    const { code, printed } = await reset(dataDir, '--yes');
    assert.equal(code, 1);
    assert.match(printed, /is no data directory of Carnet/);
    assert.deepEqual(names(), ['postgres']);
  });

  it('has nothing to do where there is no directory', async () => {
    const nowhere = join(dataDir, 'nowhere');
    const { code, printed } = await reset(nowhere, '--yes');
    assert.deepEqual([code, existsSync(nowhere)], [0, false]);
    assert.match(printed, /nothing to delete/);
  });

  it('refuses while an instance runs there', async () => {
    const { dataDir: busy } = service();
    const { code, printed } = await reset(busy, '--yes');
    assert.equal(code, 1);
    assert.match(printed, /Carnet already runs on the data directory/);
    assert((await fetch(`${service().baseUrl}/readyz`)).ok);
    assert(existsSync(join(busy, 'credentials.json')));
  });
});
