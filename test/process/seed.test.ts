import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupFault } from '../../src/errors/startup-fault.ts';
import { ensureSecrets } from '../../src/process/seed.ts';

describe('the secrets of an embedded instance', () => {
  let dataDir: string;
  let path: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'carnet-seed-'));
    path = join(dataDir, 'encryption.key');
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('are made once and kept', async () => {
    const { encryptionKeys } = await ensureSecrets(dataDir);
    assert.equal(encryptionKeys[0]?.length, 32);
    assert.deepEqual((await ensureSecrets(dataDir)).encryptionKeys, encryptionKeys);
  });

  for (const [what, text] of [
    ['cut short', 'YWJj'],
    ['emptied', ''],
    ['overwritten', '<html>not a key at all, but longer than one</html>'],
  ] as const) {
    it(`an encryption key that was ${what} keeps the instance from starting, and is left as it is`, async () => {
      await writeFile(path, text);
      await assert.rejects(
        ensureSecrets(dataDir),
        (error: unknown) => error instanceof StartupFault && error.message.includes(path),
      );
      assert.equal(await readFile(path, 'utf8'), text);
    });
  }
});
