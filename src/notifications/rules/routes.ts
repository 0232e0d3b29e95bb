import { z } from 'zod';
import { DeletedSchema } from '../../http/deleted.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { allRules, createRule, deleteRule, readRule, updateRule } from './rules.ts';
import { CreateRuleSchema, ListedRuleSchema, RuleSchema, UpdateRuleSchema } from './schema.ts';

const params = z.object({ id: z.string() });
const tag = 'notifications';
const audience = 'admin';

export const postRule = route({
  method: 'post',
  path: '/v1/notifications/channels',
  operation: 'createNotificationRule',
  tag,
  summary: 'Be notified of events at some destinations',
  description:
    'Each event is sent to each of its destinations once, however many rules match. A bearer needs the approval of a person.',
  audience,
  body: CreateRuleSchema,
  example: {
    destination_ids: ['dst_01K0000000000000000000000A'],
    events: ['passport.flagged', 'invocation.*'],
    min_severity: 'warning',
  },
  status: 201,
  reply: RuleSchema,
  refusals: ['DESTINATION_UNVERIFIED', 'TIER_LIMIT_EXCEEDED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, body }) => createRule(context, call, body),
});

export const getRules = route({
  method: 'get',
  path: '/v1/notifications/channels',
  operation: 'listNotificationRules',
  tag,
  summary: 'List all notification rules with their destinations, newest first',
  description: 'A rule says which events go to which destination, from which severity on.',
  audience,
  status: 200,
  reply: z.object({ channels: z.array(ListedRuleSchema) }),
  handler: async ({ context, caller }) => ({ status: 200, body: { channels: await allRules(context, caller) } }),
});

export const getRule = route({
  method: 'get',
  path: '/v1/notifications/channels/:id',
  operation: 'getNotificationRule',
  tag,
  summary: 'Show a notification rule',
  description: 'With its destination.',
  audience,
  params,
  status: 200,
  reply: ListedRuleSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({ status: 200, body: await readRule(context, caller, id) }),
});

export const patchRule = route({
  method: 'patch',
  path: '/v1/notifications/channels/:id',
  operation: 'updateNotificationRule',
  tag,
  summary: 'Change the destinations, the events or the least severity of a notification rule',
  description: 'A list replaces the one before it. A bearer needs the approval of a person.',
  audience,
  params,
  body: UpdateRuleSchema,
  example: { min_severity: 'critical' },
  status: 200,
  reply: RuleSchema,
  refusals: ['NOT_FOUND', 'DESTINATION_UNVERIFIED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id }, body }) => updateRule(context, call, { ruleId: id, patch: body }),
});

export const removeRule = route({
  method: 'delete',
  path: '/v1/notifications/channels/:id',
  operation: 'deleteNotificationRule',
  tag,
  summary: 'Delete a notification rule',
  description: 'Events that it has matched are still delivered. A bearer needs the approval of a person.',
  audience,
  params,
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { id } }) => deleteRule(context, call, id),
});

export const ruleRoutes: AnyRoute[] = [postRule, getRules, getRule, patchRule, removeRule];
