import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { advanceNotification } from '../../../src/notifications/index.ts';
import { settleDelivery, startDeliveries } from '../../../src/notifications/deliveries/queries.ts';
import { notDelivered, type Sending } from '../../../src/outbound/outcomes.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { newDestination, newOperator, newRule, recordEvents, type TestDestination } from '../support/destinations.ts';

const HUNG = notDelivered({ status: 'unknown', reason: 'timeout', error: 'No answer came in time.' });
const ANSWERED: Sending = { status: 'failed', reason: 'http_status', statusCode: 500, error: 'x' };
const BROKEN = notDelivered({ status: 'unknown', reason: 'broken', error: 'x' });

describe('The places of destinations that hang', function () {
  this.timeout(60_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  /** A webhook with deliveries that wait, and a rule that tells of its share elsewhere. */
  async function waiting(count: number, operatorId?: string): Promise<TestDestination> {
    const owner = operatorId ?? (await newOperator(own.context));
    const webhook = await newDestination(own.context, { operatorId: owner, destination: 'https://hooks.example.com/' });
    const mail = await newDestination(own.context, {
      operatorId: owner,
      channel: 'email',
      destination: `${webhook.id}@example.test`,
    });
    await newRule(own.context, { destinations: [webhook] });
    await newRule(own.context, { destinations: [mail], events: ['destination.*'] });
    await recordEvents(own.context, owner, { count });
    return webhook;
  }
  const start = ({ id }: TestDestination) => startDeliveries(own.context.pool, id, { limit: 8, emailMicrocents: 0 });
  async function oneCall(destination: TestDestination, outcome: Sending): Promise<number> {
    const begun = await start(destination);
    for (const { id } of begun)
      await settleDelivery(own.context.pool, id, { ...outcome, latencyMs: 1, receiversFault: true });
    return begun.length;
  }
  const told = ({ operatorId }: TestDestination) =>
    own.context.pool.anyFirst(sql.type(z.object({ what: z.string() }))`
      select concat_ws(' ', event_type, payload::json ->> 'places') as what from service_events
      where operator_id = ${operatorId} and event_type like 'destination.%' order by seq`);
  const passMinute = ({ id }: TestDestination) =>
    run(
      own.context.pool,
      sql.fragment`update destinations set held_until = held_until - interval '1 minute' where id = ${id}`,
    );
  const statusOf = async ({ id }: TestDestination) => (await advanceNotification(own.context, id)).status;

  it('shrink to one after three timeouts in a row, to none after three more, and come back by an answer', async () => {
    const webhook = await waiting(40);
    assert.equal(await oneCall(webhook, HUNG), 8);
    assert.deepEqual(await told(webhook), ['destination.slow 1']);
    for (let n = 0; n < 3; n += 1) assert.equal(await oneCall(webhook, HUNG), 1);
    assert.deepEqual(await told(webhook), ['destination.slow 1', 'destination.slow 0']);
    assert.equal(await oneCall(webhook, HUNG), 0);
    assert.equal(await statusOf(webhook), 'turn');

    await passMinute(webhook);
    assert.equal(await statusOf(webhook), 'send');
    assert.equal(await oneCall(webhook, HUNG), 1);
    assert.equal(await oneCall(webhook, HUNG), 0);
    assert.equal((await told(webhook)).length, 2, 'nothing is new');

    await passMinute(webhook);
    assert.equal(await oneCall(webhook, ANSWERED), 1);
    assert.equal(await oneCall(webhook, ANSWERED), 8);
    assert.deepEqual(await told(webhook), ['destination.slow 1', 'destination.slow 0', 'destination.recovered']);
  });

  it('stay as they are by what is no timeout, and begin again behind an answer', async () => {
    const webhook = await waiting(40);
    for (const outcome of [HUNG, HUNG, ANSWERED, HUNG, HUNG, BROKEN]) {
      const [first, ...others] = await start(webhook);
      assert.equal(others.length, 7);
      assert(first !== undefined);
      await settleDelivery(own.context.pool, first.id, { ...outcome, latencyMs: 1, receiversFault: true });
      await run(
        own.context.pool,
        sql.fragment`delete from deliveries where id = any(${sql.array(
          others.map(({ id }) => id),
          'text',
        )})`,
      );
      await recordEvents(own.context, webhook.operatorId, { count: 8 });
    }
    assert.deepEqual(await told(webhook), []);
  });

  it('are one for all of an operator and sixteen for all operators, and cost none of who answers', async () => {
    const hanging: TestDestination[] = [];
    for (let n = 0; n < 18; n += 1) hanging.push(await waiting(1));
    const [first] = hanging;
    assert(first !== undefined);
    const second = await waiting(1, first.operatorId);
    for (const { id } of [...hanging, second])
      await run(
        own.context.pool,
        sql.fragment`update destinations set timeouts_in_row = 3, slow_since = now() where id = ${id}`,
      );
    assert.equal(await statusOf(first), 'send');
    assert.equal(await statusOf(second), 'turn');
    const steps: string[] = [];
    for (const one of hanging.slice(1)) steps.push(await statusOf(one));
    assert.deepEqual([steps.filter((step) => step === 'send').length, steps.at(-1)], [15, 'turn']);
    for (let n = 0; n < 7; n += 1) assert.equal(await statusOf(await waiting(1, first.operatorId)), 'send');
    assert.equal(await statusOf(await waiting(1)), 'send');
  });
});
