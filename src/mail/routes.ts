import { z } from 'zod';
import { offsetAnswer, offsetList, offsetQuery } from '../http/lists/pagination.ts';
import { route, type AnyRoute } from '../http/route.ts';
import { pageOfOutbox } from './outbox.ts';
import { OutboxMessageSchema } from './schema.ts';

export const getOutbox = route({
  method: 'get',
  path: '/v1/admin/outbox',
  operation: 'listOutbox',
  tag: 'platform',
  summary: 'List the mails and SMS that stay here while nobody is configured who sends them, newest first',
  description: 'Once SMTP_URL is set, mails are sent; once TWILIO_ACCOUNT_SID is, SMS are. With both this is 404.',
  audience: 'platform',
  query: z.object({
    ...offsetQuery,
    to: z.string().optional().meta({ description: 'Only those to this e-mail address or number' }),
  }),
  status: 200,
  reply: offsetList('messages', OutboxMessageSchema),
  refusals: ['NOT_FOUND'],
  handler: async ({ context, query }) => offsetAnswer('messages', { ...(await pageOfOutbox(context, query)), query }),
});

export const mailRoutes: AnyRoute[] = [getOutbox];
