import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { errors } from 'undici';
import { assertLedger } from '../../src/billing/index.ts';
import { eventually } from '../support/eventually.ts';
import { checkoutSession, paymentEventBody, postPaymentEvent, signPaymentEvent } from '../support/payment-webhooks.ts';
import { sql } from '../../src/database/pool.ts';
import { assertStatus, requester, type Requester } from '../support/service.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { untilAnswered } from '../support/until-answered.ts';
import { callUntilKilled, freeKeys, operatorAt } from './answering-world.ts';
import { isCommitted, pointsOfCommand, pointsOfWaitingCommand } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const PATH = '/v1/billing/topup';
const BODY = { amount_cents: 1_000 };

describe('kill -9 of a process that answers a payer', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  const countOf = async (
    { context: { pool } }: World,
    table: 'top_ups' | 'local_checkouts' | 'refunds' | 'local_refunds',
  ): Promise<unknown> => pool.oneFirst(sql.unsafe`select count(*)::int from ${sql.identifier([table])}`);
  const kindsOf = async ({ context: { pool } }: World): Promise<readonly unknown[]> =>
    pool.anyFirst(sql.unsafe`select kind from transfers order by position`);
  const webhookSecretOf = ({ context }: World): string => context.config.payments?.webhookSecrets[0] ?? '';
  const openTopUp = async (caller: Requester): Promise<{ session_id: string; checkout_url: string }> => {
    const headers = { 'idempotency-key': randomUUID() };
    return assertStatus(
      await untilAnswered(() => caller.post<{ session_id: string; checkout_url: string }>(PATH, BODY, headers)),
      200,
    );
  };
  const paid = async (world: World, operatorId: string, sessionId: string): Promise<string> => {
    const id = String(
      await world.context.pool.oneFirst(sql.unsafe`select id from top_ups where session_id = ${sessionId}`),
    );
    const metadata = { carnet_purpose: 'top_up', carnet_reference: id, carnet_operator: operatorId } as const;
    return paymentEventBody(
      'checkout.session.completed',
      checkoutSession(metadata, { id: sessionId, amountCents: BODY.amount_cents }),
    );
  };

  for (const point of pointsOfWaitingCommand('createTopUp', 'openTopUp')) {
    itBeside(`at ${point}: the same call, made again elsewhere, has one checkout`, () =>
      worlds.visit(async (world) => {
        const [api, dying] = await Promise.all([world.runHere('api', 'worker'), world.api({ FAULT_AT: point })]);
        const { key } = await operatorAt(world, api.baseUrl);
        const headers = { 'idempotency-key': randomUUID() };
        await callUntilKilled(dying, () => requester(key, dying.baseUrl).post(PATH, BODY, headers));
        await freeKeys(world);
        const again = await untilAnswered(() => requester(key, api.baseUrl).post(PATH, BODY, headers));
        const page = assertStatus(again, 200);
        assert.equal(again.headers.get('idempotency-replayed'), isCommitted(point) ? 'true' : null);
        assert.deepEqual(assertStatus(await requester(key, api.baseUrl).post(PATH, BODY, headers), 200), page);
        assert.deepEqual([await countOf(world, 'top_ups'), await countOf(world, 'local_checkouts')], [1, 1]);
      }),
    );
  }

  for (const point of pointsOfCommand('receivePaymentWebhook')) {
    itBeside(`at ${point}: the event, sent again, credits once`, () =>
      worlds.visit(async (world) => {
        const [api, dying] = await Promise.all([world.runHere('api', 'worker'), world.api({ FAULT_AT: point })]);
        const { key, operatorId } = await operatorAt(world, api.baseUrl);
        const { session_id: sessionId } = await openTopUp(requester(key, api.baseUrl));
        const body = await paid(world, operatorId, sessionId);
        const signature = signPaymentEvent(body, { secret: webhookSecretOf(world) });
        await assert.rejects(postPaymentEvent(body, signature, dying.baseUrl), TypeError);
        assert.equal(await dying.ended, 'SIGKILL');
        assertStatus(await postPaymentEvent(body, signature, api.baseUrl), 200);
        assert.deepEqual(await kindsOf(world), ['topup']);
        await assertLedger(world.context.pool);
      }),
    );
  }

  for (const point of pointsOfCommand('refundTransaction')) {
    itBeside(`at ${point}: the same call, made again elsewhere, refunds once`, () =>
      worlds.visit(async (world) => {
        const [api, dying] = await Promise.all([world.runHere('api', 'worker'), world.api({ FAULT_AT: point })]);
        const { key, operatorId } = await operatorAt(world, api.baseUrl);
        const caller = requester(key, api.baseUrl);
        const { session_id: sessionId, checkout_url: url } = await openTopUp(caller);
        await fetch(api.baseUrl + new URL(url).pathname, {
          method: 'POST',
          body: new URLSearchParams({ outcome: 'paid' }),
          redirect: 'manual',
        });
        const payment = await world.context.pool.oneFirst(
          sql.unsafe`select id from local_payments where checkout_id = ${sessionId}`,
        );
        const event = (await paid(world, operatorId, sessionId)).replace(`pi_${sessionId}`, String(payment));
        assertStatus(
          await postPaymentEvent(event, signPaymentEvent(event, { secret: webhookSecretOf(world) }), api.baseUrl),
          200,
        );
        const refund = `/v1/billing/refund/${String(await world.context.pool.oneFirst(sql.unsafe`select id from transfers`))}`;
        const headers = { 'idempotency-key': randomUUID() };
        await assert.rejects(requester(key, dying.baseUrl).post(refund, undefined, headers), errors.SocketError);
        assert.equal(await dying.ended, 'SIGKILL');
        const answered = await caller.post<{ refund_id: string }>(refund, undefined, headers);
        assert([200, 202].includes(answered.status), answered.text);
        const made = `/v1/billing/refunds/${answered.body.refund_id}`;
        await eventually('the refund', async () => (await caller.get(made)).body.status === 'succeeded', {
          seconds: 60,
        });
        assert.deepEqual(await kindsOf(world), ['topup', 'refund']);
        assert.deepEqual([await countOf(world, 'refunds'), await countOf(world, 'local_refunds')], [1, 1]);
        await assertLedger(world.context.pool);
      }),
    );
  }
});
