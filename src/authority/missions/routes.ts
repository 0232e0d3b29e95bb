import { z } from 'zod';
import { offsetAnswer, offsetList, offsetQuery } from '../../http/lists/pagination.ts';
import { route, type AnyRoute } from '../../http/route.ts';
import { CreateMissionSchema, MissionSchema } from './schema.ts';
import { completeMission, createMission, pageOfMissions, readMission } from './missions.ts';

const params = z.object({ id: z.string() });
const tag = 'accounts';

export const postMission = route({
  method: 'post',
  path: '/v1/missions',
  operation: 'createMission',
  tag,
  summary: 'Declare a mission',
  description: 'It is also recorded as a claim of type mission.',
  audience: 'operator',
  body: CreateMissionSchema,
  example: { declared_intent: 'Sort the open issues of the week' },
  status: 201,
  reply: MissionSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, body }) => createMission(context, call, body),
});

export const getMissions = route({
  method: 'get',
  path: '/v1/missions',
  operation: 'listMissions',
  tag,
  summary: 'List the missions of the operator, newest first',
  description:
    'A mission says what work is for. Passports and invocations may name it, and its cost can be read from the statement.',
  audience: 'operator',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('missions', MissionSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('missions', { ...(await pageOfMissions(context, caller, query)), query }),
});

export const getMission = route({
  method: 'get',
  path: '/v1/missions/:id',
  operation: 'getMission',
  tag,
  summary: 'Show a mission',
  description: 'A mission that is completed or has expired can be named by nothing new.',
  audience: 'operator',
  params,
  status: 200,
  reply: MissionSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { id } }) => ({
    status: 200,
    body: await readMission(context, caller, id),
  }),
});

export const postComplete = route({
  method: 'post',
  path: '/v1/missions/:id/complete',
  operation: 'completeMission',
  tag,
  summary: 'Complete a mission',
  description: 'No later passport can refer to it. Completing it again gives the same answer.',
  audience: 'operator',
  params,
  status: 200,
  reply: MissionSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE'],
  handler: ({ context, call, params: { id } }) => completeMission(context, call, id),
});

export const missionRoutes: AnyRoute[] = [postMission, getMissions, getMission, postComplete];
