import assert from 'node:assert/strict';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { credit, run } from '../billing/ledger/ledger-world.ts';
import { eventRow, moneyOf, newOwner, wantingEvent } from '../inbound/classification/wanting-events.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { MODEL, MODEL_KEY, startModels, type ModelDouble } from '../models/model-double.ts';
import { startProgram } from '../support/process.ts';
import { pointsOfSteps } from './fault-points.ts';

describe('kill -9 of a worker that asks a model', function () {
  this.timeout(60_000);
  let own: OwnContext;
  let double: ModelDouble;
  before(async () => {
    own = await ownContext();
    double = await startModels('openai', { says: '{"injection": false, "confidence": 1}' });
  });
  after(async () => {
    await double.stop();
    await own.close();
  });

  const classify = async (excerpt: object, extra: Record<string, string> = {}): Promise<number | string> => {
    const { databaseUrl, platformAdminKey, encryptionKeys } = own.context.config;
    const prices = { input_microcents: 25, cached_microcents: 2.5, output_microcents: 200 };
    const { slug, kind, baseUrl } = double.provider;
    const program = startProgram(
      'test/inbound/classification/classify-once.ts',
      {
        DATABASE_URL: databaseUrl,
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        PLATFORM_ADMIN_KEY: platformAdminKey,
        ENCRYPTION_KEY: encryptionKeys[0]?.toString('base64') ?? '',
        LLM_PROVIDERS: JSON.stringify([
          { slug, kind, base_url: baseUrl, api_key: MODEL_KEY, models: [{ model: MODEL, ...prices }] },
        ]),
        L3_MODEL: `${slug}/${MODEL}`,
        ...extra,
      },
      [JSON.stringify(excerpt)],
    );
    const ended = await program.ended;
    return ended === 0 ? program.output() : ended;
  };

  for (const point of pointsOfSteps('classifyExcerpt')) {
    it(`at ${point}: the model is not asked again, and what was held comes back`, async () => {
      const { pool } = own.context;
      const owner = await newOwner(own.context, { tier: 'free' });
      await credit(pool, owner.operatorId, { cents: 5, cause: newId('txn') });
      const event = await wantingEvent(pool, owner, 'A text.');
      const before = double.calls();
      assert.equal(await classify(event, { FAULT_AT: point }), 'SIGKILL');
      const made = point.endsWith(':answered') ? 1 : 0;
      assert.equal(double.calls() - before, made);
      assert.equal((await eventRow(pool, event.eventId)).classification, 'calling');
      assert.equal((await moneyOf(pool, owner.operatorId)).held, 1);
      await assertLedger(pool); // what is held for the call is accounted for meanwhile

      assert.equal(await classify(event), 'null');
      assert.equal(double.calls() - before, made, 'nobody asks a second time');

      // As the life does once the call has lasted longer than any does.
      await run(
        pool,
        sql.fragment`select settle_classification(${event.eventId}, 1, 'failed', 'The model that was to judge this did not.', null)`,
      );
      const { classification, severity } = await eventRow(pool, event.eventId);
      assert.deepEqual([classification, severity], ['failed', 'high']);
      const { available, held, used, overage, calls } = await moneyOf(pool, owner.operatorId);
      assert.deepEqual(
        { available, held, used, overage, calls },
        { available: 5, held: 0, used: 0, overage: 0, calls: 0 },
      );
      await assertLedger(pool);
    });
  }
});
