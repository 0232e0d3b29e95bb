import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A Python that has scitt-cose of PyPI, installed into a folder of the caller's. A machine of our own may lack what that needs, and the tests are
 * left out in words; what merges may not, since nothing else reads our receipts with code of others.
 * @param test the hook or test that is skipped
 * @throws Error where CI is true and it cannot be installed
 */
export async function pythonWithScittCose(test: Mocha.Context, folder: string): Promise<string> {
  try {
    await run('python3', ['-m', 'venv', folder], { timeout: 120_000 });
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', 'scitt-cose==0.5.0'], { timeout: 120_000 });
    return join(folder, 'bin', 'python');
  } catch (cause) {
    const why = 'our receipts by scitt-cose; it needs python3 with venv, and PyPI';
    if (process.env['CI'] === 'true') throw new Error(`Nothing checks ${why}.`, { cause });
    process.stderr.write(`LEFT OUT: ${why}: ${String(cause)}\n`);
    return test.skip();
  }
}
