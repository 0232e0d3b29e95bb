import { z } from 'zod';
import { agentAlone } from '../commands/caller.ts';
import { cursorList } from '../http/lists/pagination.ts';
import { applied } from '../http/prefer.ts';
import { route, type AnyRoute, type RouteRequest } from '../http/route.ts';
import { actOf } from './act.ts';
import { cancelInvocation } from './cancel-invocation.ts';
import { claimInvocation } from './claim-invocation.ts';
import { completeInvocation } from './complete-invocation.ts';
import { failInvocation } from './fail-invocation.ts';
import { heartbeatInvocation } from './heartbeat-invocation.ts';
import { invokeSkill } from './invoke-skill.ts';
import { listExecutedSteps } from './execution/list-steps.ts';
import { overseeInvocation } from './overseen.ts';
import { claimsOfInvocation, listInvocations } from './queries.ts';
import {
  ClaimBodySchema,
  CompleteBodySchema,
  EvidencedInvocationSchema,
  FailBodySchema,
  HeartbeatBodySchema,
  InvocationSchema,
  InvocationStatusSchema,
  InvocationSummarySchema,
  InvokeBodySchema,
  type InvokeBody,
  MAX_PAYLOAD_VALUES,
  OverseenInvocationSchema,
} from './schema.ts';
import { readInvocation, readPending } from './waiting.ts';

const tag = 'invocations';
const audience = 'anyone';
/** The audience of what a passport may do by itself. */
const withPassports = 'anyone-or-passport';
const params = z.object({ id: z.string() });
const reply = InvocationSchema;

/** Everything up to 1,000, then by cursor. */
const pages = cursorList({
  name: 'invocations',
  item: InvocationSummarySchema,
  position: z.string(),
  maximum: 1_000,
  standard: 1_000,
});
const listQuery = z.object({
  ...pages.query,
  status: InvocationStatusSchema.optional(),
  skill_id: z.string().optional(),
});
const pendingQuery = z.object({ ...pages.query, skill_id: z.string().optional() });

const invokeRefusals = [
  'NOT_FOUND',
  'AGENT_BLOCKED',
  'AGENT_CREDENTIAL_FORBIDDEN',
  'INVALID_PASSPORT',
  'PASSPORT_REVOKED',
  'PASSPORT_EXPIRED',
  'AUTHORITY_BINDING_INVALID',
  'SKILL_NOT_ACTIVE',
  'EXECUTION_UNAVAILABLE',
  'CREDENTIAL_REQUIRED',
  'SELLER_LIMIT_REACHED',
  'PRICE_CHANGED',
  'TRUST_LEVEL_INSUFFICIENT',
  'TIER_LIMIT_EXCEEDED',
  'INPUT_SCHEMA_MISMATCH',
  'AGENT_BUDGET_EXCEEDED',
  'PASSPORT_BUDGET_EXCEEDED',
  'INSUFFICIENT_CREDITS',
] as const;

/** Invokes, and with `Prefer: wait` answers the invocation as it is at its end, or when the time is over. */
async function invokeAndWait(
  request: Pick<
    RouteRequest<'anyone' | 'anyone-or-passport', { id: string }, unknown, InvokeBody>,
    'context' | 'caller' | 'call' | 'params' | 'body' | 'preferWait' | 'signal'
  >,
  how: { trial: boolean },
) {
  const { context, caller, call, body, preferWait, signal } = request;
  const answer = await invokeSkill(context, call, { skillId: request.params.id, body, ...how });
  if (preferWait === null) return answer;
  const target = { id: answer.body.id, operatorId: caller.operatorId, agentId: agentAlone(caller) };
  return {
    ...answer,
    body: await readInvocation(context, target, { seconds: preferWait, signal }),
    headers: applied(preferWait),
  };
}

export const invoke = route({
  method: 'post',
  path: '/v1/skills/:id/invoke',
  operation: 'invokeSkill',
  tag,
  summary: 'Invoke a skill',
  description:
    'Creates a pending invocation and holds its price. The credential is the key of an operator or an agent, where `passport_id` names a passport whose agent invokes; or, where the operator lets passports invoke (`passports_may_invoke`), a passport with a budget whose audience is this service alone. With `Prefer: wait=N` the answer ' +
    'waits for its end, N seconds at most.',
  audience: withPassports,
  params,
  body: InvokeBodySchema,
  maxValues: MAX_PAYLOAD_VALUES,
  status: 201,
  reply,
  refusals: [...invokeRefusals, 'ALREADY_CHECKED_OUT', 'AGENT_REVIEW_PENDING', 'INVALID_STATE'],
  example: { input: { text: 'hello' } },
  waits: true,
  handler: (request) => invokeAndWait(request, { trial: false }),
});

