import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { eventDefinitions, type EventType } from '../../src/events/types.ts';
import { advanceInvocation } from '../../src/invocations/index.ts';
import { advanceSession } from '../../src/passports/index.ts';
import type { Invocation } from '../../src/invocations/schema.ts';
import { debit, invoke, newSkill, newWallet, passDeadline, run } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { buildRule } from '../notifications/support/operators.ts';
import { eventsOf, newLineage, newOperator, timePasses } from '../passports/lineages.ts';
import {
  buildAgent,
  buildInvocation,
  buildOperator,
  buildSkill,
  credit,
  type TestOperator,
} from '../support/factories.ts';
import { signIn, type Person } from '../support/people.ts';
import { assertProblem, assertStatus, database, platform, type Requester } from '../support/service.ts';

/** Every event of the operator, oldest first; each has one of its severities, and a payload of its schema and nothing more. */
async function eventsThatFit({ operatorId }: Pick<TestOperator, 'operatorId'>) {
  const events = await eventsOf(await database(), { operator: operatorId });
  for (const { event_type: type, severity, payload } of events) {
    const definition = eventDefinitions[type as EventType];
    assert((definition.severities as readonly string[]).includes(severity), `${type} ${severity}`);
    definition.payload.strict().parse(payload);
  }
  return events;
}

const typesOf = (events: readonly { event_type: string }[]): string[] => events.map(({ event_type: type }) => type);

describe('The events of invocations', () => {
  let provider: TestOperator;
  let consumer: TestOperator;
  let skillId: string;
  const output = { text: 'HELLO' };
  const error = { code: 'CANCELLED_BY_CONSUMER', message: 'It says so.' };

  beforeEach(async () => {
    provider = await buildOperator();
    consumer = await buildOperator({ cents: 100 });
    skillId = (await buildSkill(provider, { price_per_invocation: 5 })).id;
  });

  const subscribe = async (operator: TestOperator, events: string[]): Promise<void> => {
    await buildRule(await signIn(operator.email), operator, { events });
  };
  const act = async (
    who: Requester,
    { id, name, body }: { id: string; name: string; body?: unknown },
  ): Promise<Invocation> => assertStatus(await who.post<Invocation>(`/v1/skills/invocations/${id}/${name}`, body), 200);
  /** One of each end but that by time. */
  const work = async (): Promise<{ completed: string; failed: string; cancelled: string }> => {
    const [one, other, third] = [
      await buildInvocation(consumer, skillId),
      await buildInvocation(consumer, skillId),
      await buildInvocation(consumer, skillId),
    ];
    await act(provider, { id: one.id, name: 'claim' });
    await act(provider, { id: one.id, name: 'complete', body: { output } });
    await act(provider, { id: one.id, name: 'complete', body: { output } }); // the same output again is no second event
    await act(provider, { id: other.id, name: 'claim' });
    await act(provider, { id: other.id, name: 'fail', body: { error } });
    await act(consumer, { id: third.id, name: 'cancel' });
    return { completed: one.id, failed: other.id, cancelled: third.id };
  };

  it('are written for nobody whose rules name none', async () => {
    await subscribe(provider, ['passport.*', 'wallet.low_balance']);
    await work();
    assert.deepEqual(await eventsThatFit(provider), []);
    assert.deepEqual(await eventsThatFit(consumer), []);
  });

  it('are written for provider and consumer, for each what they name', async () => {
    await subscribe(provider, ['invocation.*']);
    await subscribe(consumer, ['invocation.completed', 'invocation.cancelled']);
    const ids = await work();
    const created = 'invocation.created';
    const events = await eventsThatFit(provider);
    assert.deepEqual(typesOf(events), [
      created,
      created,
      created,
      'invocation.completed',
      'invocation.failed',
      'invocation.cancelled',
    ]);
    assert.deepEqual(
      events.map(({ severity, payload }) => [severity, payload['status']]),
      [
        ['info', 'pending'],
        ['info', 'pending'],
        ['info', 'pending'],
        ['info', 'completed'],
        ['warning', 'failed'],
        ['info', 'failed'],
      ],
    );
    const ofConsumer = await eventsThatFit(consumer);
    assert.deepEqual(
      ofConsumer.map(({ event_type: type, payload }) => [type, payload['invocation_id']]),
      [
        ['invocation.completed', ids.completed],
        ['invocation.cancelled', ids.cancelled],
      ],
    );
    assert.deepEqual(ofConsumer[0]?.payload, {
      invocation_id: ids.completed,
      skill_id: skillId,
      skill_version: '1.0.0',
      status: 'completed',
      consumer_operator_id: consumer.operatorId,
      provider_operator_id: provider.operatorId,
      agent_id: null,
    });
  });

  it('are one where an operator invokes its own skill', async () => {
    await subscribe(provider, ['invocation.created']);
    await buildInvocation(provider, skillId);
    assert.deepEqual(typesOf(await eventsThatFit(provider)), ['invocation.created']);
  });

  it('have none of what was refused', async () => {
    await subscribe(consumer, ['invocation.*']);
    const refused = await consumer.post(`/v1/skills/${skillId}/invoke`, { input: { text: 1 } });
    assertProblem(refused, 'INPUT_SCHEMA_MISMATCH');
    const dear = (await buildSkill(provider, { price_per_invocation: 1_000 })).id;
    assertProblem(await consumer.post(`/v1/skills/${dear}/invoke`, { input: { text: 'x' } }), 'INSUFFICIENT_CREDITS');
    assert.deepEqual(await eventsThatFit(consumer), []);
  });
});

