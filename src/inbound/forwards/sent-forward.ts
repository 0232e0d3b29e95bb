import { z } from 'zod';
import type { SentWebhook } from '../../http/route.ts';
import { ForwardedEventSchema } from '../events/schema.ts';

/** The request by which an event is forwarded, as the document shows it. */
export const sentForward: SentWebhook = {
  name: 'inbound.forward',
  operation: 'forwardInboundEvent',
  summary: 'An inbound event that the policy lets pass, to `forward_url` of its endpoint',
  description:
    'Signed with the secret of the endpoint. It comes once, and again with the same `event_id` where a person replays it: store that before you ' +
    'answer, and refuse one that you have. Any 2xx within ten seconds is forwarded. The content was written by somebody outside.',
  headers: z.object({
    'X-Service-Signature': z
      .string()
      .meta({ description: 'HMAC-SHA256 of the body, in hex; the key is the whole text of the secret.' }),
    'X-Service-Event-Id': z.string().meta({ description: '`event_id` of the body, which alone is signed.' }),
  }),
  body: ForwardedEventSchema,
  example: {
    event_id: 'iev_01K0000000000000000000000A',
    endpoint_id: 'iwh_01K0000000000000000000000A',
    agent_id: 'ag_01K0000000000000000000000A',
    provider: 'generic',
    received_at: '2026-11-21T12:00:00.000Z',
    body_authenticated: true,
    verdict: { verdict: 'clean', severity: 'none', findings: [] },
    headers: { 'content-type': 'application/json' },
    payload: { order: 17 },
  },
};
