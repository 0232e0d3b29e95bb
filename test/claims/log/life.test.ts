import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { ApplicationFailure } from '@temporalio/common';
import { pino } from 'pino';
import { appendBatch, publishLog } from '../../../src/claims/log/append.ts';
import { headFileOf } from '../../../src/claims/log/head-file.ts';
import { openedLogOf } from '../../../src/claims/log/log-key.ts';
import { withCaches } from '../../../src/context/caches.ts';
import { createEncryption } from '../../../src/context/encryption.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { allMetricsText } from '../../../src/metrics/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { startRig, type Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import { assertWholeLog, recordClaims, sizesOf } from './support.ts';

describe('The life of the log', function () {
  this.timeout(120_000);
  let rig: Rig;
  let run: Run;
  let path: string;
  /** The lines that the processes log. */
  const lines: string[] = [];
  before(async () => {
    rig = await startRig({ log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }) });
    await rig.startDelivery();
    const { id } = await openedLogOf(rig.context);
    await publishLog(rig.context);
    path = headFileOf(rig.config.logHeadDir, id);
    run = runOf(rig, lifeId['log-sequencer'](id));
  });
  after(() => rig.stop());

  const published = (size: number): Promise<unknown> =>
    eventually(`${size} claims to be published`, async () => (await sizesOf(rig.context)).published_size === size);

  it('appends what comes, in two workers in parallel, and waits without a timer when nothing does', async () => {
    await recordClaims(rig.context, 3);
    const workers = [await rig.startWorker(), await rig.startWorker()];
    await published(3);
    for (let round = 0; round < 10; round += 1) await recordClaims(rig.context, 7);
    await published(73);
    await run.showing(/^Waits for claims; the log has 73\./);
    await assertWholeLog(rig.context);
    const { handle } = run;
    const pending = (await handle.describe()).raw.pendingActivities ?? [];
    assert.deepEqual(pending, []);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  it('says that the log is stopped, and goes on by itself when what stopped it is mended', async () => {
    const head = await readFile(path, 'utf8');
    await writeFile(path, 'damaged');
    await recordClaims(rig.context, 2);
    const worker = await rig.startWorker();
    await run.showing(/^Stopped: nothing may be appended/);
    assert.equal((await sizesOf(rig.context)).tree_size, 73);
    await writeFile(path, head);
    await published(75);
    await run.showing(/^Waits for claims; the log has 75\./);
    await worker.stop();
    await assertWholeLog(rig.context);
  });

  it('outlives a step in the database that fails for good: it pauses, and tries again', async () => {
    let failures = 0;
    const worker = await rig.startWorker({
      async appendToLog() {
        if (failures > 1) return await rig.activities().appendToLog();
        failures += 1;
        throw ApplicationFailure.nonRetryable('This step fails in this test.', 'TEST');
      },
    });
    const { tree_size: size } = await sizesOf(rig.context);
    await recordClaims(rig.context, 1);
    await published(size + 1);
    assert.equal(failures, 2);
    await worker.stop();
  });

  it('leaves the private key of the log in no log line, metric and history', async () => {
    const { privateKey } = await openedLogOf(rig.context);
    const { d = '' } = privateKey().export({ format: 'jwk' });
    const raw = Buffer.from(d, 'base64url');
    // A fault of the key itself writes this, too.
    const lost = withCaches({ ...rig.context, encryption: createEncryption([randomBytes(32)]) });
    await recordClaims(lost, 1);
    assert.equal(await appendBatch(lost), null);
    const texts = [...lines, await allMetricsText(), await run.text()];
    for (const form of [d, raw.toString('hex'), raw.toString('base64').slice(0, 42)]) {
      assert(!texts.some((text) => text.includes(form)));
    }
    assert(lines.some((line) => line.includes('no key of ENCRYPTION_KEY opens the key of the claims log')));
  });
});
