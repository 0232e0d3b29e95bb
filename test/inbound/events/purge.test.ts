import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { tiers } from '../../../src/fields/tiers.ts';
import { purgeInboundContents } from '../../../src/inbound/events/purge.ts';
import { findEvent } from '../../../src/inbound/events/queries.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { newOperator } from '../../notifications/support/destinations.ts';
import { newEndpoint, newEvent } from '../support/endpoints.ts';
import { purgeAll, RETENTION } from '../../support/retention.ts';

describe('The retention of what came to inbound endpoints', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  const purge = async (): Promise<number> =>
    (await purgeAll(own.context, purgeInboundContents)).reduce((sum, purged) => sum + purged, 0);

  for (const tier of tiers) {
    const [inside, outside] = RETENTION[tier];
    it(`keeps a content of ${inside} and deletes one of ${outside} on the ${tier} tier; hash and verdict stay`, async () => {
      const { context } = own;
      const { pool } = context;
      const endpoint = await newEndpoint(context, { operatorId: await newOperator(context, tier) });
      const ids: string[] = [];
      for (const age of [inside, outside]) {
        const id = await newEvent(context, endpoint, { age });
        await run(
          pool,
          sql.fragment`update inbound_contents set stored_at = clock_timestamp() - ${age}::interval where event_id = ${id}`,
        );
        await run(
          pool,
          sql.fragment`update inbound_events set status = 'recorded', verdict = 'clean', severity = 'none', findings = '[]', ended_at = now() where id = ${id}`,
        );
        ids.push(id);
      }
      const shown = async () => {
        const { operatorId, id: endpointId } = endpoint;
        const events = await Promise.all(ids.map((id) => findEvent(pool, { operatorId, endpointId, id })));
        return events.map((event) => event ?? assert.fail('the event is gone'));
      };
      const before = await shown();
      assert.equal(await purge(), 1);
      assert.equal(await purge(), 0);
      const [kept, purged] = before;
      assert.deepEqual(await shown(), [kept, { ...purged, content_kept: false }]);
      const contents = await pool.anyFirst(sql.type(z.object({ event_id: z.string() }))`
        select event_id from inbound_contents where operator_id = ${endpoint.operatorId}`);
      assert.deepEqual(contents, [ids[0]]);
    });
  }
});
