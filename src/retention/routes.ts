import { route, type AnyRoute } from '../http/route.ts';
import { eraseContents, readErasure } from './erase.ts';
import { ErasureSchema } from './schema.ts';

const of = {
  path: '/v1/operators/me/erasure',
  tag: 'accounts',
  audience: 'admin',
  status: 200,
  reply: ErasureSchema,
} as const;

export const postErasure = route({
  ...of,
  method: 'post',
  operation: 'eraseContents',
  summary: 'Erase all contents that the operator keeps',
  description:
    'Purges input and output of invocations that it made and that have ended, what came to its inbound endpoints, the payloads of its claims, each with a ' +
    'tombstone, and the texts of its closed requests. Hashes, statuses, money and the audit trail stay, and so does what has not ended. It cannot be undone. ' +
    'Where much is left after three seconds, `purged_at` is null; the same call goes on, and so does the nightly run.',
  refusals: ['NOT_FOUND', 'NOT_OWNER', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call }) => eraseContents(context, call),
});

export const getErasure = route({
  ...of,
  method: 'get',
  operation: 'getErasure',
  summary: 'Read what came of the last erasure of contents',
  description: '404 where none was ever asked for.',
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller }) => ({ status: 200, body: await readErasure(context, caller.operatorId) }),
});

export const retentionRoutes: AnyRoute[] = [postErasure, getErasure];
