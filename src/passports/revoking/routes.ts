import { z } from 'zod';
import { route, type AnyRoute } from '../../http/route.ts';
import { revokeAllPassports, revokePassport, revokePassports } from './revoke.ts';
import {
  RevokeAllBodySchema,
  RevokeBodySchema,
  RevokedManySchema,
  RevokedSchema,
  RevokeManyBodySchema,
} from '../schema.ts';

const tag = 'passports';
const audience = 'operator-scope';
const example = { reason: 'The laptop was stolen' };

export const revoke = route({
  method: 'post',
  path: '/v1/passports/revoke',
  operation: 'revokePassport',
  tag,
  summary: 'Revoke a passport with its refreshes and delegations',
  description:
    'They are refused from the next verification on, anywhere. A passport that is revoked or expired already is 200 with counts of 0.',
  audience,
  body: RevokeBodySchema,
  example: { jti: 'psp_01K0000000000000000000000A', ...example },
  status: 200,
  reply: RevokedSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, body }) => revokePassport(context, call, body),
});

export const revokeAgent = route({
  method: 'post',
  path: '/v1/passports/revoke-agent/:agentId',
  operation: 'revokeAgentPassports',
  tag,
  summary: 'Revoke all passports of an agent',
  description: 'Passports that were delegated from them to other agents are revoked and counted too.',
  audience,
  params: z.object({ agentId: z.string() }),
  body: RevokeManyBodySchema,
  example,
  status: 200,
  reply: RevokedManySchema,
  handler: ({ context, call, params: { agentId: id }, body: { reason } }) =>
    revokePassports(context, call, { scope: 'agent', id, reason }),
});

export const revokeSession = route({
  method: 'post',
  path: '/v1/passports/revoke-session/:sessionId',
  operation: 'revokeSessionPassports',
  tag,
  summary: 'Revoke all passports of a session: of one call of issue',
  description:
    'With everything that was refreshed or delegated from them. A verification that begins after the answer refuses them.',
  audience,
  params: z.object({ sessionId: z.string() }),
  body: RevokeManyBodySchema,
  example,
  status: 200,
  reply: RevokedManySchema,
  handler: ({ context, call, params: { sessionId: id }, body: { reason } }) =>
    revokePassports(context, call, { scope: 'session', id, reason }),
});

export const revokeAll = route({
  method: 'post',
  path: '/v1/passports/revoke-all',
  operation: 'revokeAllPassports',
  tag,
  summary: 'Revoke every active passport of the operator',
  description:
    'For emergencies; `confirm` must be `true`. Nothing brings a revoked passport back, and agents can be issued new ones.',
  audience,
  body: RevokeAllBodySchema,
  example: { confirm: true, ...example },
  status: 200,
  reply: RevokedManySchema,
  refusals: ['CONFIRMATION_REQUIRED'],
  handler: ({ context, call, body }) => revokeAllPassports(context, call, body),
});

export const revocationRoutes: AnyRoute[] = [revoke, revokeAgent, revokeSession, revokeAll];
