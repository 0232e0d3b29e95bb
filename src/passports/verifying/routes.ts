import { route, type AnyRoute } from '../../http/route.ts';
import { introspect } from './introspect.ts';
import { PASSPORT_CLAIM } from '../token.ts';
import { verifyPassport, type PassportVerdict } from './verify.ts';
import {
  IntrospectBodySchema,
  IntrospectionSchema,
  VerificationSchema,
  VerifyBodySchema,
  type Verification,
} from './schema.ts';

/** So that a token of 1 MiB still gets the answer `malformed`. */
const MAX_BODY_BYTES = 2 * 1_048_576;

/** A token and one text beside it count 22. No credential is needed to have a body parsed here, so no more is. */
const MAX_VALUES = 30;

export const postVerify = route({
  method: 'post',
  path: '/v1/passports/verify',
  operation: 'verifyPassport',
  tag: 'passports',
  summary: 'Check a passport: signature, expiry, revocation',
  description:
    'Needs no credential. A revocation that was acknowledged before this call began is seen. ' +
    'A passport that does not count is 200 with `valid: false` and one `reason`. Name your `service_id`: without it ' +
    'the answer does not say whether the passport is for you.',
  audience: 'public',
  anyOrigin: true,
  body: VerifyBodySchema,
  maxValues: MAX_VALUES,
  bodyLimit: MAX_BODY_BYTES,
  example: { token: 'eyJhbGciOiJFZERTQSIs…', service_id: 'github' },
  status: 200,
  reply: VerificationSchema,
  handler: async ({ context, body }) => ({
    status: 200,
    body: answerOf(await verifyPassport(context, body.token, body.service_id)),
  }),
});

function answerOf(verdict: PassportVerdict): Verification {
  if (!verdict.valid) return verdict;
  const { payload, authorityRefs, budget } = verdict;
  return {
    valid: true,
    jti: payload.jti,
    agent_id: payload.sub,
    expires_at: new Date(payload.exp * 1_000).toISOString(),
    audience: payload.aud ?? null,
    claims: payload[PASSPORT_CLAIM],
    authority_refs: authorityRefs,
    budget,
  };
}

const postIntrospect = route({
  method: 'post',
  path: '/v1/passports/introspect',
  operation: 'introspectPassport',
  tag: 'passports',
  summary: 'Introspect a passport (RFC 7662)',
  description: 'Takes JSON or a form. A passport that does not count is `active: false`, without a reason.',
  audience: 'operator-scope',
  readsOnly: true,
  takesForms: true,
  body: IntrospectBodySchema,
  maxValues: MAX_VALUES,
  bodyLimit: MAX_BODY_BYTES,
  example: { token: 'eyJhbGciOiJFZERTQSIs…' },
  status: 200,
  reply: IntrospectionSchema,
  handler: async ({ context, body }) => ({ status: 200, body: await introspect(context, body.token) }),
});

export const verifyRoutes: AnyRoute[] = [postVerify, postIntrospect];
