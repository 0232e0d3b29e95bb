import assert from 'node:assert/strict';
import { z } from 'zod';
import { route, type AnyRoute } from '../../src/http/route.ts';
import { eventually } from '../support/eventually.ts';
import { assertProblem, assertStatus, type Reply } from '../support/service.ts';
import { newAdmin, openShell, type Shell } from './support/shell.ts';

describe('Heavy reads', () => {
  let shell: Shell;
  let gate: { reached: number; opened: Promise<void>; open: () => void };

  const stand = async (): Promise<void> => {
    gate.reached += 1;
    await gate.opened;
  };
  const common = { method: 'get', tag: 'skills', summary: 'For tests', audience: 'anyone', status: 200 } as const;
  const reply = z.object({ one: z.number() });
  const search = route({
    ...common,
    path: '/v1/searched-things',
    operation: 'searchThings',
    query: z.object({ words: z.string().optional(), waits: z.string().optional() }),
    reply,
    isHeavy: ({ words }) => words !== undefined,
    handler: async ({ query: { waits } }) => {
      if (waits !== undefined) await stand();
      return { status: 200, body: { one: 1 } };
    },
  });
  const routes: AnyRoute[] = [search];

  beforeEach(async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    gate = { reached: 0, opened, open };
    shell = await openShell({ routes });
  });
  afterEach(async () => {
    gate.open();
    await shell.close();
  });

  it('are shared by operators: of forty of one, three are at work, and another is answered meanwhile', async () => {
    const [hostile, honest] = [await newAdmin(shell), await newAdmin(shell)];
    const replies = Array.from({ length: 40 }, () => hostile.get('/v1/searched-things?words=a&waits=1'));
    await eventually('heavy reads to be at work', () => gate.reached >= 3);
    for (let count = 0; count < 10; count += 1) assertStatus(await honest.get('/v1/searched-things?words=a'), 200);
    assert.equal(gate.reached, 3);
    assertStatus(await hostile.get('/v1/searched-things'), 200);
    gate.open();
    for (const one of await Promise.all(replies)) assertStatus(one, 200);
  });

  it('are refused to an operator with a hundred waiting, and to nobody else', async () => {
    const [hostile, honest] = [await newAdmin(shell), await newAdmin(shell)];
    const replies: Promise<Reply>[] = [];
    for (let count = 0; count < 104; count += 1) replies.push(hostile.get('/v1/searched-things?words=a&waits=1'));
    const refused = await Promise.race(replies);
    assertProblem(refused, 'RATE_LIMITED');
    assert.match(refused.text, /100 calls of yours wait for searches, suggestions and statements/);
    assertStatus(await honest.get('/v1/searched-things?words=a'), 200);
    gate.open();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 103);
  });

  it('take processor time of their operator, and none is left to who has used it', async () => {
    const [hostile, honest] = [await newAdmin(shell), await newAdmin(shell)];
    const time = shell.context.processorTime;
    const used: string[] = [];
    const use = time.use.bind(time);
    time.use = (caller, ms) => {
      assert(ms > 0);
      used.push(caller);
      use(caller, ms);
    };
    assertStatus(await hostile.get('/v1/searched-things?words=a'), 200);
    assertStatus(await hostile.get('/v1/searched-things'), 200);
    assert.deepEqual(used, [hostile.operatorId]);
    use(hostile.operatorId, time.limits.burst * 2);
    const refused = await hostile.get('/v1/searched-things?words=a');
    assertProblem(refused, 'RATE_LIMITED');
    assert.match(refused.text, /have used their processor time/);
    assert(Number(refused.headers.get('retry-after')) >= 1);
    assertStatus(await hostile.get('/v1/searched-things'), 200);
    assertStatus(await honest.get('/v1/searched-things?words=a'), 200);
  });
});
