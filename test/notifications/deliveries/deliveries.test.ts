import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { serve } from '../../passports/own-service.ts';
import { buildOperator, type Place, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, requester } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';
import { startRig, type Rig } from '../../temporal/rig.ts';
import {
  countsOf,
  deliveriesOf,
  haveEnded,
  newDestination,
  newRule,
  newWebhook,
  recordEvents,
  type TestDestination,
} from '../support/destinations.ts';
import { assertShown, answers, receiversOfSuite } from '../support/receiver.ts';

interface Delivery {
  id: string;
  event_id: string;
  event_type: string;
  destination_id: string;
  ordinal: number;
  status: string;
  reason: string | null;
  status_code: number | null;
}
interface Page {
  deliveries: Delivery[];
  next_cursor: string | null;
  has_more: boolean;
}

describe('Deliveries', function () {
  this.timeout(120_000);
  const { receiver, stopReceivers } = receiversOfSuite();
  let rig: Rig;
  let api: { baseUrl: string; stop(): Promise<void> };
  let place: Place;
  let owner: TestOperator;
  before(async () => {
    rig = await startRig({ settings: { OUTBOUND_ALLOW_LOOPBACK: 'true' } });
    await rig.startDelivery();
    await rig.startWorker();
    api = await serve(rig.context);
    place = { baseUrl: api.baseUrl, adminKey: rig.config.platformAdminKey };
    owner = await newOwner();
  });
  after(async () => {
    await stopReceivers();
    await api.stop();
    await rig.stop();
  });

  const newOwner = (): Promise<TestOperator> => buildOperator({ tier: 'developer' }, place);
  const webhookOf = ({ operatorId }: TestOperator, url: string): Promise<TestDestination> =>
    newWebhook(rig.context, url, { operatorId });

  describe('GET /v1/notifications/deliveries', () => {
    it('lists them newest first, by page and by each filter', async () => {
      const by = await newOwner();
      let works = true;
      const { url } = await receiver((answer) => void answer.writeHead(works ? 200 : 500).end());
      const first = await webhookOf(by, url);
      const ids = await recordEvents(rig.context, by.operatorId, { count: 3 });
      await haveEnded(rig.context, first, 3);
      works = false;
      const second = await newDestination(rig.context, { operatorId: by.operatorId, destination: url });
      await newRule(rig.context, { destinations: [second], events: ['agent.blocked'] });
      await recordEvents(rig.context, by.operatorId, { type: 'agent.blocked' });
      await haveEnded(rig.context, second, 1);

      const list = async (query: string): Promise<Page> =>
        assertStatus(await by.get<Page>(`/v1/notifications/deliveries?${query}`), 200);
      const all = await list('');
      assert.equal(all.deliveries.length, 4);
      assert.deepEqual(
        all.deliveries.map(({ id }) => id),
        all.deliveries
          .map(({ id }) => id)
          .toSorted()
          .toReversed(),
      );
      const pages: Delivery[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await list(`limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
        pages.push(...page.deliveries);
        cursor = page.next_cursor;
      }
      assert.deepEqual(pages, all.deliveries);
      const counted = async (query: string): Promise<number> => (await list(query)).deliveries.length;
      assert.equal(await counted(`destination_id=${first.id}`), 3);
      assert.equal(await counted(`destination_id=${second.id}`), 1);
      assert.equal(await counted('status=failed'), 1);
      assert.equal(await counted('event_type=agent.blocked'), 1);
      assert.equal(await counted('event_type=agent.*'), 1);
      assert.equal(await counted('event_type=notification.test'), 0);
      for (const unknown of ['agent.blokked', 'agent', '*'])
        assertProblem(
          await by.get(`/v1/notifications/deliveries?event_type=${unknown}`),
          'VALIDATION_ERROR',
          'query.event_type',
        );
      assert.equal(await counted(`event_id=${ids[1]}`), 1);
      assert.equal(await counted(`event_id=${ids[1]}&status=failed`), 0);
      assertProblem(await by.get('/v1/notifications/deliveries?status=lost'), 'VALIDATION_ERROR', 'query.status');
      assertProblem(await by.get('/v1/notifications/deliveries?cursor=x'), 'INVALID_CURSOR');
    });

    it('shows nothing of another operator', async () => {
      const { url } = await receiver();
      const webhook = await webhookOf(await newOwner(), url);
      await recordEvents(rig.context, webhook.operatorId);
      await haveEnded(rig.context, webhook, 1);
      const [row] = await deliveriesOf(rig.context, webhook);
      const page = assertStatus(
        await owner.get<Page>(`/v1/notifications/deliveries?destination_id=${webhook.id}`),
        200,
      );
      assert.deepEqual(page.deliveries, []);
      assertProblem(await owner.get(`/v1/notifications/deliveries/${row?.id}`), 'NOT_FOUND');
    });

    it('requires authentication', async () => {
      const nobody = requester(null, api.baseUrl);
      assertProblem(await nobody.get('/v1/notifications/deliveries'), 'UNAUTHENTICATED');
    });
  });

  describe('GET /v1/notifications/deliveries/:id', () => {
    it('shows status, latency and error', async () => {
      const { url } = await receiver(answers(503));
      const webhook = await webhookOf(owner, url);
      await recordEvents(rig.context, owner.operatorId);
      await haveEnded(rig.context, webhook, 1);
      const [row] = await deliveriesOf(rig.context, webhook);
      const shown = assertStatus(
        await owner.get<Delivery & { latency_ms: number; error: string; started_at: string }>(
          `/v1/notifications/deliveries/${row?.id}`,
        ),
        200,
      );
      assert.equal(shown.status, 'failed');
      assert.equal(shown.status_code, 503);
      assert.equal(shown.error, 'The receiver answered 503.');
      assert(shown.latency_ms >= 0 && shown.started_at !== null);
    });
  });

  describe('POST /v1/notifications/deliveries/:id/redeliver', () => {
    it('makes the next delivery of the event, once an Idempotency-Key', async () => {
      let works = false;
      const { url, calls } = await receiver((answer) => void answer.writeHead(works ? 200 : 500).end());
      const by = await newOwner();
      const webhook = await webhookOf(by, url);
      await recordEvents(rig.context, by.operatorId);
      await haveEnded(rig.context, webhook, 1);
      const [failed] = await deliveriesOf(rig.context, webhook);
      works = true;
      const path = `/v1/notifications/deliveries/${failed?.id}/redeliver`;
      const made = assertStatus(await by.post<Delivery>(path, {}, { 'idempotency-key': 'once' }), 201);
      const again = assertStatus(await by.post<Delivery>(path, {}, { 'idempotency-key': 'once' }), 201);
      assert.equal(made.id, again.id);
      assert.deepEqual(
        { event: made.event_id, ordinal: made.ordinal, status: made.status },
        { event: failed?.event_id, ordinal: 1, status: 'sending' },
      );
      await haveEnded(rig.context, webhook, 2);
      assert.deepEqual(await countsOf(rig.context, webhook), { 'failed http_status': 1, delivered: 1 });
      assert.equal(calls[0]?.body, calls[1]?.body);
      assert.equal(calls[0]?.id, calls[1]?.id);
    });

    it('409 while it is under way, where its destination is disabled; 404 where that was deleted', async () => {
      const held: (() => void)[] = [];
      const { url } = await receiver((answer) => void held.push(() => void answer.writeHead(200).end()));
      const by = await newOwner();
      const webhook = await webhookOf(by, url);
      await recordEvents(rig.context, by.operatorId);
      await eventually('the call', () => held.length === 1);
      const [row] = await deliveriesOf(rig.context, webhook);
      const path = `/v1/notifications/deliveries/${row?.id}/redeliver`;
      assertProblem(await by.post(path), 'INVALID_STATE');
      held.forEach((release) => release());
      await haveEnded(rig.context, webhook, 1);
      await disable(webhook);
      assertProblem(await by.post(path), 'INVALID_STATE');
      await run(rig.context.pool, sql.fragment`delete from destinations where id = ${webhook.id}`);
      const deleted = await by.post(path);
      assertProblem(deleted, 'NOT_FOUND');
      assert.match(String(deleted.body['detail']), /destination .*was deleted/);
      assertProblem(await by.post(`/v1/notifications/deliveries/${newId('dlv')}/redeliver`), 'NOT_FOUND');
    });
  });

  describe('POST /v1/notifications/deliveries/recover', () => {
    const range = (): { since: string; until: string } => ({
      since: new Date(Date.now() - 60_000).toISOString(),
      until: new Date(Date.now() + 60_000).toISOString(),
    });
    interface Recovered {
      recovered: number;
      has_more: boolean;
      until: string;
    }
    const recoverUntil = async (by: TestOperator, body: object) =>
      assertStatus(await by.post<Recovered>('/v1/notifications/deliveries/recover', body), 200);
    const recover = async (by: TestOperator, body: object) => {
      const { recovered, has_more } = await recoverUntil(by, body);
      return { recovered, has_more };
    };

    it('reaches up to the moment of the call, so what fails again is not recovered with the `until` that it answered', async () => {
      const by = await newOwner();
      const { url } = await receiver(answers(500));
      const webhook = await webhookOf(by, url);
      await recordEvents(rig.context, by.operatorId, { count: 5 });
      await haveEnded(rig.context, webhook, 5);
      const body = { destination_id: webhook.id, ...range() };
      const first = await recoverUntil(by, body);
      assert.equal(first.recovered, 5);
      assert(Date.parse(first.until) <= Date.now(), first.until);
      await haveEnded(rig.context, webhook, 10);
      const second = await recoverUntil(by, { ...body, until: first.until });
      assert.deepEqual(second, { recovered: 0, has_more: false, until: first.until });
      assert.deepEqual(await countsOf(rig.context, webhook), { 'failed http_status': 10 });
    });

    it('makes what failed in a time again, each event once, and nothing that was delivered', async () => {
      const by = await newOwner();
      let works = true;
      const { url } = await receiver((answer) => void answer.writeHead(works ? 200 : 500).end());
      const webhook = await webhookOf(by, url);
      await recordEvents(rig.context, by.operatorId, { count: 2 });
      await haveEnded(rig.context, webhook, 2);
      works = false;
      await recordEvents(rig.context, by.operatorId, { count: 5 });
      await haveEnded(rig.context, webhook, 7);
      works = true;
      const { since, until } = range();
      const body = { destination_id: webhook.id, since, until };
      const path = '/v1/notifications/deliveries/recover';
      assertProblem(await by.post(path, { ...body, until: since }), 'VALIDATION_ERROR', 'until');
      assertProblem(await by.post(path, { ...body, since: until, until: since }), 'VALIDATION_ERROR', 'until');
      assert.deepEqual(await recover(by, { ...body, statuses: ['unknown'] }), { recovered: 0, has_more: false });
      assert.deepEqual(await recover(by, body), { recovered: 5, has_more: false });
      await haveEnded(rig.context, webhook, 12);
      assert.deepEqual(await countsOf(rig.context, webhook), { delivered: 7, 'failed http_status': 5 });
      assert.deepEqual(await recover(by, body), { recovered: 0, has_more: false });
    });

    it('makes a thousand a call, and no more than may wait', async () => {
      const by = await newOwner();
      const { url } = await receiver();
      const webhook = await webhookOf(by, url);
      await disable(webhook);
      await recordEvents(rig.context, by.operatorId, { count: 1_500 });
      await run(
        rig.context.pool,
        sql.fragment`update destinations set disabled_at = null, disabled_reason = null where id = ${webhook.id}`,
      );
      const body = { destination_id: webhook.id, ...range() };
      assert.deepEqual(await recover(by, body), { recovered: 1_000, has_more: true });
      await haveEnded(rig.context, webhook, 2_500);
      assert.deepEqual(await recover(by, body), { recovered: 500, has_more: false });
      await haveEnded(rig.context, webhook, 3_000);
      assert.deepEqual(await countsOf(rig.context, webhook), {
        'failed destination_disabled': 1_500,
        delivered: 1_500,
      });
      const [missed] = await deliveriesOf(rig.context, webhook);
      assert.match(missed?.error ?? '', /was disabled/);
    });

    it('400 for a range without an end and for statuses of what cannot be recovered, 404 for a foreign destination, 409 for a disabled one', async () => {
      const { url } = await receiver();
      const webhook = await webhookOf(owner, url);
      const body = { destination_id: webhook.id, ...range() };
      const path = '/v1/notifications/deliveries/recover';
      assertProblem(await owner.post(path, { ...body, until: undefined }), 'VALIDATION_ERROR', 'until');
      assertProblem(await owner.post(path, { ...body, statuses: [] }), 'VALIDATION_ERROR', 'statuses');
      assertProblem(await owner.post(path, { ...body, statuses: ['delivered'] }), 'VALIDATION_ERROR', 'statuses.0');
      assertProblem(await (await newOwner()).post(path, body), 'NOT_FOUND');
      await disable(webhook);
      assertProblem(await owner.post(path, body), 'INVALID_STATE');
    });
  });

  describe('POST /v1/notifications/destinations/:id/test', () => {
    interface Tested {
      delivered: boolean;
      delivery_id: string;
      status: string;
      status_code: number | null;
      reason: string | null;
    }
    const test = async (by: TestOperator, { id }: TestDestination, headers = {}) =>
      assertStatus(await by.post<Tested>(`/v1/notifications/destinations/${id}/test`, {}, headers), 200);

    it('sends notification.test and waits for what the receiver answers', async () => {
      let status = 200;
      const { url, calls } = await receiver((answer) => void answer.writeHead(status).end());
      const by = await newOwner();
      const webhook = await newDestination(rig.context, { operatorId: by.operatorId, destination: url });
      const passed = await test(by, webhook);
      assert.deepEqual(
        { delivered: passed.delivered, status: passed.status, code: passed.status_code },
        { delivered: true, status: 'delivered', code: 200 },
      );
      assert.equal((JSON.parse(calls[0]?.body ?? '') as { event_type: string }).event_type, 'notification.test');
      calls.forEach(assertShown);
      assertStatus(await by.get(`/v1/notifications/deliveries/${passed.delivery_id}`), 200);
      status = 500;
      const failed = await test(by, webhook);
      assert.deepEqual(
        { delivered: failed.delivered, reason: failed.reason, code: failed.status_code },
        { delivered: false, reason: 'http_status', code: 500 },
      );
    });

    it('sends it once an Idempotency-Key', async () => {
      const { url, calls } = await receiver();
      const by = await newOwner();
      const webhook = await newDestination(rig.context, { operatorId: by.operatorId, destination: url });
      const key = { 'idempotency-key': 'a test' };
      const [first, second] = [await test(by, webhook, key), await test(by, webhook, key)];
      assert.deepEqual(first, second);
      assert.equal(calls.length, 1);
    });

    it('says immediately that a destination is disabled', async () => {
      const { url, calls } = await receiver();
      const by = await newOwner();
      const webhook = await newDestination(rig.context, { operatorId: by.operatorId, destination: url });
      await disable(webhook);
      const { delivered, reason } = await test(by, webhook);
      assert.deepEqual({ delivered, reason }, { delivered: false, reason: 'destination_disabled' });
      assert.equal(calls.length, 0);
    });

    it('reaches the mailbox, with no rule at all', async () => {
      const by = await newOwner();
      const box = await newDestination(rig.context, {
        operatorId: by.operatorId,
        channel: 'email',
        destination: 'ada@example.test',
      });
      assert.equal((await test(by, box)).delivered, true);
      const { messages } = assertStatus(
        await requester(place.adminKey, api.baseUrl).get<{ messages: { subject: string; text: string }[] }>(
          '/v1/admin/outbox?to=ada@example.test',
        ),
        200,
      );
      assert.equal(messages[0]?.subject, 'Carnet: notification.test (info)');
      assert.match(messages[0]?.text ?? '', /^This is a test\./);
    });

    it('400 for one that is not verified, 404 for a foreign one', async () => {
      const unverified = await newDestination(rig.context, {
        operatorId: owner.operatorId,
        destination: 'https://hooks.example.com/',
        verified: false,
      });
      const path = `/v1/notifications/destinations/${unverified.id}/test`;
      assertProblem(await owner.post(path), 'DESTINATION_UNVERIFIED');
      assertProblem(await (await newOwner()).post(path), 'NOT_FOUND');
      assert.deepEqual(await deliveriesOf(rig.context, unverified), []);
    });
  });

  const disable = ({ id }: TestDestination): Promise<unknown> =>
    run(
      rig.context.pool,
      sql.fragment`update destinations set disabled_at = now(), disabled_reason = 'failing' where id = ${id}`,
    );
});
