import { z } from 'zod';
import { route, type AnyRoute } from '../../../http/route.ts';
import { PLATFORM_OPERATOR_ID } from '../../../ids/ids.ts';
import { SignedBodySchema } from '../../../http/signed-body.ts';
import { receiveWitnessSignatures } from './receive.ts';

/** A minute, of one block of addresses: a witness signs once a minute, and several may stand behind one address. */
const CALLS_PER_MINUTE = 60;
/** A note with sixteen signatures of ML-DSA-44 has 55 KB. */
const MAX_NOTE = 64 * 1024;

const ReceivedSchema = z
  .object({
    tree_size: z.int().describe('The size of the tree whose checkpoint was signed.'),
    witnesses: z.array(z.string()).describe('Those whose signatures are kept.'),
  })
  .meta({ id: 'WitnessSignaturesReceived', examples: [{ tree_size: 42, witnesses: ['witness.example/w1'] }] });

const post = route({
  method: 'post',
  path: '/v1/log/witness-signatures',
  operation: 'receiveWitnessSignatures',
  tag: 'claims',
  summary: 'Receive what witnesses signed of a checkpoint of the log',
  description:
    'For witnesses whose keys the service knows: a checkpoint of this log as a signed note (C2SP) with cosignatures by Ed25519 or ML-DSA-44. ' +
    'They stand under the checkpoint from then on, in `GET /v1/log/checkpoint` and in bundles.',
  audience: 'public',
  // The note holds its signatures itself.
  takesSigned: { mediaTypes: ['text/plain'], headers: z.object({}) },
  receiver: {
    of: () => 'log',
    admit: async () => ({ limit: MAX_NOTE, owner: PLATFORM_OPERATOR_ID, found: undefined }),
  },
  callsPerMinute: CALLS_PER_MINUTE,
  body: SignedBodySchema,
  status: 200,
  reply: ReceivedSchema,
  refusals: ['INVALID_SIGNATURE', 'CONFLICT'],
  handler: async ({ context, body }) => ({ status: 200, body: await receiveWitnessSignatures(context, body) }),
});

export const witnessRoutes: AnyRoute[] = [post];
