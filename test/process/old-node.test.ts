import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/pasted.ts';

const run = promisify(execFile);

/** A Node before 24 on the PATH of this machine. */
async function oldNode(): Promise<string | undefined> {
  for (const folder of new Set((process.env.PATH ?? '').split(delimiter))) {
    const program = join(folder, 'node');
    const version = await run(program, ['--version']).catch(() => undefined);
    if (version !== undefined && Number(/^v(\d+)\./.exec(version.stdout)?.[1]) < 24) return program;
  }
  return undefined;
}

const old = await oldNode();
if (old === undefined) {
  process.stderr.write('LEFT OUT: the programs on an old Node; it needs a Node before 24 on the PATH.\n');
} else {
  describe('On a Node before 24', () => {
    for (const script of ['src/api.ts', 'src/worker.ts', 'src/database/migrate.ts']) {
      it(`node ${script} says in one line what to do`, async () => {
        const failed: unknown = await run(old, [script], { cwd: ROOT }).catch((error: unknown) => error);
        assert(failed instanceof Error && 'stderr' in failed && 'code' in failed);
        assert.equal(failed.code, 1);
        assert.match(
          String(failed.stderr),
          /^carnet: this is Node \d[^\n]* needs Node 24[^\n]*scripts\/install\.mjs[^\n]*\n$/,
        );
      });
    }
  });
}
