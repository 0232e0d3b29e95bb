import { MANY_VALUES, route, type AnyRoute } from '../../http/route.ts';
import { delegatePassport } from './delegate.ts';
import { issuePassport } from './issue.ts';
import { refreshPassport } from './refresh.ts';
import { DelegateBodySchema, IssueBodySchema, RefreshBodySchema, SignedPassportSchema } from '../schema.ts';

const tag = 'passports';
const audience = 'operator-scope';
const EXAMPLE_TOKEN = 'eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiJwc3BfMDFLIn0.c2lnbmF0dXJl';

/** Refusals because of the agent, its operator or what the Idempotency-Key stands for, of issue, delegate and refresh. */
const holderRefusals = [
  'AGENT_BLOCKED',
  'AGENT_REVIEW_PENDING',
  'INVALID_STATE',
  'AUTHORITY_BINDING_INVALID',
  'PASSPORT_TOO_LARGE',
  'INSUFFICIENT_CREDITS',
  'TEMPORARILY_UNAVAILABLE',
  'PASSPORT_REVOKED',
] as const;
/** Refusals because of the passport that is delegated or refreshed. */
const parentRefusals = ['INVALID_PASSPORT', 'PASSPORT_EXPIRED', 'ALREADY_CHECKED_OUT'] as const;

export const issue = route({
  method: 'post',
  path: '/v1/passports/issue',
  operation: 'issuePassport',
  tag,
  summary: 'Issue a passport for an agent',
  description: 'Scopes, sources of data and identity claims are signed as they are now; wildcards are expanded.',
  audience,
  body: IssueBodySchema,
  maxValues: MANY_VALUES,
  example: {
    agent_id: 'ag_01K0000000000000000000000A',
    intent: { summary: 'Sort the open issues', services: ['github'] },
  },
  status: 201,
  reply: SignedPassportSchema,
  refusals: ['NOT_FOUND', 'UNKNOWN_INTENT', 'SCOPE_NOT_GRANTED', 'SCOPE_ESCALATION', ...holderRefusals],
  handler: ({ context, call, body }) => issuePassport(context, call, body),
});

export const delegate = route({
  method: 'post',
  path: '/v1/passports/delegate',
  operation: 'delegatePassport',
  tag,
  summary: 'Give another agent a narrower passport',
  description: 'Four hops at most. What is left out is inherited; nothing can exceed the parent.',
  audience,
  body: DelegateBodySchema,
  maxValues: MANY_VALUES,
  example: {
    parent_passport_token: EXAMPLE_TOKEN,
    child_agent_id: 'ag_01K0000000000000000000000B',
    scopes: [{ service_connection_id: 'con_01K0000000000000000000000A', scopes: ['repo:read'] }],
  },
  status: 201,
  reply: SignedPassportSchema,
  refusals: [
    'NOT_FOUND',
    'UNKNOWN_INTENT',
    'DELEGATION_DEPTH_EXCEEDED',
    'SCOPE_ESCALATION',
    'TTL_EXCEEDS_PARENT',
    'PASSPORT_BUDGET_EXCEEDED',
    ...parentRefusals,
    ...holderRefusals,
  ],
  handler: ({ context, call, body }) => delegatePassport(context, call, body),
});

const refresh = route({
  method: 'post',
  path: '/v1/passports/refresh',
  operation: 'refreshPassport',
  tag,
  summary: 'Continue a passport under a new jti',
  description:
    'The same scopes, claims and chain with a new time to live, within the session and the parent. The old token stays valid until it expires.',
  audience,
  body: RefreshBodySchema,
  example: { token: EXAMPLE_TOKEN },
  status: 201,
  reply: SignedPassportSchema,
  refusals: ['NOT_FOUND', 'SCOPE_NOT_GRANTED', ...parentRefusals, ...holderRefusals],
  handler: ({ context, call, body }) => refreshPassport(context, call, body),
});

export const issuingRoutes: AnyRoute[] = [issue, delegate, refresh];
