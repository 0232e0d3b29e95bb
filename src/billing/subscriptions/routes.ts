import { DeletedSchema } from '../../http/deleted.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { cancelSubscription } from './cancel.ts';
import { giveUpChange, openChangePage } from './change-in-flight.ts';
import { openPortal } from './portal/create.ts';
import { PortalSchema } from './portal/schema.ts';
import { readSubscription } from './read.ts';
import { setSeats } from './seats.ts';
import { SeatsSchema, SetSeatsSchema } from './seats-schema.ts';
import { subscribe } from './subscribe.ts';
import { CanceledSubscriptionSchema, SubscribedSchema, SubscribeSchema, SubscriptionSchema } from './schema.ts';

const tag = 'billing';

export const postSubscribe = route({
  method: 'post',
  path: '/v1/billing/subscribe',
  operation: 'subscribe',
  tag,
  summary: 'Change to another tier',
  description:
    'A first subscription and a larger tier are paid at checkout_url and count from the payment on; a smaller tier counts from the end of ' +
    'the period on. Naming the current tier takes back a cancellation or a planned smaller tier. While a change waits to be paid, another ' +
    'is 409 CONFLICT with its checkout_url.',
  audience: 'admin',
  body: SubscribeSchema,
  example: { tier: 'pro' },
  status: 200,
  reply: SubscribedSchema,
  refusals: ['CONTACT_SALES', 'CONFLICT', 'PAYMENT_REFUSED', 'PAYMENTS_NOT_CONFIGURED'],
  handler: ({ context, call, body }) => subscribe(context, call, body),
});

export const postCancel = route({
  method: 'post',
  path: '/v1/billing/cancel-subscription',
  operation: 'cancelSubscription',
  tag,
  summary: 'End the subscription at the end of its period, and give up a change that is not paid',
  description: 'The tier stays until the end of the period that is paid. Subscribing again before that takes it back.',
  audience: 'admin',
  status: 200,
  reply: CanceledSubscriptionSchema,
  refusals: ['NO_SUBSCRIPTION'],
  handler: ({ context, call }) => cancelSubscription(context, call),
});

export const deleteChange = route({
  method: 'delete',
  path: '/v1/billing/subscription/change',
  operation: 'giveUpSubscriptionChange',
  tag,
  summary: 'Give up a change that waits to be paid; a subscription that runs goes on',
  description: '404 where no change waits.',
  audience: 'admin',
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call }) => giveUpChange(context, call),
});

export const postChangePage = route({
  method: 'post',
  path: '/v1/billing/subscription/change/checkout',
  operation: 'openSubscriptionChange',
  tag,
  summary: 'Open the page of a change that waits to be paid',
  description:
    'The page of an upgrade lives for minutes: this opens it again, with as much time to pay as at first. That of a first subscription is the ' +
    'same until its time is over.',
  audience: 'admin',
  status: 200,
  reply: SubscribedSchema,
  refusals: ['CONFLICT', 'NOT_FOUND', 'PAYMENT_REFUSED', 'PAYMENTS_NOT_CONFIGURED'],
  handler: ({ context, call }) => openChangePage(context, call),
});

export const getSubscription = route({
  method: 'get',
  path: '/v1/billing/subscription',
  operation: 'getSubscription',
  tag,
  summary: 'Read your subscription',
  description: 'Tier, seats and period as they are, and `change` where one waits to be paid.',
  audience: 'anyone',
  status: 200,
  reply: SubscriptionSchema,
  handler: async ({ context, caller }) => ({ status: 200, body: await readSubscription(context, caller) }),
});

export const postSeats = route({
  method: 'post',
  path: '/v1/billing/seats',
  operation: 'setSeats',
  tag,
  summary: 'Set how many seats you buy in addition to those of your tier',
  description: 'The number is what you buy beside those of the tier. It counts immediately.',
  audience: 'admin',
  body: SetSeatsSchema,
  example: { purchased_seats: 2 },
  status: 200,
  reply: SeatsSchema,
  refusals: ['SEATS_OUT_OF_RANGE'],
  handler: ({ context, call, body }) => setSeats(context, call, body),
});

export const postPortal = route({
  method: 'post',
  path: '/v1/billing/portal',
  operation: 'openPortal',
  tag,
  summary: 'Open the page for invoices and payment methods',
  description: 'The answer has the address of a page of the payment provider, good for minutes. Open it in a browser.',
  audience: 'admin',
  status: 200,
  reply: PortalSchema,
  refusals: ['INVALID_STATE', 'PAYMENT_REFUSED', 'PAYMENTS_NOT_CONFIGURED'],
  handler: ({ context, call }) => openPortal(context, call),
});

export const subscriptionRoutes: AnyRoute[] = [
  postSubscribe,
  postCancel,
  deleteChange,
  postChangePage,
  getSubscription,
  postSeats,
  postPortal,
];
