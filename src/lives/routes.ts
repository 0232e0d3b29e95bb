import { z } from 'zod';
import { CarnetError } from '../errors/carnet-error.ts';
import { route, type AnyRoute } from '../http/route.ts';
import { parseLifeId } from '../ids/life-ids.ts';
import { findLife } from './queries.ts';
import { LifeSchema } from './schema.ts';

export const getLife = route({
  method: 'get',
  path: '/v1/admin/lives/:id',
  operation: 'getLife',
  tag: 'platform',
  summary: 'Show when a life is looked at next, its newest run in Temporal, and why it could not be delivered',
  description:
    'The id is the workflow id, such as `invocation:inv_…`. A life that has ended and whose run Temporal has forgotten is 404.',
  audience: 'platform',
  params: z.object({ id: z.string().max(300) }),
  status: 200,
  reply: LifeSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, params: { id } }) => {
    const parsed = parseLifeId(id);
    if (parsed === undefined)
      throw new CarnetError('NOT_FOUND', 'There is no life with this id: <kind>:<id of its row>.');
    const [row, run] = await Promise.all([findLife(context.pool, id), context.delivery.newestRun(id)]);
    if (row.turn_of === null && run === null)
      throw new CarnetError('NOT_FOUND', 'Nothing of this life is due, and Temporal knows no run of it.');
    return { status: 200, body: { id, kind: parsed.kind, ...row, run } };
  },
});

export const lifeRoutes: AnyRoute[] = [getLife];
