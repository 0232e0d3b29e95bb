import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { languagesOf } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { blockOf, blocksOf, paste, PATIENCE_MS, ROOT } from '../support/pasted.ts';
import { MAX_LEASE_SECONDS, MIN_LEASE_SECONDS } from '../../src/invocations/schema.ts';
import { startRig, type Rig } from './rig.ts';
import { runOf } from './runs.ts';

const run = promisify(execFile);
const PAGE = await readFile(join(ROOT, 'docs/signals.md'), 'utf8');

interface Program {
  command: string;
  args: string[];
}

/** The version that the program in Go was written with; Go brings it into its own cache, from the network the first time. */
const GO_SDK = 'go.temporal.io/sdk@v1.50.0';
const GO_BUILD_MS = 300_000;

/** How each program of the page is run on this machine; a language that it lacks throws. */
const LANGUAGES: Record<'typescript' | 'python' | 'go', (folder: string) => Promise<Program>> = {
  async typescript(folder) {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'provide.ts'), (await blockOf('docs/signals.md', 'typescript')).code);
    return { command: process.execPath, args: [join(folder, 'provide.ts')] };
  },
  async python() {
    await run('python3', ['-c', 'import temporalio']);
    return { command: 'python3', args: ['-c', (await blockOf('docs/signals.md', 'python')).code] };
  },
  async go(folder) {
    await writeFile(join(folder, 'provide.go'), (await blockOf('docs/signals.md', 'go')).code);
    const go = (...args: string[]) => run('go', args, { cwd: folder, timeout: GO_BUILD_MS });
    await go('mod', 'init', 'provide');
    await go('get', GO_SDK);
    await go('mod', 'tidy');
    return { command: join(folder, 'provide'), args: [] };
  },
};

const programs: [string, Program][] = [];
const folders: string[] = [];
for (const language of languagesOf(Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[])) {
  const folder = await mkdtemp(join(tmpdir(), 'carnet-provide-'));
  folders.push(folder);
  try {
    programs.push([language, await LANGUAGES[language](folder)]);
  } catch (error) {
    const [why] = String(error instanceof Error && 'stderr' in error ? error.stderr : error)
      .trim()
      .split('\n')
      .slice(-1);
    process.stderr.write(`LEFT OUT: the program of docs/signals.md in ${language} (${why}).\n`);
  }
}

describe('docs/signals.md, as pasted', () => {
  let rig: Rig;
  before(async function () {
    this.timeout(GO_BUILD_MS);
    rig = await startRig();
    await rig.startDelivery();
    await rig.startWorker();
    // Its faults are for the test to show: that this machine has Go is known by now.
    const go = programs.find(([language]) => language === 'go')?.[1];
    if (go !== undefined)
      await run('go', ['build', '-o', 'provide', '.'], { cwd: dirname(go.command), timeout: GO_BUILD_MS });
  });
  after(async () => {
    await rig.stop();
    for (const made of folders) await rm(made, { recursive: true, force: true });
  });

  it('names the range of a lease', () => {
    assert(PAGE.includes(`"lease_seconds": ${MIN_LEASE_SECONDS} to ${MAX_LEASE_SECONDS}`));
  });

  it('claims and completes from the command line, and shows the details', async () => {
    await paste(await blocksOf('docs/signals.md', 'signals'));
  }).timeout(PATIENCE_MS);

  it('lists only views that Temporal takes', async () => {
    const [, table = ''] = /^\| view \| query \|\n([^]*?)\n\n/m.exec(PAGE) ?? [];
    const queries = [...table.matchAll(/^\| [^|`]+ \| `(.+)` \|$/gm)].map(([, query = '']) => query);
    assert(queries.length > 5);
    const { id } = await rig.invoke();
    await runOf(rig, id).showing(/^Waits/); // with the attributes, which a worker registers
    for (const query of queries) await rig.temporal.client.workflow.count(query);
    const row = await rig.context.pool.one(
      sql.type(z.object({ skill: z.string(), consumer: z.string() }))`
        select skill_id as skill, consumer_operator_id as consumer from invocations where id = ${id}`,
    );
    const found = async (query: string): Promise<boolean> => {
      for await (const { workflowId } of rig.temporal.client.workflow.list({ query }))
        if (workflowId === lifeId.invocation(id)) return true;
      return false;
    };
    const ofThisOne = queries.map((query) => query.replace('op_…', row.consumer).replace('skl_…', row.skill));
    for (const query of ofThisOne.slice(0, 3)) await eventually(`${query} to list it`, () => found(query));
  });

  for (const [language, program] of programs) {
    describe(`its program in ${language}`, function () {
      this.timeout(120_000);
      const provide = async (id: string) => {
        const { address, namespace } = rig.config.temporal;
        const { command, args } = program;
        const env = { ...process.env, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
        return await run(command, [...args, id], { cwd: ROOT, env }).then(
          ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
          (error: { code: number; stdout: string; stderr: string }) => error,
        );
      };

      it('claims and completes an invocation, also one whose life has not begun yet, and prints the result', async () => {
        const { id } = await rig.invoke();
        const { code, stdout, stderr } = await provide(id);
        assert.deepEqual([code, stdout], [0, 'completed\n'], stderr);
        assert.equal((await rig.row(id)).output, '{"text":"hello"}');
      });

      it('prints why it is refused, and fails', async () => {
        const { id } = await rig.invoke();
        await runOf(rig, id).showing(/^Waits/);
        await rig.claim(id);
        const { code, stderr } = await provide(id);
        assert.equal(code, 1);
        assert.match(stderr, /^INVOCATION_NOT_PENDING: The invocation is processing[^\n]*\n$/m);
      });
    });
  }
});