export const attempt = route({
  method: 'post',
  path: '/v1/skills/:id/try',
  operation: 'trySkill',
  tag,
  summary: 'Try a skill of yours that the service executes, also before its review',
  description:
    'An invocation of your own skill, regardless of its status: it costs no price, and what its steps cost. The answer of GET names the failed ' +
    'step and shows what it printed.',
  audience,
  params,
  body: InvokeBodySchema,
  maxValues: MAX_PAYLOAD_VALUES,
  status: 201,
  reply,
  refusals: [...invokeRefusals, 'NOT_OWNER', 'NO_EXECUTABLE_CONTENT'],
  example: { input: { text: 'hello' } },
  waits: true,
  handler: (request) => invokeAndWait(request, { trial: true }),
});

const list = (side: 'mine' | 'provided', { summary, description }: { summary: string; description: string }) =>
  route({
    method: 'get',
    path: `/v1/skills/invocations/${side}`,
    operation: side === 'mine' ? 'listMyInvocations' : 'listProvidedInvocations',
    tag,
    summary,
    description,
    audience,
    query: listQuery,
    status: 200,
    reply: pages.reply,
    refusals: ['INVALID_CURSOR'],
    handler: async (request) => {
      const { context, caller, query } = request;
      const filter = { operatorId: caller.operatorId, status: query.status, skillId: query.skill_id };
      const rows = await listInvocations(context.pool, side, {
        ...filter,
        after: pages.after(request),
        limit: query.limit + 1,
      });
      return pages.answer(request, rows, ({ id }) => id);
    },
  });

export const pending = route({
  method: 'get',
  path: '/v1/skills/invocations/pending',
  operation: 'listPendingInvocations',
  tag,
  summary: 'List work waiting for your skills, oldest first',
  description: 'With `Prefer: wait=N` an empty list is answered only after N seconds (long poll).',
  audience,
  query: pendingQuery,
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  waits: true,
  handler: async (request) => {
    const { context, caller, query, preferWait, signal } = request;
    const filter = {
      operatorId: caller.operatorId,
      skillId: query.skill_id,
      after: pages.after(request),
      limit: query.limit + 1,
    };
    const rows = await readPending(context, filter, { seconds: preferWait, signal });
    return { ...pages.answer(request, rows, ({ id }) => id), headers: applied(preferWait) };
  },
});

export const get = route({
  method: 'get',
  path: '/v1/skills/invocations/:id',
  operation: 'getInvocation',
  tag,
  summary: 'Read an invocation as its consumer or provider',
  description: 'With `Prefer: wait=N` the answer waits until it has ended, N seconds at most.',
  audience: withPassports,
  params,
  status: 200,
  reply: EvidencedInvocationSchema,
  refusals: ['NOT_FOUND'],
  waits: true,
  handler: async ({ context, caller, params: { id }, preferWait, signal }) => {
    const target = { id, operatorId: caller.operatorId, agentId: agentAlone(caller) };
    const invocation = await readInvocation(context, target, { seconds: preferWait, signal });
    return {
      status: 200,
      body: {
        ...invocation,
        claim_ids: await claimsOfInvocation(context, id),
        steps: await listExecutedSteps(context, invocation, caller.operatorId),
      },
      headers: applied(preferWait),
    };
  },
});

export const oversee = route({
  method: 'get',
  path: '/v1/admin/invocations/:id',
  operation: 'overseeInvocation',
  tag: 'platform',
  summary: 'Show where an invocation of any operator stands',
  description:
    'State, times, ids and money, and nothing that its parties wrote. Each read is in the audit trail of the platform.',
  audience: 'platform',
  params,
  status: 200,
  reply: OverseenInvocationSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { id } }) => overseeInvocation(context, call, id),
});

