import { z } from 'zod';
import { offsetAnswer, offsetList, offsetQuery } from '../http/lists/pagination.ts';
import { route, type AnyRoute } from '../http/route.ts';
import { pageOfOutbox } from './outbox.ts';
import { OutboxMessageSchema } from './schema.ts';

const getOutbox = route({
  method: 'get',
  path: '/v1/admin/outbox',
  operation: 'listOutbox',
  tag: 'platform',
  summary: 'List the mails that stay here while no mail server is configured, newest first',
  description: 'Once SMTP_URL is set, mails are sent and this is 404.',
  audience: 'platform',
  query: z.object({
    ...offsetQuery,
    to: z.string().optional().meta({ description: 'Only mails to this address' }),
  }),
  status: 200,
  reply: offsetList('messages', OutboxMessageSchema),
  refusals: ['NOT_FOUND'],
  handler: async ({ context, query }) => offsetAnswer('messages', { ...(await pageOfOutbox(context, query)), query }),
});

export const mailRoutes: AnyRoute[] = [getOutbox];
