import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { advanceInboundRow, recordVerdict } from '../../../src/inbound/events/queries.ts';
import { authoriseForward, settleForward } from '../../../src/inbound/forwards/queries.ts';
import { DELIVERED, notDelivered, type Sending } from '../../../src/outbound/outcomes.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { newDestination, newRule } from '../../notifications/support/destinations.ts';
import { newEndpoint, newEvent, type TestEndpoint } from '../support/endpoints.ts';

const HUNG = notDelivered({ status: 'unknown', reason: 'timeout', error: 'No answer came in time.' });
const ANSWERED: Sending = { ...DELIVERED, statusCode: 204 };

describe('The places of endpoints whose receivers hang', function () {
  this.timeout(60_000);
  let own: OwnContext;
  let count = 0;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  async function endpoint(operatorId?: string): Promise<TestEndpoint> {
    const made = await newEndpoint(own.context, {
      forwardUrl: 'https://agents.example.com/',
      ...(operatorId !== undefined && { operatorId }),
    });
    const mail = await newDestination(own.context, {
      operatorId: made.operatorId,
      channel: 'email',
      destination: `${made.id}@example.test`,
    });
    await newRule(own.context, { destinations: [mail], events: ['inbound.slow', 'inbound.recovered'] });
    return made;
  }
  /** A scanned event, as it stands before its forward. */
  async function event(of: TestEndpoint): Promise<string> {
    count += 1;
    const id = await newEvent(own.context, of, { count });
    await advanceInboundRow(own.context.pool, id);
    await recordVerdict(own.context.pool, {
      id,
      attempt: 1,
      verdict: 'clean',
      severity: 'none',
      findings: [],
      classify: false,
    });
    return id;
  }
  const nextOf = async (id: string) => (await advanceInboundRow(own.context.pool, id)).status;
  const begin = (id: string) => authoriseForward(own.context.pool, id, 1);
  const settle = (id: string, outcome: Sending) => settleForward(own.context.pool, id, { ...outcome, latencyMs: 1 });
  /** Begins as many forwards as there are places, and ends them so. @returns how many there were */
  async function forwardAll(of: TestEndpoint, outcome: Sending): Promise<number> {
    const begun: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const forward = await begin(await event(of));
      if (forward !== null) begun.push(forward.id);
    }
    for (const id of begun) await settle(id, outcome);
    return begun.length;
  }
  const told = ({ operatorId }: TestEndpoint) =>
    own.context.pool.anyFirst(sql.type(z.object({ what: z.string() }))`
      select concat_ws(' ', event_type, payload::json ->> 'places') as what from service_events
      where operator_id = ${operatorId} and event_type in ('inbound.slow', 'inbound.recovered') order by seq`);

  it('shrink to one after three timeouts in a row, to none after three more, and come back by an answer', async () => {
    const hanging = await endpoint();
    assert.equal(await forwardAll(hanging, HUNG), 4);
    assert.deepEqual(await told(hanging), ['inbound.slow 1']);
    for (let n = 0; n < 3; n += 1) assert.equal(await forwardAll(hanging, HUNG), 1);
    assert.equal(await forwardAll(hanging, HUNG), 0);
    assert.deepEqual(await told(hanging), ['inbound.slow 1', 'inbound.slow 0']);
    const waiting = await event(hanging);
    assert.equal(await nextOf(waiting), 'turn');

    await run(
      own.context.pool,
      sql.fragment`update inbound_endpoints set held_until = held_until - interval '1 minute' where id = ${hanging.id}`,
    );
    assert.equal(await nextOf(waiting), 'forward');
    const forward = await begin(waiting);
    assert(forward !== null);
    await settle(forward.id, ANSWERED);
    assert.deepEqual(await told(hanging), ['inbound.slow 1', 'inbound.slow 0', 'inbound.recovered']);
    assert.equal(await forwardAll(hanging, ANSWERED), 4);
  });

  it('are one for all of an operator and sixteen for all operators, and cost none of who answers', async () => {
    const hanging: TestEndpoint[] = [];
    for (let n = 0; n < 18; n += 1) hanging.push(await endpoint());
    const [first] = hanging;
    assert(first !== undefined);
    const second = await endpoint(first.operatorId);
    for (const { id } of [...hanging, second])
      await run(
        own.context.pool,
        sql.fragment`update inbound_endpoints set timeouts_in_row = 3, slow_since = now() where id = ${id}`,
      );
    const begins = async (one: TestEndpoint): Promise<boolean> => (await begin(await event(one))) !== null;
    assert.equal(await begins(first), true);
    assert.equal(await begins(second), false);
    const begun: boolean[] = [];
    for (const one of hanging.slice(1)) begun.push(await begins(one));
    assert.deepEqual([begun.filter(Boolean).length, begun.at(-1)], [15, false]);
    const answering = await endpoint(first.operatorId);
    assert.equal(await begins(answering), true);
    assert.equal(await begins(await endpoint()), true);
  });
});
