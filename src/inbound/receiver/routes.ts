import { z } from 'zod';
import { route, type AnyRoute } from '../../http/route.ts';
import { SignedBodySchema } from '../../http/signed-body.ts';
import { providers } from '../providers/registry.ts';
import { sentForward } from '../forwards/sent-forward.ts';
import { answerReceived } from './answer.ts';
import { noteRefusals } from './note-refusals.ts';
import { admitRequest, receiveInbound, type Addressed } from './receive.ts';
import { ReceivedEventSchema, SignatureHeadersSchema } from './schema.ts';

/** One block of addresses may make this many to one endpoint. */
const CALLS_PER_MINUTE = 300;

const addressed = ({ provider = '', slug = '' }: Record<string, string>): Addressed => ({ provider, slug });

const postInbound = route({
  method: 'post',
  path: '/v1/inbound/:provider/:slug',
  operation: 'receiveInbound',
  sends: [sentForward],
  tag: 'inbound',
  summary: 'Receive what a provider sends to an endpoint',
  description:
    'For providers: the body is signed with the secret of the endpoint, in one of the headers below, or in the fields `timestamp`, `token` and ' +
    '`signature` as Mailgun does it. `generic` takes JSON alone, up to 1 MiB, `mail_provider` JSON, forms and mails, and `github` JSON and forms, up to 10 MiB. It is deduplicated, scanned, recorded, and forwarded where the policy ' +
    'lets it pass; the answer waits for that, 15 seconds at most (`github`: 8), and is 202 after them where the event has its verdict. 503 is a failure of ours, or no verdict yet: send the same again.',
  audience: 'public',
  params: z.object({ provider: z.string(), slug: z.string() }),
  takesSigned: {
    // `generic` takes the first alone.
    mediaTypes: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'message/rfc822'],
    headers: SignatureHeadersSchema,
  },
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
    'FORWARD_LOOP',
    'TIER_LIMIT_EXCEEDED',
    'INSUFFICIENT_CREDITS',
    'SCAN_FAILED',
    'KEY_UNAVAILABLE',
  ],
  async handler({ context, found, body, headers, signal }) {
    return await noteRefusals(context, found, async () => {
      const taken = await receiveInbound(context, found, { headers, body });
      const { waitSeconds } = providers[found.provider];
      return await answerReceived(context, taken, { caller: found.operator_id, waitSeconds, signal });
    });
  },
});

export const receiverRoutes: AnyRoute[] = [postInbound];
