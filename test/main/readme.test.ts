import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { service } from '../support/service.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the README', () => {
  it('has a tour that works when it is pasted', async () => {
    const text = await readFile(`${root}README.md`, 'utf8');
    const blocks = [...text.matchAll(/<!-- tour -->\n```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
    assert(blocks.length >= 5, 'the blocks of the tour are marked');
    const { stdout, stderr } = await run('bash', ['-e', '-u', '-c', `DATA_DIR=${service().dataDir}\n${blocks.join('\n')}`], { cwd: root, timeout: 25_000 });
    const lines = stdout.trim().split('\n');
    assert.match(lines[0] ?? '', /^skl_/, stdout + stderr);
    assert.match(stdout, /"held_cents":25/);
    for (const said of ['processing', 'completed', 'HELLO']) assert(lines.includes(said), `${said} in:\n${stdout}${stderr}`);
    assert.equal(lines.at(-1), 'completed', stdout + stderr);
  });
});