/** The members that all calls of a provider share. */
const ofProvider = {
  method: 'post',
  tag,
  audience,
  params,
  status: 200,
  reply,
  refusals: ['NOT_FOUND', 'NOT_PROVIDER', 'SERVICE_EXECUTED', 'INVOCATION_EXPIRED', 'LEASE_LOST'],
} as const;

export const claim = route({
  ...ofProvider,
  path: '/v1/skills/invocations/:id/claim',
  operation: 'claimInvocation',
  summary: 'Claim a pending invocation of your skill',
  description:
    'One of several who claim it at the same time wins. With `lease_seconds` it goes back to pending unless a heartbeat or the end comes in time. `attempt` of the answer names this claim in later calls.',
  body: ClaimBodySchema,
  refusals: [...ofProvider.refusals, 'INVOCATION_NOT_PENDING'],
  example: { lease_seconds: 60 },
  handler: ({ context, call, params: { id }, body }) => claimInvocation(context, actOf(call), { id, body }),
});

export const complete = route({
  ...ofProvider,
  path: '/v1/skills/invocations/:id/complete',
  operation: 'completeInvocation',
  summary: 'Deliver the output of an invocation you claimed',
  description:
    'The output must match the output schema of the revision that was invoked; then the held price becomes your earnings. The same output again is answered the same.',
  body: CompleteBodySchema,
  maxValues: MAX_PAYLOAD_VALUES,
  refusals: [...ofProvider.refusals, 'INVOCATION_NOT_PROCESSING', 'OUTPUT_SCHEMA_MISMATCH'],
  example: { output: { text: 'HELLO' } },
  handler: ({ context, call, params: { id }, body }) => completeInvocation(context, actOf(call), { id, body }),
});

export const fail = route({
  ...ofProvider,
  path: '/v1/skills/invocations/:id/fail',
  operation: 'failInvocation',
  summary: 'Give up an invocation you claimed',
  description:
    'The held price goes back to the consumer, who sees the error. The same error again is answered the same.',
  body: FailBodySchema,
  refusals: [...ofProvider.refusals, 'INVOCATION_NOT_PROCESSING'],
  example: { error: { code: 'SOURCE_UNREADABLE', message: 'The document could not be read.' } },
  handler: ({ context, call, params: { id }, body }) => failInvocation(context, actOf(call), { id, body }),
});

export const cancel = route({
  method: 'post',
  path: '/v1/skills/invocations/:id/cancel',
  operation: 'cancelInvocation',
  tag,
  summary: 'Withdraw an invocation that nobody has claimed',
  description:
    'For its consumer; the held price goes back. The invocation ends as `failed` with `CANCELLED_BY_CONSUMER`. Repeating it is answered the same.',
  audience: withPassports,
  params,
  status: 200,
  reply,
  refusals: ['NOT_FOUND', 'NOT_OWNER', 'INVOCATION_EXPIRED', 'INVOCATION_NOT_PENDING'],
  handler: ({ context, call, params: { id } }) => cancelInvocation(context, actOf(call), id),
});

export const heartbeat = route({
  ...ofProvider,
  path: '/v1/skills/invocations/:id/heartbeat',
  operation: 'heartbeatInvocation',
  summary: 'Keep the lease of an invocation you claimed',
  description:
    'The lease begins again from now, for as long as it was claimed for or for `lease_seconds`. A claim without a lease needs none.',
  body: HeartbeatBodySchema,
  refusals: [...ofProvider.refusals, 'INVOCATION_NOT_PROCESSING', 'NO_LEASE'],
  example: { lease_seconds: 60 },
  handler: ({ context, call, params: { id }, body }) => heartbeatInvocation(context, actOf(call), { id, body }),
});

export const mine = list('mine', {
  summary: 'List what you invoked, newest first',
  description: 'Without input and output; read the invocation for them.',
});

export const provided = list('provided', {
  summary: 'List what was invoked of your skills, newest first',
  description:
    'Without input and output, and without passport and mission of the consumer. With `status=processing` a provider that crashed finds what it ' +
    'had claimed.',
});

/** Fixed paths come before `:id`, which would match them too. No id looks like one of them, since it has a prefix. */
export const invocationRoutes: AnyRoute[] = [
  mine,
  provided,
  pending,
  get,
  oversee,
  claim,
  complete,
  fail,
  cancel,
  heartbeat,
  invoke,
  attempt,
];
