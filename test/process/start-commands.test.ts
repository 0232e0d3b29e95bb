import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { casesOf } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { newDataDir, removeDataDir } from '../support/data-dir.ts';
import { blockOf, PATIENCE_MS, ROOT, type Block } from '../support/pasted.ts';
import { wantSharedInstance } from '../support/shared-instance.ts';

// For its workflow code: it has bundled that as a first start does.
wantSharedInstance();

const PAGES: [string, () => Promise<Block>][] = [
  ['README.md', () => blockOf('README.md', 'start')],
  ['CONTRIBUTING.md', () => blockOf('CONTRIBUTING.md', 'start')],
  ['docs/credentials.md', () => blockOf('docs/credentials.md', 'start')],
  ['docs/inbound.md', () => blockOf('docs/inbound.md', 'start')],
  ['docs/notifications.md', () => blockOf('docs/notifications.md', 'start')],
  ['docs/sealed-skills.md', () => blockOf('docs/sealed-skills.md', 'start')],
];

/** The commands that start an instance, as two pages may have it, with the pages. */
const commands = new Map<string, string[]>();
for (const [page, block] of PAGES) {
  const { code } = await block();
  commands.set(code, [...(commands.get(code) ?? []), page]);
}

describe('The commands that start an instance, as pasted', function () {
  this.timeout(PATIENCE_MS);

  for (const [code, pages] of casesOf([...commands], ([, on]) => on.includes('README.md')))
    it(`${pages.join(' and ')}: it is ready, and Ctrl-C ends it`, async () => {
      const dataDir = await newDataDir();
      const terminal = spawn('bash', ['-e', '-u', '-c', code], {
        cwd: ROOT,
        // The settings that two instances on one machine cannot share.
        env: { ...process.env, DATA_DIR: dataDir, PORT: '0', TEMPORAL_PORT: '0', TEMPORAL_UI_PORT: '0' },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      let printed = '';
      for (const stream of [terminal.stdout, terminal.stderr])
        stream.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
      const ended = once(terminal, 'close');
      try {
        await eventually(
          'the lines of the start',
          () => {
            assert.equal(terminal.exitCode, null, printed);
            return /Carnet is ready after/.test(printed);
          },
          { seconds: 300, ignoreErrors: () => false },
        );
      } finally {
        process.kill(-(terminal.pid ?? 0), 'SIGINT');
        await ended;
        await removeDataDir(dataDir);
      }
      assert.match(printed, /^carnet: stopping$/m);
    });
});
