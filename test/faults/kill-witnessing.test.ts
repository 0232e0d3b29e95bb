import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendBatch, publishLog } from '../../src/claims/log/append.ts';
import { openedLogOf } from '../../src/claims/log/log-key.ts';
import { verifyNote } from '../../src/claims/log/signed-note.ts';
import { bestCheckpoint } from '../../src/claims/log/witnesses/witnessed.ts';
import { parseVkey, SIGNATURE_TYPE, vkeyOf } from '../../src/fields/verifier-key.ts';
import { LOG_WITNESSING } from '../../temporal/schedules.ts';
import { recordClaims } from '../claims/log/support.ts';
import { witness } from '../claims/log/witnesses/witness.ts';
import { receiversOfSuite } from '../notifications/support/receiver.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite } from './worlds.ts';

describe('kill -9 of a worker that asks the witnesses of the log', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();
  const { receiver, stopReceivers } = receiversOfSuite();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-policy-'));
  });
  after(async () => {
    await stopReceivers();
    await rm(folder, { recursive: true, force: true });
  });

  for (const point of pointsOfSteps('askWitnesses')) {
    itBeside(`at ${point}: the next worker ends the run, and the signature of the witness is there once`, () =>
      worlds.visit(async ({ context, lives, worker, settings }) => {
        await recordClaims(context, 3);
        await appendBatch(context);
        await publishLog(context);
        const keys = {
          name: 'witness.example/a',
          ed25519: generateKeyPairSync('ed25519').privateKey,
          mlDsa44: generateKeyPairSync('ml-dsa-44').privateKey,
        };
        const vkey = vkeyOf(keys.name, createPublicKey(keys.ed25519), SIGNATURE_TYPE.ed25519Cosignature);
        const { origin, x } = await openedLogOf(context);
        const { behave, state } = witness(keys, { origin, x });
        const policy = join(folder, point.replaceAll(':', '-'));
        await writeFile(policy, `witness a ${vkey} ${(await receiver(behave)).urlOf('w')}\nquorum a\n`);
        Object.assign(settings, { WITNESS_POLICY: policy, OUTBOUND_ALLOW_LOOPBACK: 'true' });

        const dying = await worker({ FAULT_AT: point });
        const schedule = lives.client.schedule.getHandle(LOG_WITNESSING);
        await eventually('the worker to have made the schedule', () => schedule.trigger().then(() => true), {
          ignoreErrors: () => true,
        });
        assert.equal(await dying.ended, 'SIGKILL');
        const begun = await eventually('the run that lost its worker', async () => {
          const [only] = (await schedule.describe()).info.recentActions;
          return only?.action.type === 'startWorkflow' ? only.action.workflow : undefined;
        });
        await worker();
        await lives.client.workflow.getHandle(begun.workflowId).result();
        const config = { ...context.config, witnessKeys: [parseVkey(vkey)] };
        const best = await bestCheckpoint({ ...context, config }, 1);
        assert.deepEqual([best?.tree_size, best?.witnesses], [3, [keys.name]]);
        assert.deepEqual(verifyNote(best?.note ?? '', [vkey]).verifiedBy, [keys.name]);
        assert.deepEqual([state.size, state.answers], [3, [200]], 'it was asked once');
      }),
    );
  }
});