describe('The events of lives', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  it('reach the delivery of messages with the commit: an invocation that expires', async () => {
    const { pool: db } = own.context;
    const consumer = await newWallet(db, 100);
    const id = await invoke(db, { consumer, skill: await newSkill(db, await newWallet(db), { price: 25 }) });
    await run(db, sql.fragment`select want_event_types(${consumer}, array['invocation.*'])`);
    await advanceInvocation(own.context, id);
    await passDeadline(db, id);
    const before = own.deliveries();
    await advanceInvocation(own.context, id);
    assert.deepEqual(
      (await eventsOf(db, { operator: consumer })).map(({ event_type: type, severity }) => [type, severity]),
      [['invocation.expired', 'warning']],
    );
    const announced = own.deliveries(); // the claim that it issued is announced too
    assert(announced > before);
    await advanceInvocation(own.context, id);
    assert.equal(own.deliveries(), announced, 'nothing has happened since');
  });

  it('reach the delivery of messages with the commit: a checkpoint that is missed', async () => {
    const { pool: db } = own.context;
    const lineage = await newLineage(db, { operator: await newOperator(db), interval: 60 });
    await advanceSession(own.context, lineage.session);
    const before = own.deliveries();
    await timePasses(db, lineage, 300);
    await advanceSession(own.context, lineage.session);
    assert.deepEqual(typesOf(await eventsOf(db, lineage)), ['passport.flagged']);
    const announced = own.deliveries(); // the claim that it issued is announced too
    assert(announced > before);
    await advanceSession(own.context, lineage.session);
    assert.equal(own.deliveries(), announced, 'nothing has happened since');
  });

  it('reach the delivery of messages with the commit: a wallet that passes below its threshold', async () => {
    const { pool: db } = own.context;
    const operator = await newWallet(db, 100);
    await run(db, sql.fragment`select want_event_types(${operator}, array['wallet.low_balance'])`);
    await run(db, sql.fragment`update operators set low_balance_cents = 50 where id = ${operator}`);
    const before = own.deliveries();
    await debit(db, operator, { cents: 50 });
    assert.equal(own.deliveries(), before, 'what is at the threshold is not below it');
    await debit(db, operator, { cents: 1 });
    assert.deepEqual(typesOf(await eventsOf(db, { operator })), ['wallet.low_balance']);
    assert.equal(own.deliveries(), before + 1);
    await debit(db, operator, { cents: 1 });
    assert.equal(own.deliveries(), before + 1, 'it was low before');
  });
});

