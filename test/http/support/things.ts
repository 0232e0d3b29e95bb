import { z } from 'zod';
import { runCommand } from '../../../src/commands/run.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { cursorList, offsetAnswer, offsetList, offsetQuery } from '../../../src/http/lists/pagination.ts';
import { applied } from '../../../src/http/prefer.ts';
import { MANY_VALUES, route, type AnyRoute } from '../../../src/http/route.ts';

/** A small domain for the tests of the shell: everything that a route can declare, and nothing behind it. */

const params = z.object({ id: z.string() });
export const ThingSchema = z
  .object({ id: z.string(), name: z.string() })
  .meta({ id: 'Thing', description: 'A thing', examples: [{ id: 'thg_1', name: 'one' }] });
const MakeThingSchema = z
  .strictObject({
    name: z.string().min(1).max(128),
    size: z.number().optional(),
    parts: z.array(z.strictObject({ label: z.string() })).optional(),
    shape: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('round'), radius: z.number() }),
        z.strictObject({ kind: z.literal('flat') }),
      ])
      .optional(),
    free: z.json().optional(),
  })
  .meta({ id: 'MakeThing' });

const common = { tag: 'skills', summary: 'For tests' } as const;

const make = route({
  ...common,
  method: 'post',
  path: '/v1/things',
  operation: 'makeThing',
  audience: 'anyone',
  body: MakeThingSchema,
  maxValues: MANY_VALUES,
  example: { name: 'one', size: 2 },
  status: 201,
  reply: ThingSchema,
  refusals: ['CONFLICT'],
  handler: ({ context, call, body }) =>
    runCommand(context, call, async () => {
      if (body.name === 'undeclared') throw new CarnetError('SELF_RATING', 'No route of things declares this.');
      if (body.name === 'unnamed')
        throw new CarnetError('CONFLICT', 'Nothing names its member.', { extra: { name_given: body.name } });
      if (body.name === 'refused')
        throw new CarnetError('CONFLICT', 'This name is refused.', { extra: { checkout_url: null } });
      const id = `thg_${Math.random().toString(36).slice(2)}`;
      return { status: 201, body: { id, name: body.name }, location: `/v1/things/${id}` };
    }),
});

const read = route({
  ...common,
  method: 'get',
  path: '/v1/things/:id',
  operation: 'readThing',
  audience: 'anyone',
  params,
  status: 200,
  reply: ThingSchema,
  cache: 'private, no-cache',
  handler: async ({ params: { id } }) => {
    const thing = { id, name: 'one', secret: 'never to be seen' };
    return { status: 200, body: thing };
  },
});

const mine = route({
  ...common,
  method: 'get',
  path: '/v1/things/mine',
  operation: 'listOwnThings',
  audience: 'anyone',
  query: z.object({ ...offsetQuery, colour: z.enum(['red', 'blue']).optional() }),
  status: 200,
  reply: offsetList('things', ThingSchema),
  handler: async ({ query }) =>
    offsetAnswer('things', { items: all.slice(query.offset, query.offset + query.limit), total: all.length, query }),
});

const all = Array.from({ length: 45 }, (_, index) => ({ id: `thg_${index}`, name: `thing ${index}` }));
const pages = cursorList({
  name: 'things',
  item: ThingSchema,
  position: z.object({ index: z.int() }),
  maximum: 50,
  standard: 20,
});

const history = route({
  ...common,
  method: 'get',
  path: '/v1/things/:id/history',
  operation: 'listThingHistory',
  audience: 'anyone',
  params,
  query: z.object({ ...pages.query, colour: z.enum(['red', 'blue']).optional() }),
  status: 200,
  reply: pages.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const from = pages.after(request)?.index ?? 0;
    const rows = all
      .map((thing, index) => ({ ...thing, index: index + 1 }))
      .slice(from, from + request.query.limit + 1);
    return pages.answer(request, rows, ({ index }) => ({ index }));
  },
});

const polish = route({
  ...common,
  method: 'post',
  path: '/v1/things/:id/polish',
  operation: 'polishThing',
  audience: 'operator',
  params,
  status: 200,
  reply: ThingSchema,
  waits: true,
  handler: async ({ params: { id }, preferWait }) => ({
    status: 200,
    body: { id, name: 'polished' },
    headers: applied(preferWait),
  }),
});

const rename = route({
  ...common,
  method: 'patch',
  path: '/v1/things/:id',
  operation: 'renameThing',
  audience: 'admin',
  params,
  body: z.strictObject({ name: z.string() }).meta({ id: 'RenameThing' }),
  bodyLimit: 2_048,
  status: 200,
  reply: ThingSchema,
  handler: async ({ params: { id }, body }) => ({ status: 200, body: { id, name: body.name } }),
});

const remove = route({
  ...common,
  method: 'delete',
  path: '/v1/things/:id',
  operation: 'removeThing',
  audience: 'platform',
  params,
  status: 200,
  reply: z.object({ deleted: z.literal(true) }),
  handler: async () => ({ status: 200, body: { deleted: true as const } }),
});

const open = route({
  ...common,
  method: 'post',
  path: '/v1/open-things/check',
  operation: 'checkThing',
  audience: 'public',
  body: z.strictObject({ name: z.string() }).meta({ id: 'CheckThing' }),
  status: 200,
  reply: z.object({ name: z.string() }),
  handler: async ({ body }) => ({ status: 200, body: { name: body.name } }),
});

const faulty = route({
  ...common,
  method: 'get',
  path: '/v1/faulty-things/:id',
  operation: 'readFaultyThing',
  audience: 'anyone',
  params,
  status: 200,
  reply: ThingSchema,
  handler: async ({ params: { id } }) => {
    if (id === 'throws') throw new TypeError('the password of the database is hunter2');
    return { status: 200, body: { id } as { id: string; name: string } };
  },
});

export const things: AnyRoute[] = [make, read, mine, history, polish, rename, remove, open, faulty];
