import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import type { ListedRule, Rule } from '../../../src/notifications/rules/schema.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { approve, refusedWith, withApproval } from '../../governance/support.ts';
import { buildMemberKey, buildOperator, type TestOperator } from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { signIn, type Person } from '../../support/people.ts';
import { rivals } from '../../support/rivals.ts';
import { anonymous, assertProblem, assertStatus, database, type Reply } from '../../support/service.ts';
import { newRule } from '../support/destinations.ts';
import { buildRule, insertDestination } from '../support/operators.ts';

/** Somebody waits for a lock. */
const waitsForLock = (pool: DatabasePool): Promise<boolean> =>
  eventually('somebody who waits for a lock', () =>
    pool.exists(sql.type(z.object({}))`select 1 from pg_locks where not granted`),
  );

const PATH = '/v1/notifications/channels';
const standard = ['passport.flagged', 'passport.blocked', 'agent.blocked', 'passport.missed_checkout'];

describe('Notification rules', () => {
  let operator: TestOperator;
  let owner: Person;
  let destination: string;
  before(async () => {
    operator = await buildOperator();
    owner = await signIn(operator.email);
    destination = await insertDestination(operator.operatorId);
  });

  const create = (body: Record<string, unknown> = {}): Promise<Reply<Rule>> =>
    owner.post<Rule>(PATH, { destination_ids: [destination], ...body });
  const listed = async (): Promise<ListedRule[]> =>
    assertStatus(await owner.get<{ channels: ListedRule[] }>(PATH), 200).channels;
  const wanted = async (): Promise<string[]> => {
    const pool = await database();
    return [
      ...(await pool.anyFirst(sql.type(z.object({ event_type: z.string() }))`
        select event_type from wanted_event_types where operator_id = ${operator.operatorId} order by event_type`)),
    ];
  };

  describe(`POST ${PATH}`, () => {
    it('requires authentication', async () => {
      assertProblem(await anonymous().post(PATH, { destination_ids: [destination] }), 'UNAUTHENTICATED');
    });

    it('makes a rule of the four events that are not optional, from severity info', async () => {
      const reply = await create();
      const rule = assertStatus(reply, 201);
      const { id, created_at: createdAt, destination: address, ...rest } = rule;
      assert.match(id, /^chn_[0-9A-Z]{26}$/);
      assert(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
      assert.deepEqual(rest, {
        operator_id: operator.operatorId,
        channel_type: 'email',
        destination_id: destination,
        destination_ids: [destination],
        events: standard,
        min_severity: 'info',
        verified: true,
        active: true,
      });
      const shown = assertStatus(await owner.get<ListedRule>(reply.headers.get('location') ?? ''), 200);
      const { delivery_methods: methods, ...same } = shown;
      assert.deepEqual(same, rule);
      assert.deepEqual(
        methods.map((method) => [method.id, method.destination, method.verified]),
        [[destination, address, true]],
      );
    });

    it('keeps destinations in their order and each once, and events each once', async () => {
      const other = await insertDestination(operator.operatorId);
      const destinations = [other, destination, other];
      const events = ['invocation.*', 'agent.blocked', 'invocation.*'];
      const rule = assertStatus(await create({ destination_ids: destinations, events, min_severity: 'critical' }), 201);
      assert.deepEqual(rule.destination_ids, [other, destination]);
      assert.equal(rule.destination_id, other);
      assert.deepEqual(rule.events, ['invocation.*', 'agent.blocked']);
      assert.equal(rule.min_severity, 'critical');
    });

    const wrong: [title: string, body: Record<string, unknown>, path: string][] = [
      ['no destination', { destination_ids: [] }, 'destination_ids'],
      ['21 destinations', { destination_ids: Array.from({ length: 21 }, (_, at) => `dst_${at}`) }, 'destination_ids'],
      ['a destination that is not there', { destination_ids: ['dst_none'] }, 'destination_ids.0'],
      ['no event', { events: [] }, 'events'],
      ['an unknown event', { events: ['passport.flagged', 'passport.stolen'] }, 'events.1'],
      ['an unknown family', { events: ['wallets.*'] }, 'events.0'],
      ['every event', { events: ['*'] }, 'events.0'],
      ['an event that no rule can name', { events: ['notification.test'] }, 'events.0'],
      ['an unknown severity', { min_severity: 'fatal' }, 'min_severity'],
      ['an unknown property', { active: true }, 'active'],
    ];
    for (const [title, body, path] of wrong) {
      it(`refuses ${title}`, async () => {
        assertProblem(await create(body), 'VALIDATION_ERROR', path);
      });
    }

    it('refuses a destination of another operator like one that is not there', async () => {
      const foreign = await insertDestination((await buildOperator()).operatorId);
      assertProblem(await create({ destination_ids: [destination, foreign] }), 'VALIDATION_ERROR', 'destination_ids.1');
    });

    it('refuses a destination that is not verified', async () => {
      const unverified = await insertDestination(operator.operatorId, { verified: false });
      const reply = await create({ destination_ids: [destination, unverified] });
      assertProblem(reply, 'DESTINATION_UNVERIFIED', 'destination_ids.1');
    });

    it('refuses the 101st rule of an operator, however many come together', async () => {
      const full = await buildOperator();
      const person = await signIn(full.email);
      const body = { destination_ids: [await insertDestination(full.operatorId)] };
      await run(
        await database(),
        sql.fragment`
          insert into notification_rules (id, operator_id, events, min_severity)
          select new_prefixed_id('chn'), ${full.operatorId}, array['agent.blocked'], 'info' from generate_series(1, 97)`,
      );
      const replies = await rivals(6, () => person.post(PATH, body));
      assert.equal(replies.filter(({ status }) => status === 201).length, 3);
      const refused = replies.find(({ status }) => status === 403) ?? assert.fail();
      assertProblem(refused, 'TIER_LIMIT_EXCEEDED');
      assert.deepEqual([refused.body['limit'], refused.body['used']], [100, 100]);
      const { channels } = assertStatus(await person.get<{ channels: ListedRule[] }>(PATH), 200);
      assert.equal(channels.length, 100);
    });
  });

  describe(`PATCH ${PATH}/:id`, () => {
    it('changes what it names and nothing else', async () => {
      const rule = await buildRule(owner, operator);
      const path = `${PATH}/${rule.id}`;
      const severe = assertStatus(await owner.patch<Rule>(path, { min_severity: 'warning' }), 200);
      assert.deepEqual(severe, { ...rule, min_severity: 'warning' });
      const other = assertStatus(await owner.patch<Rule>(path, { events: ['wallet.*'] }), 200);
      assert.deepEqual(other, { ...severe, events: ['wallet.*'] });
      const { destination_ids: ids } = assertStatus(
        await owner.patch<Rule>(path, { destination_ids: [destination] }),
        200,
      );
      assert.deepEqual(ids, [destination]);
    });

    it('refuses nothing to change, and what creating refuses', async () => {
      const { id } = await buildRule(owner, operator);
      const path = `${PATH}/${id}`;
      assertProblem(await owner.patch(path, {}), 'VALIDATION_ERROR');
      assertProblem(await owner.patch(path, { events: [] }), 'VALIDATION_ERROR', 'events');
      assertProblem(
        await owner.patch(path, { destination_ids: ['dst_none'] }),
        'VALIDATION_ERROR',
        'destination_ids.0',
      );
      const unverified = await insertDestination(operator.operatorId, { verified: false });
      assertProblem(await owner.patch(path, { destination_ids: [unverified] }), 'DESTINATION_UNVERIFIED');
      assertProblem(await owner.patch(`${PATH}/chn_none`, { events: standard }), 'NOT_FOUND');
    });

    it('activates a rule again that was left without destinations', async () => {
      const { id } = await buildRule(owner, operator);
      await run(await database(), sql.fragment`delete from rule_destinations where rule_id = ${id}`);
      await run(await database(), sql.fragment`update notification_rules set active = false where id = ${id}`);
      const left = assertStatus(await owner.get<ListedRule>(`${PATH}/${id}`), 200);
      assert.deepEqual(
        [left.active, left.verified, left.channel_type, left.destination, left.destination_id, left.destination_ids],
        [false, false, null, null, null, []],
      );
      const again = assertStatus(await owner.patch<Rule>(`${PATH}/${id}`, { destination_ids: [destination] }), 200);
      assert.deepEqual([again.active, again.verified, again.destination_id], [true, true, destination]);
    });
  });

  describe(`DELETE ${PATH}/:id`, () => {
    it('deletes the rule, once', async () => {
      const { id } = await buildRule(owner, operator);
      assert.deepEqual(assertStatus(await owner.delete(`${PATH}/${id}`), 200), { deleted: true });
      assertProblem(await owner.get(`${PATH}/${id}`), 'NOT_FOUND');
      assertProblem(await owner.delete(`${PATH}/${id}`), 'NOT_FOUND');
    });
  });

  describe(`GET ${PATH}`, () => {
    it('lists the operator’s own rules with their destinations, newest first', async () => {
      const alone = await buildOperator();
      const person = await signIn(alone.email);
      const [first, second] = [await buildRule(person, alone), await buildRule(person, alone)];
      const { channels } = assertStatus(await alone.get<{ channels: ListedRule[] }>(PATH), 200);
      assert.deepEqual(
        channels.map(({ id, delivery_methods: methods }) => [id, methods.map((method) => method.id)]),
        [
          [second.id, second.destination_ids],
          [first.id, first.destination_ids],
        ],
      );
    });

    it('shows no rule of another operator, and is no member’s', async () => {
      const { id } = await buildRule(owner, operator);
      const other = await buildOperator();
      assertProblem(await other.get(`${PATH}/${id}`), 'NOT_FOUND');
      assert.deepEqual(assertStatus(await other.get<{ channels: ListedRule[] }>(PATH), 200).channels, []);
      assertProblem(await (await buildMemberKey(operator)).get(PATH), 'ADMIN_REQUIRED');
    });
  });

  describe('by a key', () => {
    it('are created with the approval of a person, who sees where the events go', async () => {
      const body = { destination_ids: [destination], events: ['agent.blocked'] };
      const refused = await operator.post(PATH, body);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      const { approval_id: approval } = refusedWith(refused);
      const shown = assertStatus(await owner.get(`/v1/governance/approvals/${approval}`), 200);
      assert.match(
        JSON.stringify(shown['subject']),
        new RegExp(`"destinations":\\[{"id":"${destination}","channel_type":"email"`),
      );
      assertStatus(await approve(owner, approval), 200);
      const made = assertStatus(await operator.post<Rule>(PATH, body, withApproval(approval)), 201);
      assert(assertStatus(await operator.get<ListedRule>(`${PATH}/${made.id}`), 200).active);
    });

    it('are changed and deleted with one, and are as they were before', async () => {
      const rule = await buildRule(owner, operator);
      const path = `${PATH}/${rule.id}`;
      for (const attempt of [
        (headers?: Record<string, string>) => operator.patch(path, { min_severity: 'critical' }, headers),
        (headers?: Record<string, string>) => operator.delete(path, headers),
      ]) {
        const refused = await attempt();
        assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
        const { approval_id: approval } = refusedWith(refused);
        assertStatus(await approve(owner, approval), 200);
        assertStatus(await attempt(withApproval(approval)), 200);
      }
      assertProblem(await owner.get(path), 'NOT_FOUND');
    });

    it('lapse with an approval whose rule has changed since', async () => {
      const { id } = await buildRule(owner, operator);
      const { approval_id: approval } = refusedWith(await operator.delete(`${PATH}/${id}`));
      assertStatus(await approve(owner, approval), 200);
      assertStatus(await owner.patch(`${PATH}/${id}`, { events: ['wallet.low_balance'] }), 200);
      const refused = await operator.delete(`${PATH}/${id}`, withApproval(approval));
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.equal(refused.body['approval_status'], 'subject_changed');
    });
  });

  describe('decide which optional events are written:', () => {
    beforeEach(async () => {
      for (const { id } of await listed()) assertStatus(await owner.delete(`${PATH}/${id}`), 200);
    });

    it('those that active rules name, by type or by family', async () => {
      assert.deepEqual(await wanted(), []);
      await buildRule(owner, operator, { events: ['passport.*'] });
      assert.deepEqual(await wanted(), [], 'what is not optional needs no row');
      const { id } = await buildRule(owner, operator, { events: ['invocation.failed', 'wallet.*'] });
      assert.deepEqual(await wanted(), ['invocation.failed', 'wallet.low_balance']);
      const other = await buildRule(owner, operator, { events: ['invocation.*'] });
      assert.equal((await wanted()).length, 6);
      assertStatus(await owner.delete(`${PATH}/${other.id}`), 200);
      assert.deepEqual(await wanted(), ['invocation.failed', 'wallet.low_balance'], 'the other rule names it still');
      assertStatus(await owner.patch(`${PATH}/${id}`, { events: ['wallet.low_balance'] }), 200);
      assert.deepEqual(await wanted(), ['wallet.low_balance']);
      await run(await database(), sql.fragment`update notification_rules set active = false where id = ${id}`);
      assert.deepEqual(await wanted(), [], 'an inactive rule wants nothing');
    });

    it('also where one rule is deleted while another that names the same is being made', async () => {
      const destinationId = await insertDestination(operator.operatorId);
      const pool = await database();
      const rule = {
        destinations: [{ id: destinationId, operatorId: operator.operatorId }],
        events: ['invocation.created'],
      };
      const before = await newRule({ pool }, rule);
      const [made, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const making = pool.transaction(async (transaction) => {
        await newRule({ pool: transaction }, rule);
        made.resolve();
        await held.promise;
      });
      await made.promise;
      const deleting = run(pool, sql.fragment`delete from notification_rules where id = ${before}`);
      await Promise.race([deleting, waitsForLock(pool)]);
      held.resolve();
      await Promise.all([making, deleting]);
      assert.deepEqual(await wanted(), ['invocation.created']);
    });

    it('and those of a rule whose last destination is deleted are not written any more', async () => {
      const { id, destination_ids: ids } = await buildRule(owner, operator, { events: ['invocation.*'] });
      assertStatus(await owner.delete(`/v1/notifications/destinations/${ids[0]}`), 200);
      const left = assertStatus(await owner.get<ListedRule>(`${PATH}/${id}`), 200);
      assert.deepEqual([left.active, left.verified, left.delivery_methods], [false, false, []]);
      assert.deepEqual(await wanted(), []);
    });

    it('also where that destination is deleted while the rule is being made', async () => {
      const destinationId = await insertDestination(operator.operatorId);
      const pool = await database();
      const [made, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const making = pool.transaction(async (transaction) => {
        await run(transaction, sql.fragment`select from operators where id = ${operator.operatorId} for no key update`);
        await newRule(
          { pool: transaction },
          { destinations: [{ id: destinationId, operatorId: operator.operatorId }], events: ['invocation.created'] },
        );
        made.resolve();
        await held.promise;
      });
      await made.promise;
      const deleting = owner.delete(`/v1/notifications/destinations/${destinationId}`);
      await Promise.race([deleting, waitsForLock(pool)]);
      held.resolve();
      await making;
      assertStatus(await deleting, 200);
      assert.deepEqual(await wanted(), []);
    });

    it('with any changes in parallel', async () => {
      const first = await buildRule(owner, operator, { events: ['invocation.created'] });
      const types = ['invocation.failed', 'invocation.created', 'invocation.expired', 'wallet.low_balance'];
      await Promise.all([
        owner.delete(`${PATH}/${first.id}`),
        ...types.map((type) => buildRule(owner, operator, { events: [type] })),
      ]);
      assert.deepEqual(await wanted(), types.toSorted());
    });
  });
});
