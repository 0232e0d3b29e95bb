import { route, type AnyRoute } from '../../../http/route.ts';
import { createTopUp } from './create.ts';
import { CreateTopUpSchema, TopUpSchema } from './schema.ts';

const postTopUp = route({
  method: 'post',
  path: '/v1/billing/topup',
  operation: 'createTopUp',
  tag: 'billing',
  summary: 'Top up your wallet',
  description:
    'Returns a hosted checkout where a person pays. The wallet is credited when the payment provider reports the payment. ' +
    'Send an Idempotency-Key: the same key leads to the same checkout, also after a 503.',
  audience: 'admin',
  body: CreateTopUpSchema,
  example: { amount_cents: 5_000 },
  status: 200,
  reply: TopUpSchema,
  refusals: ['INVALID_STATE', 'PAYMENT_REFUSED', 'PAYMENTS_NOT_CONFIGURED', 'TEMPORARILY_UNAVAILABLE'],
  handler: ({ context, call, body }) => createTopUp(context, call, body),
});

export const topUpRoutes: AnyRoute[] = [postTopUp];
