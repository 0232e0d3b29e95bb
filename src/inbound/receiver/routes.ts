import { z } from 'zod';
import { route, type AnyRoute } from '../../http/route.ts';
import { SignedBodySchema } from '../../http/signed-body.ts';
import { answerReceived } from './answer.ts';
import { admitRequest, receiveInbound, type Addressed } from './receive.ts';
import { ReceivedEventSchema } from './schema.ts';

/** Of one block of addresses to one endpoint. */
const CALLS_PER_MINUTE = 300;

const addressed = ({ provider = '', slug = '' }: Record<string, string>): Addressed => ({ provider, slug });

const postInbound = route({
  method: 'post',
  path: '/v1/inbound/:provider/:slug',
  operation: 'receiveInbound',
  tag: 'inbound',
  summary: 'Receive what a provider sends to an endpoint',
  description:
    'For providers: the body is signed with the secret of the endpoint. It is deduplicated, scanned, recorded, and forwarded where the policy ' +
    'lets it pass; the answer waits for that, 15 seconds at most, and is 202 after them. 503 is a failure of ours: send the same again.',
  audience: 'public',
  params: z.object({ provider: z.string(), slug: z.string() }),
  takesSigned: true,
  receiver: {
    of: ({ slug = '' }) => slug,
    admit: (context, params) => admitRequest(context, addressed(params)),
  },
  callsPerMinute: CALLS_PER_MINUTE,
  body: SignedBodySchema,
  status: 200,
  otherStatus: 202,
  reply: ReceivedEventSchema,
  refusals: [
    'ENDPOINT_REVOKED',
    'INVALID_SIGNATURE',
    'OPERATOR_SUSPENDED',
    'INSUFFICIENT_CREDITS',
    'SCAN_FAILED',
    'KEY_UNAVAILABLE',
  ],
  async handler({ context, params, body, headers, signal }) {
    return await answerReceived(context, await receiveInbound(context, { ...params, headers, body }), signal);
  },
});

export const receiverRoutes: AnyRoute[] = [postInbound];
