import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../../../activities/index.ts';
import { ensureOperator } from '../../../src/accounts/index.ts';
import { insertPortal } from '../../../src/billing/subscriptions/portal/queries.ts';
import { subscribe } from '../../../src/billing/subscriptions/subscribe.ts';
import { openPayouts } from '../../../src/billing/payouts/life.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId, type OperatorId } from '../../../src/ids/ids.ts';
import { lifeId, type LifeKind } from '../../../src/ids/life-ids.ts';
import { newPayer } from '../../billing/payments/payer.ts';
import { beginUnopened } from '../../billing/payments/silent-provider.ts';
import { newPublisher } from '../../billing/payouts/publishers.ts';
import { newEndpoint, newEvent } from '../../inbound/support/endpoints.ts';
import { scriptStep } from '../../invocations/execution/execution-world.ts';
import { callOf } from '../../invocations/own-context.ts';
import { waitingCode } from '../../notifications/destinations/waiting-code.ts';
import { writeTestMail } from '../../mail/write-test-mail.ts';
import { newWebhook, recordEvents } from '../../notifications/support/destinations.ts';
import { unique } from '../../support/factories.ts';
import type { Rig } from '../../temporal/rig.ts';
import { invokeExecuted } from './executions.ts';

/** In place of a step at a provider who is away for longer than the step is tried. */
export const failsAtOnce = (): Promise<never> =>
  Promise.reject(ApplicationFailure.nonRetryable('This step fails in this test.', 'TEST'));

export const newOperator = ({ context }: Rig): Promise<OperatorId> => {
  const name = unique('operator');
  return ensureOperator(context, { name, email: `${name}@example.test`, tier: 'free' });
};

/** A subscription whose checkout its life is to open. @returns the life */
export async function unopenedSubscription(rig: Rig): Promise<string> {
  const operatorId = await newOperator(rig);
  return beginUnopened(
    rig.context,
    (silent) => subscribe(silent, callOf(operatorId, 'subscribe'), { tier: 'pro' }),
    async () => lifeId.subscription(operatorId),
  );
}

interface Unfinished {
  /** The step that its row goes on asking for. */
  step: keyof Activities;
  /** @returns the life */
  begin(rig: Rig): Promise<string>;
}

/** One life of each kind that reaches out, whose step changes nothing: it fails, or comes back as done. */
export const unfinished: Record<Exclude<LifeKind, 'briefing' | 'log-sequencer' | 'session'>, Unfinished> = {
  inbound: {
    step: 'forwardInbound',
    async begin({ context }) {
      const endpoint = await newEndpoint(context, { forwardUrl: 'https://hooks.example.com/' });
      return lifeId.inbound(await newEvent(context, endpoint));
    },
  },
  invocation: {
    step: 'executeSealedStep',
    async begin(rig) {
      const id = await invokeExecuted(rig, [scriptStep()]);
      rig.context.delivery.messagesCommitted();
      return lifeId.invocation(id);
    },
  },
  mail: {
    step: 'sendMail',
    async begin({ config, context }) {
      config.mail = { smtpUrl: 'smtp://127.0.0.1:9', from: 'carnet@example.test' }; // where nobody listens
      return lifeId.mail(await writeTestMail(context, { seconds: 3_600 }));
    },
  },
  notification: {
    step: 'sendNotifications',
    async begin({ context }) {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      await recordEvents(context, webhook.operatorId);
      return lifeId.notification(webhook.id);
    },
  },
  payout: {
    step: 'transferPayout',
    async begin({ context }) {
      const publisher = await newPublisher(context.pool);
      await publisher.earn(2_000, '2020-01-10');
      await openPayouts(context, { month: '2020-01', after: '' });
      return lifeId.payout(`${publisher.id}:2020-01`);
    },
  },
  portal: {
    step: 'openPortalPage',
    async begin(rig) {
      const id = newId('prt');
      await insertPortal(rig.context.pool, { id, operatorId: await newOperator(rig), returnTo: 'http://carnet.test' });
      await rig.context.pool.query(sql.unsafe`select wake_life(${lifeId.portal(id)})`);
      return lifeId.portal(id);
    },
  },
  verification: {
    step: 'sendVerification',
    begin: async (rig) =>
      lifeId.verification((await waitingCode(rig, { channel: 'sms', address: '+15550100000' })).codeId),
  },
  refund: {
    step: 'requestRefund',
    async begin({ context }) {
      const payer = await newPayer(context);
      const { transaction_id: transactionId } = await payer.paid();
      return lifeId.refund((await payer.refund(transactionId, { leaves: true })).body.refund_id);
    },
  },
  subscription: {
    step: 'openSubscriptionCheckout',
    begin: unopenedSubscription,
  },
  'top-up': {
    step: 'checkTopUp',
    async begin({ context }) {
      const payer = await newPayer(context);
      const { id } = await payer.begin();
      await payer.timeIsOver(id);
      return lifeId['top-up'](id);
    },
  },
};
