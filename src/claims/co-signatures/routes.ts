import { z } from 'zod';
import { route, type AnyRoute } from '../../http/route.ts';
import { addCoSignature } from './add-co-signature.ts';
import { AddCoSignatureSchema, KeptCoSignatureSchema } from '../schema/co-signature.ts';

const post = route({
  method: 'post',
  path: '/v1/claims/:id/co-signatures',
  operation: 'addClaimCoSignature',
  tag: 'claims',
  summary: 'Add a co-signature to a claim that you read in full',
  description:
    '`cose_sign1` is a COSE_Sign1 (RFC 9052) in base64url with EdDSA by an Ed25519 key, whose payload is detached: the canonical JSON (RFC 8785) ' +
    'of the envelope without `receipt` and `co_signatures`. `signer_kid` is the RFC 7638 thumbprint of the key: of the agent, of an operator, or ' +
    'of a witness. One of a key that is not known here is taken from the issuer of the claim alone, and kept unverified. A known key has one place ' +
    'in each role. A claim takes 64, of 8 KiB each; a reader who is not its issuer adds 16 of them.',
  audience: 'anyone',
  params: z.object({ id: z.string() }),
  body: AddCoSignatureSchema,
  example: {
    signer_kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    signer_role: 'operator_attestation',
    cose_sign1: '0oRYMKIBJwRYK2tQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNGug9lhA',
  },
  status: 201,
  otherStatus: 200,
  reply: KeptCoSignatureSchema,
  refusals: ['NOT_FOUND', 'NOT_OWNER', 'INVALID_STATE', 'INVALID_CO_SIGNATURE'],
  handler: ({ context, call, params: { id }, body }) =>
    addCoSignature(context, call, { claimId: id, coSignature: body }),
});

export const coSignatureRoutes: AnyRoute[] = [post];
