import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { LANDED, landingOf, MIGRATIONS, missingFaults } from '../../scripts/landed-migrations.ts';

const ROOT = dirname(dirname(import.meta.dirname));
const run = promisify(execFile);

describe('Migrations that have landed', () => {
  let root: string;
  const at = (name: string): string => join(root, MIGRATIONS, name);
  const land = () =>
    run(process.execPath, [join(ROOT, 'scripts/land-migrations.ts'), root]).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    );
  const list = () => readFile(join(root, LANDED), 'utf8');

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'carnet-landed-'));
    await cp(join(ROOT, MIGRATIONS), join(root, MIGRATIONS), { recursive: true });
  });
  afterEach(() => rm(root, { recursive: true }));

  it('are those of this project, each with its checksum', () => {
    const landing = landingOf(ROOT);
    assert.deepEqual([...landing.faults, ...missingFaults(landing)], []);
    assert(landing.listed.size >= 15);
  });

  const changes: Record<string, { change: () => Promise<void>; fault: RegExp }> = {
    'that were edited': {
      change: async () =>
        writeFile(at('0005-billing.sql'), `${await readFile(at('0005-billing.sql'), 'utf8')}-- a word\n`),
      fault: /0005-billing\.sql has landed and is another one now.*write a new migration/s,
    },
    'that were removed': {
      change: () => rm(at('0005-billing.sql')),
      fault: /0005-billing\.sql has landed and is gone.*restore it under its name/s,
    },
    'that were renumbered': {
      change: () => rename(at('0005-billing.sql'), at('9005-billing.sql')),
      fault: /0005-billing\.sql has landed and is gone.*another number/s,
    },
    'beside another of their number': {
      change: () => writeFile(at('0005-other.sql'), 'select 1;'),
      fault: /0005-other\.sql has the number 0005, and so has 0005-billing\.sql/,
    },
  };
  for (const [how, { change, fault }] of Object.entries(changes))
    it(`${how} are a fault, and the command that adds new ones leaves the list as it is`, async () => {
      const before = await list();
      await change();
      assert.match(landingOf(root).faults.join('\n'), fault);
      const { code, stdout } = await land();
      assert.equal(code, 1);
      assert.match(stdout, fault);
      assert.equal(await list(), before);
    });

  it('are joined by a new one through the command, which changes nothing else', async () => {
    const before = await list();
    await writeFile(at('9999-mail.sql'), 'select 1;');
    assert.match(
      missingFaults(landingOf(root)).join(),
      /9999-mail\.sql is not in .*node scripts\/land-migrations\.ts/s,
    );
    assert.deepEqual(await land(), { code: 0, stdout: 'Added 9999-mail.sql.\n' });
    assert.match(await list(), /[0-9a-f]{64} {2}9999-mail\.sql\n$/);
    assert((await list()).startsWith(before));
    assert.deepEqual(missingFaults(landingOf(root)), []);
    assert.deepEqual(await land(), { code: 0, stdout: 'Every migration is in the list.\n' });
  });
});
