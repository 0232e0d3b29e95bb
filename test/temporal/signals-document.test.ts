import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MAX_LEASE_SECONDS, MIN_LEASE_SECONDS } from '../../src/invocations/schema.ts';
import { findTemporal } from '../../src/embedded/temporal-binary.ts';
import { startRig, type Rig } from './rig.ts';
import { runOf } from './runs.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

describe('docs/signals.md, as pasted', () => {
  let rig: Rig;
  let folder: string;
  let text: string;
  let blocks: string[];
  let environment: NodeJS.ProcessEnv;
  before(async () => {
    rig = await startRig();
    await rig.startDelivery();
    await rig.startWorker();
    folder = await mkdtemp(join(tmpdir(), 'carnet-docs-'));
    await mkdir(join(folder, '.carnet'));
    const { address, namespace } = rig.config.temporal;
    await writeFile(
      join(folder, '.carnet', 'credentials.json'),
      JSON.stringify({ temporal_address: address, temporal_namespace: namespace }),
    );
    const binary = await findTemporal({ dataDir: folder, progress: () => {} });
    if (binary !== 'temporal') await symlink(binary, join(folder, 'temporal'));
    environment = { ...process.env, PATH: `${folder}:${dirname(process.execPath)}:${process.env.PATH ?? ''}` };
    text = await readFile(join(ROOT, 'docs/signals.md'), 'utf8');
    blocks = [...text.matchAll(/^```(?:sh|js)\n(.*?)^```/gms)].map(([, code = '']) => code);
  });
  after(async () => {
    await rig.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('names the range of a lease', () => {
    assert(text.includes(`"lease_seconds": ${MIN_LEASE_SECONDS} to ${MAX_LEASE_SECONDS}`));
  });

  it('claims and completes from the command line, and shows the details', async () => {
    const { id } = await rig.invoke();
    await runOf(rig, id).showing(/^Waits/);
    const [signals = '', , details = ''] = blocks;
    const script = `set -e\n${signals.replace(/^INVOCATION=.*$/m, `INVOCATION=${id}`)}\n${details}`;
    assert(script.includes(id), 'the document still sets INVOCATION');
    const { stdout } = await run('sh', ['-c', script], { cwd: folder, env: environment });
    await runOf(rig, id).ended();
    assert.equal((await rig.row(id)).output, '{"text":"hello"}');
    assert.match(stdout, /Claimed \(attempt 1\)|Ended: completed/);
  });

  it('claims and completes from a program of ten lines', async () => {
    const { id } = await rig.invoke();
    await runOf(rig, id).showing(/^Waits/);
    const program = blocks[1] ?? '';
    assert(
      program
        .trim()
        .split('\n')
        .filter((line) => line !== '').length <= 10,
    );
    const { address, namespace } = rig.config.temporal;
    const node = run(process.execPath, ['--input-type=module', '-', id], {
      cwd: ROOT,
      env: { ...environment, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace },
    });
    node.child.stdin?.end(program);
    await node;
    assert.equal((await rig.row(id)).output, '{"text":"hello"}');
  });
});
