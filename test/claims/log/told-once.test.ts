import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendBatch } from '../../../src/claims/log/append.ts';
import { createLogger } from '../../../src/context/logging.ts';
import { ownContext } from '../../invocations/own-context.ts';

describe('A log that is stopped', () => {
  it('is one error in the log of a process, however often it is looked at', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carnet-told-'));
    writeFileSync(join(folder, 'file'), '');
    const own = await ownContext({ LOG_HEAD_DIR: join(folder, 'file') });
    const lines: string[] = [];
    const log = createLogger('info', { write: (line: string) => void lines.push(line) });
    const context = { ...own.context, log };
    for (let nth = 0; nth < 3; nth += 1) assert.equal(await appendBatch(context), null);
    assert.equal(lines.filter((line) => line.includes('the claims log is stopped')).length, 1, lines.join(''));
    await own.close();
    rmSync(folder, { recursive: true });
  });
});
