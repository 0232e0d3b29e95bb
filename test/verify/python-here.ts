import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Leaves the tests of a block out, in words, where this machine has no Python with cryptography; CI must have one. */
export async function needPython(test: Mocha.Context): Promise<void> {
  const isThere = await promisify(execFile)('python3', ['-c', 'import cryptography']).then(
    () => true,
    () => false,
  );
  if (isThere || process.env['CI']) return;
  process.stderr.write('LEFT OUT: no Python with cryptography here\n');
  test.skip();
}
