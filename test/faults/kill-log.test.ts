import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { publishLog } from '../../src/claims/log/append.ts';
import { headFileOf } from '../../src/claims/log/head-file.ts';
import { openedLogOf } from '../../src/claims/log/log-key.ts';
import { findNewestCheckpoint } from '../../src/claims/log/queries.ts';
import { receiptsOf } from '../../src/claims/log/receipts.ts';
import type { Context } from '../../src/context/context.ts';
import { assertWholeLog, recordClaims, sizesOf } from '../claims/log/support.ts';
import { requester } from '../support/service.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite } from './worlds.ts';

/** Waits until the log has published this many claims, and checks all of it. */
async function assertAllPublished(context: Context, claims: number): Promise<void> {
  await eventually('every claim to be in the log', async () => (await sizesOf(context)).published_size === claims, {
    seconds: 120,
  });
  await assertWholeLog(context);
}

describe('kill -9 of a worker that appends to the log of claims, while claims come', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  for (const point of pointsOfSteps('advanceLog', 'appendToLog')) {
    itBeside(`at ${point}: the next worker goes on, every claim has one place, and no receipt changes`, () =>
      worlds.visit(async ({ context, worker, runHere }) => {
        // The log and its head are there, so that the worker passes the point in its life and not while it starts.
        await publishLog(context);
        const dying = await worker({ FAULT_AT: point });
        const ids: string[] = [];
        while (dying.alive()) ids.push(...(await recordClaims(context, 5)));
        assert.equal(await dying.ended, 'SIGKILL');
        const given = await receiptsOf(context.pool, ids);
        ids.push(...(await recordClaims(context, 5)));

        await runHere('worker');
        await assertAllPublished(context, ids.length);
        const now = await receiptsOf(context.pool, ids);
        for (const [id, receipt] of given) assert.deepEqual(now.get(id), receipt);
        const { id } = await openedLogOf(context);
        assert.equal(
          await readFile(headFileOf(context.config.logHeadDir, id), 'utf8'),
          (await findNewestCheckpoint(context.pool))?.note,
        );
      }),
    );
  }

  for (const point of pointsOfSteps('appendToLog')) {
    itBeside(
      `at ${point}, when no claim comes any more: what it had begun is appended and published all the same`,
      () =>
        worlds.visit(async ({ context, worker, runHere }) => {
          await publishLog(context);
          const dying = await worker({ FAULT_AT: point });
          // Where it is slow the reconciler appends them, which passes fewer points: then three more.
          const ids: string[] = [];
          do {
            ids.push(...(await recordClaims(context, 3)));
            const isPublished = async () => !dying.alive() || (await sizesOf(context)).published_size === ids.length;
            await eventually('them to be published, or the worker to be dead', isPublished, { seconds: 120 });
          } while (dying.alive());
          assert.equal(await dying.ended, 'SIGKILL');

          await runHere('worker');
          await assertAllPublished(context, ids.length);
        }),
    );
  }

  itBeside('a log that is stopped: /readyz says why in API and worker, and both go on serving', () =>
    worlds.visit(async ({ context, api, worker }) => {
      await publishLog(context);
      await recordClaims(context, 1);
      const processes = [await api(), await worker()];
      await eventually('the claim to be in the log', async () => (await sizesOf(context)).published_size === 1);
      const { id } = await openedLogOf(context);
      await writeFile(headFileOf(context.config.logHeadDir, id), 'damaged');
      await recordClaims(context, 1);
      for (const { baseUrl } of processes) {
        const send = requester(null, baseUrl);
        const ready = await eventually('/readyz to say that the log is stopped', async () => {
          const reply = await send.get('/readyz');
          return reply.body.log === 'stopped' && reply;
        });
        assert.equal(ready.status, 200);
        assert.match(String(ready.body.log_stopped), /is no checkpoint of the log .* Put the file back/);
      }
      const metrics = await requester(null, processes[1]?.baseUrl).get('/metrics');
      assert.match(metrics.text, /^carnet_log_stopped 1$/m);
      assert.match(processes[1]?.output() ?? '', /"msg":"the claims log is stopped: claims are recorded and wait/);
    }),
  );
});
