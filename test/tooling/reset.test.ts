import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holdDataDirectory } from '../../src/embedded/index.ts';
import { newDataDir, removeDataDir } from '../support/instance.ts';
import { service } from '../support/service.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/reset.ts', import.meta.url));

const QUESTION = 'Type yes to delete all of it: ';

interface Said {
  code: number;
  said: string;
}

/** @param options.answer what is typed once it asks */
async function run(
  command: string,
  args: string[],
  { folder, answer }: { folder: string; answer?: string },
): Promise<Said> {
  const child = spawn(command, args, { env: { ...process.env, DATA_DIR: folder }, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      const asked = said.includes(QUESTION);
      said += chunk.toString();
      if (answer !== undefined && !asked && said.includes(QUESTION)) child.stdin.write(`${answer}\n`);
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
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
  /** Asked on a terminal, as `script` makes one. */
  const resetAnswering = (answer: string) => {
    const terminal =
      process.platform === 'linux'
        ? ['-qec', `${process.execPath} ${SCRIPT}`, '/dev/null']
        : ['-q', '/dev/null', process.execPath, SCRIPT];
    return run('script', terminal, { folder: dataDir, answer });
  };
  const names = (): string[] => readdirSync(dataDir).toSorted((left, right) => left.localeCompare(right));

  it('says what it deletes, and with --yes deletes it', async () => {
    fill();
    const { code, said } = await reset(dataDir, '--yes');
    assert.equal(code, 0, said);
    for (const what of ['postgres', 'temporal', 'logs', 'credentials.json', 'encryption.key', dataDir])
      assert(said.includes(what), what);
    assert.deepEqual(names(), []);
  });

  it('deletes nothing where there is no terminal to ask on', async () => {
    fill();
    const before = names();
    const { code, said } = await reset();
    assert.equal(code, 1);
    assert.match(said, /no terminal to ask on; say --yes/);
    assert.deepEqual(names(), before);
  });

  for (const answer of ['no', '', 'y', 'yes please']) {
    it(`deletes nothing where a person answers ${JSON.stringify(answer)}`, async () => {
      fill();
      const before = names();
      const { code, said } = await resetAnswering(answer);
      assert.match(said, /Nothing was deleted/);
      assert.notEqual(code, 0);
      assert.deepEqual(names(), before);
    });
  }

  it('deletes it where a person answers yes', async () => {
    fill();
    const { said } = await resetAnswering('yes');
    assert.match(said, /Deleted\./);
    assert.deepEqual(names(), []);
  });

  it('leaves what is not Carnet’s where it is, and says so', async () => {
    fill();
    writeFileSync(join(dataDir, 'thesis.txt'), 'mine');
    const { said } = await reset(dataDir, '--yes');
    assert.match(said, /not Carnet's and stay:\n {2}thesis\.txt/);
    assert.deepEqual(names(), ['thesis.txt']);
  });

  it('refuses a directory that was never one of Carnet', async () => {
    mkdirSync(join(dataDir, 'postgres'));
    const { code, said } = await reset(dataDir, '--yes');
    assert.equal(code, 1);
    assert.match(said, /is no data directory of Carnet/);
    assert.deepEqual(names(), ['postgres']);
  });

  it('has nothing to do where there is no directory', async () => {
    const nowhere = join(dataDir, 'nowhere');
    const { code, said } = await reset(nowhere, '--yes');
    assert.deepEqual([code, existsSync(nowhere)], [0, false]);
    assert.match(said, /nothing to delete/);
  });

  it('refuses while an instance runs there', async () => {
    const { dataDir: busy } = service();
    const { code, said } = await reset(busy, '--yes');
    assert.equal(code, 1);
    assert.match(said, /Carnet already runs on the data directory/);
    assert((await fetch(`${service().baseUrl}/readyz`)).ok);
    assert(existsSync(join(busy, 'credentials.json')));
  });
});
