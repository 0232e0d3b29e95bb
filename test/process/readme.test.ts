import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf, paste, PATIENCE_MS, ROOT } from '../support/pasted.ts';

describe('the README', function () {
  this.timeout(PATIENCE_MS);

  it('has a demo that prints what it shows, and tells its story to the end', async () => {
    const month = (): string => new Date().toISOString().slice(0, 7);
    const began = month();
    const printed = (await paste(await blocksOf('README.md', 'demo'))).join('\n');
    assert.match(printed, /before \$0\.00, after \$20\.00\./);
    assert.match(printed, /available \$17\.50, held \$2\.50\.[^]*available \$17\.50, held \$0\.00\./);
    assert.match(printed, /^ +invocation +-\$2\.50 +Skill shout-\w+ 1\.0\.0, inv_\w+\n +topup +\$20\.00/m);
    assert.match(
      printed,
      /BALANCE_BELOW_TOPUP[^]*after \$27\.50\.[^]*rfd_\w+: \$10\.00, succeeded\.[^]*available \$17\.50/,
    );
    assert.match(printed, month() === began ? /tier pro: 1 of 1,500,000/ : /tier pro: [01] of 1,500,000/);
    assert.match(printed, /tier pro[^]*7 seats: 5 of the tier, 2 bought\.[^]*pro is canceling until 2/);
    assert.match(printed, /1 more revoked with it; the child: valid: false, ancestor_revoked\.\n/);
    assert.match(printed, /pc_\w+: completed\n[^]*pc_\w+: submitted\n/);
    assert.match(
      printed,
      /(\n {3}npm run verify -- \S+ --key \S+log\.vkey\n {3}VERIFIED {2}claim pc_\w+ \(sha256:\w{64}\): 11 checks hold, 3 were not made){2}$/,
    );
  });

  it('has a main loop that prints what it shows when it is pasted', async () => {
    await paste(await blocksOf('README.md', 'tour'));
  });

  it('has the same loop as a program that runs as it stands', async () => {
    const [program, ...commands] = await blocksOf('README.md', 'loop.ts');
    const folder = await mkdtemp(join(tmpdir(), 'carnet-loop-'));
    try {
      for (const name of ['node_modules', 'package.json']) await symlink(join(ROOT, name), join(folder, name));
      await writeFile(join(folder, 'loop.ts'), program?.code ?? '');
      await paste(commands, { cwd: folder });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
