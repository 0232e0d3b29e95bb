import { z } from 'zod';
import { DeletedSchema } from '../../http/deleted.ts';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { createDestination } from './create.ts';
import { enableDestination } from './enable.ts';
import { pageOfDestinations, readDestination } from './read.ts';
import { removeDestination } from './remove.ts';
import { rotateSecret } from './rotate-secret.ts';
import {
  CreateDestinationSchema,
  CreatedDestinationSchema,
  DestinationSchema,
  RotatedSecretSchema,
  SentCodeSchema,
  VerifiedSchema,
  VerifyDestinationSchema,
} from './schema.ts';
import { sentNotifications } from './sent-notifications.ts';
import { sendAnotherCode } from './verification/send-code.ts';
import { verifyDestination } from './verification/verify.ts';

const tag = 'notifications';
const params = z.object({ id: z.string() });

export const postDestination = route({
  method: 'post',
  path: '/v1/notifications/destinations',
  operation: 'createDestination',
  tag,
  summary: 'Add an address that notifications are sent to',
  description:
    'Nothing is sent to it before it is verified: a code goes to it immediately. The registered e-mail address of the operator is verified ' +
    'without one. A webhook gets its code as a signed request, of type destination.verification; its secret is in `webhook_secret`, only ' +
    'once. All channels but e-mail need a paid tier.',
  audience: 'admin',
  body: CreateDestinationSchema,
  example: { channel_type: 'webhook', destination: 'https://hooks.example.com/carnet' },
  status: 201,
  reply: CreatedDestinationSchema,
  refusals: [
    'TIER_LIMIT_EXCEEDED',
    'SMS_NOT_CONFIGURED',
    'DESTINATION_EXISTS',
    'GOVERNANCE_APPROVAL_REQUIRED',
    'NOT_FOUND',
  ],
  sends: sentNotifications,
  handler: ({ context, call, body }) => createDestination(context, call, body),
});

export const getDestinations = route({
  method: 'get',
  path: '/v1/notifications/destinations',
  operation: 'listDestinations',
  tag,
  summary: 'List the destinations of the operator, newest first',
  description: 'Addresses by channel, with whether they are verified. A secret of a webhook is not shown.',
  audience: 'admin',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('destinations', DestinationSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('destinations', { ...(await pageOfDestinations(context, caller, query)), query }),
});

export const getDestination = route({
  method: 'get',
  path: '/v1/notifications/destinations/:id',
  operation: 'getDestination',
  tag,
  summary: 'Show a destination, and the outcome of its last code',
  description: 'An address gets nothing before it is verified.',
  audience: 'admin',
  params,
  status: 200,
  reply: DestinationSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readDestination(context, caller, id),
  }),
});

export const deleteDestination = route({
  method: 'delete',
  path: '/v1/notifications/destinations/:id',
  operation: 'deleteDestination',
  tag,
  summary: 'Delete a destination',
  description: 'It leaves the rules; a rule with none left is inactive. What waits for it is not sent.',
  audience: 'admin',
  params,
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id } }) => removeDestination(context, call, id),
});

export const postRotateSecret = route({
  method: 'post',
  path: '/v1/notifications/destinations/:id/rotate-secret',
  operation: 'rotateDestinationSecret',
  tag,
  summary: 'Replace the secret of a webhook',
  description:
    'X-Service-Signature is of the new secret immediately; webhook-signature carries both for 24 hours. A second rotation within these ends the ' +
    'first secret immediately. The new one is in `webhook_secret`, only once.',
  audience: 'admin',
  params,
  status: 200,
  reply: RotatedSecretSchema,
  refusals: ['NOT_FOUND', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id } }) => rotateSecret(context, call, id),
});

export const postSendCode = route({
  method: 'post',
  path: '/v1/notifications/destinations/:id/send-code',
  operation: 'sendDestinationCode',
  tag,
  summary: 'Send another code to a destination that is not verified',
  description:
    'Codes before it count no more. The next can be sent after 30 seconds, five within the life of a code. An operator can send ten a day to ' +
    'one address and fifty to all; one address gets thirty a day, no matter who sends them. It is sent once this is answered; the outcome is in `code` of the destination.',
  audience: 'admin',
  params,
  status: 200,
  reply: SentCodeSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'TIER_LIMIT_EXCEEDED', 'SMS_NOT_CONFIGURED'],
  handler: ({ context, call, params: { id } }) => sendAnotherCode(context, call, id),
});

export const postVerify = route({
  method: 'post',
  path: '/v1/notifications/destinations/:id/verify',
  operation: 'verifyDestination',
  tag,
  summary: 'Enter the code that was sent to a destination',
  description:
    'A code can be used once and tried five times. A destination that is verified stays so, no matter what is sent; a refusal has `verified: false`.',
  audience: 'admin',
  params,
  body: VerifyDestinationSchema,
  example: { code: '123456' },
  status: 200,
  reply: VerifiedSchema,
  refusals: ['NOT_FOUND', 'INVALID_CODE', 'CODE_EXPIRED'],
  handler: ({ context, call, params: { id }, body: { code } }) =>
    verifyDestination(context, call, { destinationId: id, code }),
});

export const postEnable = route({
  method: 'post',
  path: '/v1/notifications/destinations/:id/enable',
  operation: 'enableDestination',
  tag,
  summary: 'Send again to a destination that was disabled since it kept failing',
  description:
    'Its failures are counted from zero again. Deliveries that failed meanwhile are not sent by this: redeliver them.',
  audience: 'admin',
  params,
  status: 200,
  reply: DestinationSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { id } }) => enableDestination(context, call, id),
});

export const destinationRoutes: AnyRoute[] = [
  postDestination,
  getDestinations,
  getDestination,
  deleteDestination,
  postRotateSecret,
  postSendCode,
  postVerify,
  postEnable,
];