describe('The events of passports', () => {
  it('have payloads of their schemas: a flag, a missed checkout and its review, a block', async () => {
    const operator = await buildOperator();
    const db = await database();
    const agent = await buildAgent(operator, { accountability: 'enforced' });
    const lineage = await newLineage(db, { operator: operator.operatorId, agent: agent.id, interval: null, ttl: 60 });
    await timePasses(db, lineage, 7_200);
    await run(db, sql.fragment`select advance_session(${lineage.session}, 900)`);
    const { reviews } = assertStatus(
      await operator.get<{ reviews: { checkout_id: string }[] }>('/v1/passports/reviews'),
      200,
    );
    const [review] = reviews;
    const decide = `/v1/passports/reviews/${review?.checkout_id}/decide`;
    assertStatus(await operator.post(decide, { decision: 'blocked', block_future: true }), 200);
    const flagged = await newLineage(db, { operator: operator.operatorId, interval: 60 });
    await timePasses(db, flagged, 300);
    await run(db, sql.fragment`select advance_session(${flagged.session}, 900)`);
    assert.deepEqual(typesOf(await eventsThatFit(operator)).toSorted(), [
      'agent.blocked',
      'passport.blocked',
      'passport.flagged',
      'passport.missed_checkout',
      'review.pending',
    ]);
  });
});

describe('wallet.low_balance', () => {
  let operator: TestOperator;
  let owner: Person;
  beforeEach(async () => {
    operator = await buildOperator({ cents: 1_000 });
    owner = await signIn(operator.email);
    await buildRule(owner, operator, { events: ['wallet.*'] });
  });

  const threshold = async (cents: number | null): Promise<void> => {
    const { low_balance_cents: set } = assertStatus(
      await operator.patch<{ low_balance_cents: number | null }>('/v1/operators/me', { low_balance_cents: cents }),
      200,
    );
    assert.equal(set, cents);
  };
  const move = (cents: number): Promise<void> => credit(operator.operatorId, cents);
  const balances = async (): Promise<unknown[]> =>
    (await eventsThatFit(operator)).map(({ payload }) => payload['balance_cents']);

  it('is recorded once when the balance passes below the threshold, and again only after it was above', async () => {
    await threshold(500);
    await move(-500);
    assert.deepEqual(await balances(), [], 'what is at the threshold is not below it');
    await move(-1);
    assert.deepEqual(await balances(), [499]);
    await move(-100);
    assert.deepEqual(await balances(), [499], 'it was low before');
    await move(100);
    await move(-50);
    assert.deepEqual(await balances(), [499], 'it was never above');
    await move(51);
    await move(-10);
    assert.deepEqual(await balances(), [499, 490]);
  });

  it('counts what is held, and what is given back', async () => {
    await threshold(990);
    const skill = await buildSkill(await buildOperator(), { price_per_invocation: 20 });
    const { id } = await buildInvocation(operator, skill.id);
    assert.deepEqual(await balances(), [980]);
    assertStatus(await operator.post(`/v1/skills/invocations/${id}/cancel`), 200);
    await buildInvocation(operator, skill.id);
    assert.deepEqual(await balances(), [980, 980]);
  });

  it('is recorded when the threshold is set above the balance', async () => {
    await threshold(1_001);
    assert.deepEqual(await balances(), [1_000]);
    await threshold(2_000);
    assert.deepEqual(await balances(), [1_000]);
    await threshold(null);
    await threshold(1_500);
    assert.deepEqual(await balances(), [1_000, 1_000]);
  });

  it('is not recorded where the balance is above again when the transaction ends', async () => {
    await threshold(500);
    const db = await database();
    const set = (cents: number) => sql.fragment`
      update wallets set posted_cents = ${cents} where operator_id = ${operator.operatorId}`;
    await db.transaction(async (transaction) => {
      await run(transaction, set(100));
      await run(transaction, set(1_000));
    });
    assert.deepEqual(await balances(), []);
    const low = await db.oneFirst(
      sql.type(
        z.object({ low: z.boolean() }),
      )`select is_low as low from wallets where operator_id = ${operator.operatorId}`,
    );
    assert.equal(low, false);
  });

  it('is not recorded for operators whose rules do not name it, nor without a threshold', async () => {
    await move(-999);
    assert.deepEqual(await balances(), []);
    const other = await buildOperator({ cents: 100 });
    assertStatus(await other.patch('/v1/operators/me', { low_balance_cents: 50 }), 200);
    await credit(other.operatorId, -60);
    assert.deepEqual(await eventsThatFit(other), []);
  });

  it('has a threshold of whole cents above zero', async () => {
    for (const wrong of [0, -1, 1.5, '500'])
      assertProblem(
        await operator.patch('/v1/operators/me', { low_balance_cents: wrong }),
        'VALIDATION_ERROR',
        'low_balance_cents',
      );
    assertStatus(await platform().get(`/v1/operators/me`), 200);
  });
});
