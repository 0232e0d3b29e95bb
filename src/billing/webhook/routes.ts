import { z } from 'zod';
import { SignedBodySchema } from '../../http/signed-body.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { paymentSettings } from '../payments/settings.ts';
import { receivePaymentEvent } from './receive.ts';
import { readPaymentWebhook } from './verify.ts';

const ReceivedSchema = z.object({ received: z.literal(true) }).meta({ id: 'PaymentWebhookReceived' });

const postPaymentWebhook = route({
  method: 'post',
  path: '/v1/billing/webhooks/stripe',
  operation: 'receivePaymentWebhook',
  tag: 'billing',
  summary: 'Receive an event of the payment provider',
  description:
    'For the payment provider: the body is signed in Stripe-Signature (`t=…,v1=…`, at most five minutes old). An event counts once, however ' +
    'often and in any order it is sent; event types that mean nothing here are answered 200 as well.',
  audience: 'public',
  takesSigned: {
    mediaTypes: ['application/json'],
    headers: z.object({
      'stripe-signature': z
        .string()
        .meta({ description: '`t=…,v1=…`: the time, and the HMAC-SHA256 of time and body in hex' }),
    }),
  },
  body: SignedBodySchema,
  status: 200,
  reply: ReceivedSchema,
  refusals: ['INVALID_SIGNATURE', 'PAYMENTS_NOT_CONFIGURED', 'TEMPORARILY_UNAVAILABLE'],
  async handler({ context, body, header, requestId }) {
    const event = readPaymentWebhook(paymentSettings(context), body, header('stripe-signature'));
    await receivePaymentEvent(context, event, requestId);
    return { status: 200, body: { received: true as const } };
  },
});

export const webhookRoutes: AnyRoute[] = [postPaymentWebhook];
