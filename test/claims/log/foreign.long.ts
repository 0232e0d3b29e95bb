import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import canonicalize from 'canonicalize';
import type { Claim } from '../../../src/claims/schema/claim.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { anonymous, assertStatus, database, service } from '../../support/service.ts';
import { submit, submitAndPlace, placed } from '../support.ts';
import { recordClaims } from './support.ts';

const SOURCE = join(import.meta.dirname, 'foreign');
const run = promisify(execFile);

/** The program of `foreign/main.go` reads this. */
interface Task {
  base: string;
  vkey: string;
  older: string;
  index: number;
  /** base64 */
  entry: string;
  proof: string;
}

interface Bundle {
  checkpoint: string;
  tlog_proof: string;
  log: { vkey: string };
}

const hasGo = await run('go', ['mod', 'download'], { cwd: SOURCE }).then(
  () => true,
  () => false,
);

if (!hasGo) {
  process.stderr.write('LEFT OUT: the log read by golang.org/x/mod/sumdb; go mod download fails.\n');
} else {
  describe('The log as golang.org/x/mod/sumdb reads it', function () {
    this.timeout(300_000); // Go compiles its own library the first time
    let folder: string;
    let program: string;
    let operator: TestOperator;
    let claims: Claim[];
    let bundles: Bundle[];

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'carnet-foreign-'));
      program = join(folder, 'foreign');
      await run('go', ['build', '-o', program, '.'], { cwd: SOURCE });
      operator = await buildOperator();
      const first = await submitAndPlace(operator);
      // More than a tile is wide, so that full tiles are read, parts of one, and the level above.
      await recordClaims({ pool: await database() }, 300);
      claims = [first, await placed(operator, (await submit(operator)).id)];
      bundles = await Promise.all(
        claims.map(async ({ id }) => assertStatus(await operator.get<Bundle>(`/v1/claims/${id}/bundle`), 200)),
      );
    });
    after(() => rm(folder, { recursive: true, force: true }));

    /** The bundle that proves the claim of this number, with the checkpoint of the first one's receipt as the older one. */
    const taskOf = (nth: number): Task => {
      const [claim, bundle] = [claims[nth] ?? assert.fail(), bundles[nth] ?? assert.fail()];
      const { receipt: _receipt, co_signatures: _coSignatures, ...signed } = claim.envelope;
      return {
        base: service().baseUrl,
        vkey: bundle.log.vkey,
        older: bundles[0]?.checkpoint ?? '',
        index: claim.log_index ?? -1,
        entry: Buffer.from(canonicalize(signed) ?? '').toString('base64'),
        proof: bundle.tlog_proof,
      };
    };
    const play = async (task: Task): Promise<[number, string]> => {
      const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.end(JSON.stringify(task));
      const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
      return [code as number, output];
    };

    it('proves the inclusion of a record, the consistency with an older checkpoint, and a tlog-proof', async () => {
      for (const nth of [0, 1]) {
        const [code, output] = await play(taskOf(nth));
        assert.equal(code, 0, output);
        const { older, newest } = JSON.parse(output) as { older: number; newest: number };
        const sizeOf = (note = ''): number => Number(note.split('\n')[1]);
        assert.equal(older, sizeOf(bundles[0]?.checkpoint));
        assert(newest >= sizeOf(bundles[1]?.checkpoint) && newest > 300, output);
        assert(newest <= sizeOf((await anonymous().get('/log/checkpoint')).text), output);
      }
    });

    it('proves nothing else', async () => {
      const task = taskOf(1);
      const wrong: [Partial<Task>, RegExp][] = [
        [{ entry: Buffer.from('another').toString('base64') }, /^inclusion: /],
        [{ index: task.index - 1 }, /^inclusion: /],
        [{ older: task.older.replace(/\n.{43}=\n/, `\n${'A'.repeat(43)}=\n`) }, /^older checkpoint: /],
        [{ proof: taskOf(0).proof }, /^tlog-proof: /],
        [{ proof: task.proof.replace(/^index \d+$/m, 'index 0') }, /^tlog-proof: /],
        [{ vkey: task.vkey.replace(/\+[0-9a-f]{8}\+/, '+00000000+') }, /^checkpoint: /],
      ];
      for (const [change, why] of wrong) {
        const [code, output] = await play({ ...task, ...change });
        assert.equal(code, 1, output);
        assert.match(output, why);
      }
    });
  });
}
