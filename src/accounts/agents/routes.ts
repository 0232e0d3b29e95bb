import { z } from 'zod';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { AgentConductSchema, AgentSchema, CreateAgentSchema, UnblockAgentSchema, UpdateAgentSchema } from './schema.ts';
import { createAgent, pageOfAgents, readAgent, readConduct, unblockAgent, updateAgent } from './agents.ts';

const params = z.object({ id: z.string() });
const tag = 'accounts';

export const postAgent = route({
  method: 'post',
  path: '/v1/agents',
  operation: 'createAgent',
  tag,
  summary: 'Register an agent',
  description:
    'With a `public_jwk`, by a key or token that ends, it needs the approval of a person. A partner names no key that an agent beyond its grant has or had.',
  audience: 'operator-or-partner',
  body: CreateAgentSchema,
  example: { name: 'researcher', monthly_limit_cents: 5_000 },
  status: 201,
  reply: AgentSchema,
  refusals: ['AGENT_BLOCKED', 'PARTNER_SCOPE', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, body }) => createAgent(context, call, body),
});

export const getAgents = route({
  method: 'get',
  path: '/v1/agents',
  operation: 'listAgents',
  tag,
  summary: 'List the agents of the operator, newest first',
  description: 'A partner sees those that its keys registered.',
  audience: 'operator-or-partner',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('agents', AgentSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('agents', { ...(await pageOfAgents(context, caller, query)), query }),
});

export const getAgent = route({
  method: 'get',
  path: '/v1/agents/:id',
  operation: 'getAgent',
  tag,
  summary: 'Show an agent',
  description:
    '`status` says whether the agent may act, and `held_to` what its passports are held to. A partner sees agents that its keys registered.',
  audience: 'operator-or-partner',
  params,
  status: 200,
  reply: AgentSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({ status: 200, body: await readAgent(context, caller, id) }),
});

export const patchAgent = route({
  method: 'patch',
  path: '/v1/agents/:id',
  operation: 'updateAgent',
  tag,
  summary: 'Change or retire an agent',
  description:
    '`status: disabled` retires the agent, blocked or not: its keys are refused and its passports revoked. ' +
    'Less accountability than before, or a longer checkpoint interval or none, needs the approval of a person, and so does making a retired agent ' +
    'active again; another `public_jwk` does where the key or token that calls ends.',
  audience: 'operator',
  params,
  body: UpdateAgentSchema,
  example: { monthly_limit_cents: 10_000 },
  status: 200,
  reply: AgentSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'AGENT_BLOCKED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) => updateAgent(context, call, { agentId: id, patch: body }),
});

export const getConduct = route({
  method: 'get',
  path: '/v1/agents/:id/conduct',
  operation: 'getAgentConduct',
  tag,
  summary: 'Show what an agent has to answer for: its blocks, reviews and flags',
  description: 'Facts for a person who unblocks the agent or holds it to less. They send the `digest` of it as `seen`.',
  audience: 'admin',
  params,
  status: 200,
  reply: AgentConductSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readConduct(context, caller, id),
  }),
});

export const postUnblock = route({
  method: 'post',
  path: '/v1/agents/:id/unblock',
  operation: 'unblockAgent',
  tag,
  summary: 'Lift the blocks of an agent, and what blocked reviews hold of it',
  description:
    'Needs a person: in a dashboard session, with the digest of what they have seen, or by an approval that the key sends in X-Governance-Approval. ' +
    'An agent that was retired is `disabled` again.',
  audience: 'admin',
  params,
  body: UnblockAgentSchema,
  status: 200,
  reply: AgentSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'SUBJECT_CHANGED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  example: {},
  handler: ({ context, call, params: { id }, body }) => unblockAgent(context, call, { agentId: id, seen: body.seen }),
});

export const agentRoutes: AnyRoute[] = [postAgent, getAgents, getAgent, patchAgent, getConduct, postUnblock];
