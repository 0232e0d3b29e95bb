import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import type { DecidedCase } from '../../../src/billing/cases/schema.ts';
import type { Dispute } from '../../../src/billing/payments/disputes/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { postApproved } from '../../governance/support.ts';
import type { TestOperator } from '../../support/factories.ts';
import { disputeObject, paymentEventBody } from '../../support/payment-webhooks.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus, database } from '../../support/service.ts';
import { casesOf } from '../cases/support.ts';
import { balanceOf, post } from '../payments/support.ts';
import { buildSubscriber, rowOf, subscriptionOf } from './support.ts';

describe('A payment for a subscription that is disputed', function () {
  this.timeout(120_000);
  let operator: TestOperator;
  let subscription: string;
  let payment: string;
  let dispute: string;
  before(async () => {
    operator = await buildSubscriber();
    subscription = (await rowOf(operator)).subscription_id;
    payment = await (
      await database()
    ).oneFirst(
      sql.type(z.object({ id: z.string() }))`select id from local_payments where subscription_id = ${subscription}`,
    );
    dispute = `dp_${payment}`;
  });
  after(async () => assertLedger(await database()));

  const report = (status: string, minutes: number, id = dispute): Promise<unknown> =>
    post(
      paymentEventBody(
        'charge.dispute.updated',
        disputeObject({ id, paymentId: payment, amountCents: 10_000 }, { status }),
        { createdAt: new Date(Date.now() - 3_600_000 + minutes * 60_000) },
      ),
    );
  const disputes = async (): Promise<Dispute[]> =>
    assertStatus(await operator.get<{ disputes: Dispute[] }>('/v1/billing/disputes'), 200).disputes;
  const alarms = async () =>
    (await casesOf(operator)).map(({ alarm, concerns, operator_id: of, amount_cents: cents }) => [
      alarm,
      concerns,
      of,
      cents,
    ]);

  it('is an alarm that names operator and subscription, and the tier stays', async () => {
    await report('needs_response', 0);
    const alarm = ['subscription_disputed', subscription, operator.operatorId, 10_000];
    assert.deepEqual(await alarms(), [alarm]);
    assert.equal((await subscriptionOf(operator)).tier, 'pro');
    assert.equal(await balanceOf(operator), 0);
    const [listed] = await disputes();
    assert.deepEqual(
      [listed?.id, listed?.status, listed?.subscription_id, listed?.top_up, listed?.taken_cents],
      [dispute, 'needs_response', subscription, null, 0],
    );
  });

  it('waits again where it is lost after a person has dismissed it', async () => {
    const person = await buildPerson({ operatorId: 'op_platform' });
    const [alarm] = await casesOf(operator);
    const body = { reason: 'The bank decides.' };
    assertStatus(
      await postApproved<DecidedCase>(person, `/v1/admin/billing/alarms/${alarm?.id}/dismiss`, { body }),
      200,
    );
    await report('needs_response', 1);
    assert.deepEqual(await alarms(), []);
    await report('lost', 2);
    assert.equal((await alarms()).length, 1);
  });

  it('waits for nobody once every dispute of it is won', async () => {
    await report('needs_response', 3, `${dispute}_2`);
    await report('won', 4);
    assert.equal((await alarms()).length, 1);
    await report('won', 5, `${dispute}_2`);
    assert.deepEqual(await alarms(), []);
  });

  it('is not forgotten', async () => {
    const db = await database();
    await db.query(
      sql.unsafe`update disputes set reported_at = reported_at - interval '91 days' where operator_id = ${operator.operatorId}`,
    );
    await db.query(sql.unsafe`select forget_foreign_payments()`);
    assert.equal((await disputes()).length, 2);
  });
});
