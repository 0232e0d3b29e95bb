import { z } from 'zod';
import { DeletedSchema } from '../../http/deleted.ts';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { AddMemberSchema, MemberSchema } from './schema.ts';
import { addMember, pageOfMembers, readMember, removeMember } from './members.ts';

const params = z.object({ id: z.string() });
const tag = 'accounts';

export const postMember = route({
  method: 'post',
  path: '/v1/members',
  operation: 'addMember',
  tag,
  summary: 'Invite a person to work for this operator',
  description:
    'They are a member once they have signed in with the `operator_id`, by a code that is mailed to them: at ' +
    '/dashboard/sign-in?operator_id=op_… for example. Each member takes a seat, of the tier or a bought one; the holder of the registered e-mail address is the first, its owner. ' +
    'Adding an administrator needs the approval of a person, adding an owner that of an owner; adding anybody does, by a key or token that ends. ' +
    'An invitation ends with the key that made it, unless a person approved it.',
  audience: 'admin',
  body: AddMemberSchema,
  example: { email: 'grace@example.com', role: 'admin' },
  status: 201,
  reply: MemberSchema,
  refusals: ['TIER_LIMIT_EXCEEDED', 'CONFLICT', 'NOT_OWNER', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, body }) => addMember(context, call, body),
});

export const getMembers = route({
  method: 'get',
  path: '/v1/members',
  operation: 'listMembers',
  tag,
  summary: 'List the members of the operator and those it has invited, newest first',
  description: 'Members are people who sign in to the dashboard. Whom nobody has seen yet is `invited`.',
  audience: 'admin',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('members', MemberSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('members', { ...(await pageOfMembers(context, caller, query)), query }),
});

export const getMember = route({
  method: 'get',
  path: '/v1/members/:id',
  operation: 'getMember',
  tag,
  summary: 'Show a member',
  description: 'A member of another operator is 404, as one that does not exist.',
  audience: 'admin',
  params,
  status: 200,
  reply: MemberSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readMember(context, caller, id),
  }),
});

export const deleteMember = route({
  method: 'delete',
  path: '/v1/members/:id',
  operation: 'deleteMember',
  tag,
  summary: 'Remove a member and end their dashboard sessions',
  description: 'An administrator needs the approval of a person, an owner that of an owner.',
  audience: 'admin',
  params,
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'NOT_OWNER', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id } }) => removeMember(context, call, id),
});

export const memberRoutes: AnyRoute[] = [postMember, getMembers, getMember, deleteMember];
