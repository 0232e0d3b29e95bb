import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { approve, refusedWith, withApproval } from '../../governance/support.ts';
import { eventually } from '../../support/eventually.ts';
import { unique } from '../../support/factories.ts';
import { assertProblem, assertStatus, database, type Requester } from '../../support/service.ts';
import { newRule } from '../support/destinations.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import {
  anotherKey,
  buildWatched,
  DESTINATIONS,
  execute,
  made,
  newAddress,
  shown,
  verifyByHand,
  type Watched,
} from '../support/operators.ts';

describe('A destination', () => {
  let watched: Watched;
  let other: Watched;
  let receiver: Receiver;
  before(async () => {
    watched = await buildWatched();
    other = await buildWatched();
    receiver = await startReceiver();
  });
  after(() => receiver.stop());

  const webhook = () => made(watched.owner, 'webhook', receiver.urlOf(unique('hook')));

  describe('DELETE /:id', () => {
    const ruleOf = async (...ids: string[]): Promise<string> => {
      const { operatorId } = watched.operator;
      return newRule({ pool: await database() }, { operatorId, destinations: ids.map((id) => ({ id, operatorId })) });
    };
    const rule = async (id: string) => {
      const pool = await database();
      return pool.one(sql.type(z.object({ active: z.boolean(), destinations: z.number() }))`
        select active, (select count(*) from rule_destinations where rule_id = r.id) as destinations from notification_rules r where id = ${id}`);
    };

    it('takes it out of the rules; one with none left is inactive', async () => {
      const [first, second] = [await made(watched.owner, 'email', newAddress()), await webhook()];
      const [alone, both] = [await ruleOf(first.id), await ruleOf(first.id, second.id)];
      assert.deepEqual(assertStatus(await watched.owner.delete(`${DESTINATIONS}/${first.id}`), 200), { deleted: true });
      assert.deepEqual(await rule(alone), { active: false, destinations: 0 });
      assert.deepEqual(await rule(both), { active: true, destinations: 1 });
      assertProblem(await watched.owner.delete(`${DESTINATIONS}/${first.id}`), 'NOT_FOUND');
    });

    it('leaves no rule active without destinations that named it at the same moment', async () => {
      const { id } = await made(watched.owner, 'email', newAddress());
      const ruleId = await ruleOf();
      const pool = await database();
      const deleting = await pool.transaction(async (naming) => {
        await naming.query(sql.type(z.object({}))`
          insert into rule_destinations (rule_id, destination_id, position) values (${ruleId}, ${id}, 0)`);
        const begun = watched.owner.delete(`${DESTINATIONS}/${id}`);
        await eventually('the deletion to wait', () =>
          naming.exists(sql.type(z.object({}))`
            select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`),
        );
        return { begun };
      });
      assertStatus(await deleting.begun, 200);
      assert.deepEqual(await rule(ruleId), { active: false, destinations: 0 });
    });

    it('ends what waits for it', async () => {
      const { id } = await made(watched.owner, 'email', newAddress());
      const [event, delivery] = [newId('evt'), newId('dlv')];
      const { operatorId } = watched.operator;
      await execute(sql.fragment`
        insert into service_events (id, operator_id, event_type, severity, payload)
        values (${event}, ${operatorId}, 'passport.flagged', 'info', '{}')`);
      await execute(sql.fragment`
        insert into deliveries (id, operator_id, event_id, destination_id, channel_type, event_type)
        values (${delivery}, ${operatorId}, ${event}, ${id}, 'email', 'passport.flagged')`);
      assertStatus(await watched.owner.delete(`${DESTINATIONS}/${id}`), 200);
      const pool = await database();
      assert.deepEqual(
        await pool.one(sql.type(z.object({ status: z.string(), reason: z.string() }))`
          select status, reason from deliveries where id = ${delivery}`),
        { status: 'failed', reason: 'destination_deleted' },
      );
    });

    it('needs the approval of a person for a key, and is 404 for what is another’s', async () => {
      const { id } = await made(watched.owner, 'email', newAddress());
      const path = `${DESTINATIONS}/${id}`;
      const refused = await watched.operator.delete(path);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assertProblem(await other.owner.delete(path), 'NOT_FOUND');
      assertProblem(await other.operator.delete(path), 'NOT_FOUND');
      const { approval_id: approval } = refusedWith(refused);
      assertStatus(await approve(watched.owner, approval), 200);
      assertStatus(await watched.operator.delete(path, withApproval(approval)), 200);
    });
  });

  describe('POST /:id/rotate-secret', () => {
    const rotate = (by: Requester, id: string, headers?: Record<string, string>) =>
      by.post<{ webhook_secret: string }>(`${DESTINATIONS}/${id}/rotate-secret`, undefined, headers);

    it('returns another secret once, and keeps the one before for a day', async () => {
      const { id, webhook_secret: first } = await webhook();
      const headers = { 'idempotency-key': unique('key') };
      const { webhook_secret: second } = assertStatus(await rotate(watched.owner, id, headers), 200);
      assert.match(second, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.notEqual(second, first);
      assert.equal(assertStatus(await rotate(watched.owner, id, headers), 200).webhook_secret, second, 'a replay');
      const pool = await database();
      const kept = await pool.one(sql.type(z.object({ hours: z.number(), differ: z.boolean() }))`
        select (extract(epoch from old_secret_until - clock_timestamp()) / 3600)::float8 as hours, old_secret <> secret as differ
        from destinations where id = ${id}`);
      assert(kept.hours > 23.9 && kept.hours <= 24 && kept.differ, JSON.stringify(kept));
      assert.equal('webhook_secret' in (await shown(watched.owner, id)), false);
    });

    it('is 400 for an address that is no webhook', async () => {
      const { id } = await made(watched.owner, 'email', newAddress());
      assertProblem(await rotate(watched.owner, id), 'VALIDATION_ERROR', 'id');
    });

    it('needs the approval of a person for a key, which counts for that key alone; another’s is 404', async () => {
      const { id } = await webhook();
      const refused = await rotate(watched.operator, id);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assertProblem(await rotate(other.owner, id), 'NOT_FOUND');
      const { approval_id: approval } = refusedWith(refused);
      assertStatus(await approve(watched.owner, approval), 200);
      const another = await anotherKey(watched.owner);
      assertProblem(await rotate(another, id, withApproval(approval)), 'GOVERNANCE_APPROVAL_REQUIRED');
      assertStatus(await rotate(watched.operator, id, withApproval(approval)), 200);
    });
  });

  describe('POST /:id/enable', () => {
    it('lets deliveries begin again, and counts failures again', async () => {
      const { id } = await webhook();
      await verifyByHand(id);
      await execute(sql.fragment`
        update destinations set failures_in_row = 20, failing_since = now(), disabled_at = now(), disabled_reason = 'it kept failing'
        where id = ${id}`);
      const before = await shown(watched.operator, id);
      assert.deepEqual([before.failures_in_row, before.disabled_reason], [20, 'it kept failing']);
      const enabled = assertStatus(await watched.operator.post(`${DESTINATIONS}/${id}/enable`), 200);
      assert.deepEqual(
        [enabled['failures_in_row'], enabled['disabled_at'], enabled['disabled_reason'], enabled['verified']],
        [0, null, null, true],
      );
    });

    it('changes nothing where it is enabled, and is 404 for what is another’s', async () => {
      const { id } = await webhook();
      assertStatus(await watched.operator.post(`${DESTINATIONS}/${id}/enable`), 200);
      assertProblem(await other.operator.post(`${DESTINATIONS}/${id}/enable`), 'NOT_FOUND');
    });
  });
});
