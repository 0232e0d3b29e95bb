import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { route, type AnyRoute } from '../../src/http/route.ts';
import { eventually } from '../support/eventually.ts';
import { assertProblem, assertStatus, type Reply } from '../support/service.ts';
import { insertKey, newAdmin, openShell, type Shell } from './support/shell.ts';

const One = z.object({ one: z.number() });
const reply = z.object({ one: z.number() });
const query = z.object({ gate: z.string().optional() });
const common = { method: 'get', tag: 'skills', summary: 'For tests', status: 200, reply } as const;

/** A gate that calls stand at, each with a connection in its hand, until a test opens it. */
class Gate {
  readonly #opened = Promise.withResolvers<void>();
  reached = 0;

  async pass(): Promise<void> {
    this.reached += 1;
    await this.#opened.promise;
  }

  open(): void {
    this.#opened.resolve();
  }
}

describe('Connections of the database', () => {
  let shell: Shell;
  let gates: Map<string, Gate>;
  const gate = (name: string): Gate => {
    const made = new Gate();
    gates.set(name, made);
    return made;
  };
  const stand = async (name: string | undefined): Promise<void> => {
    if (name !== undefined) await gates.get(name)?.pass();
  };

  const readSlowly = route({
    ...common,
    path: '/v1/slow-things',
    operation: 'readSlowThing',
    audience: 'anyone',
    query,
    handler: async ({ context, query: { gate: name } }) => {
      const one = await context.pool.connect(async (connection) => {
        await stand(name);
        return await connection.oneFirst(sql.type(One)`select 1 as one`);
      });
      return { status: 200, body: { one } };
    },
  });

  const readSlowlyByAnyone = route({
    ...common,
    path: '/v1/slow-open-things',
    operation: 'readSlowOpenThing',
    audience: 'public',
    query,
    handler: async ({ context, query: { gate: name } }) => {
      const one = await context.pool.transaction(async (connection) => {
        await stand(name);
        return await connection.oneFirst(sql.type(One)`select 1 as one`);
      });
      return { status: 200, body: { one } };
    },
  });

  const waitForRow = route({
    ...common,
    path: '/v1/awaited-things',
    operation: 'awaitThing',
    audience: 'anyone',
    handler: async ({ context, caller, signal }) => {
      const read = async (): Promise<number | undefined> => {
        const one = await context.pool.oneFirst(sql.type(One)`select 1 as one`);
        const row = gates.get('row');
        if (row === undefined) return one;
        row.reached += 1;
        return undefined;
      };
      await context.rowEvents.waitFor('thg_1', { caller: caller.operatorId, seconds: 40, signal }, read);
      return { status: 200, body: { one: 1 } };
    },
  });

  const routes: AnyRoute[] = [readSlowly, readSlowlyByAnyone, waitForRow];

  beforeEach(async () => {
    gates = new Map();
    shell = await openShell({ routes, settings: { TRUST_PROXY_HOPS: '1' } });
  });
  afterEach(async () => {
    for (const one of gates.values()) one.open();
    await shell.close();
  });

  const allOk = async (replies: readonly Promise<Reply>[]): Promise<void> => {
    for (const one of await Promise.all(replies)) assertStatus(one, 200);
  };

  it('are shared by operators: eighty slow calls of one hold six, and another is answered meanwhile', async () => {
    const [slow, other] = [await newAdmin(shell), await newAdmin(shell)];
    const slowly = gate('slowly');
    const replies = Array.from({ length: 80 }, () => slow.get('/v1/slow-things?gate=slowly'));
    await eventually('slow calls to be at work', () => slowly.reached >= 6);
    for (let count = 0; count < 20; count += 1) assertStatus(await other.get('/v1/slow-things'), 200);
    assert.equal(slowly.reached, 6);
    slowly.open();
    await allOk(replies);
    assert.equal(slowly.reached, 80);
  });

  it('are shared by all keys of one operator as one', async () => {
    const slow = await newAdmin(shell);
    const slowly = gate('slowly');
    const keys = await Promise.all(
      Array.from({ length: 10 }, () => insertKey(shell.context, { operatorId: slow.operatorId })),
    );
    const replies = keys.map(({ secret }) => shell.as(secret).get('/v1/slow-things?gate=slowly'));
    await eventually('slow calls to be at work', () => slowly.reached >= 6);
    assertStatus(await (await newAdmin(shell)).get('/v1/slow-things'), 200);
    assert.equal(slowly.reached, 6);
    slowly.open();
    await allOk(replies);
  });

  it('are shared by networks where nobody shows who they are, and by operators beside them', async () => {
    const slowly = gate('slowly');
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const replies = Array.from({ length: 20 }, (_, at) =>
      shell.anonymous.get('/v1/slow-open-things?gate=slowly', from(`2001:db8:1:${at}::1`)),
    );
    await eventually('slow calls to be at work', () => slowly.reached >= 6);
    assertStatus(await shell.anonymous.get('/v1/slow-open-things', from('2001:db8:2::1')), 200);
    assertStatus(await (await newAdmin(shell)).get('/v1/slow-things', from('2001:db8:1::1')), 200);
    assert.equal(slowly.reached, 6);
    slowly.open();
    await allOk(replies);
  });

  it('are held by nobody who waits for a row', async () => {
    const operator = await newAdmin(shell);
    const row = gate('row');
    const replies = Array.from({ length: 20 }, () => operator.get('/v1/awaited-things'));
    await eventually('all to have read it', () => row.reached >= 20);
    assertStatus(await operator.get('/v1/slow-things'), 200);
    gates.delete('row');
    shell.context.rowEvents.changed('thg_1');
    await allOk(replies);
  });

  it('are refused to an operator with 500 calls waiting, and to nobody else', async () => {
    const [slow, other] = [await newAdmin(shell), await newAdmin(shell)];
    const slowly = gate('slowly');
    const replies: Promise<Reply>[] = [];
    const call = () => void replies.push(slow.get('/v1/slow-things?gate=slowly'));
    for (let count = 0; count < 507; count += 1) call();
    const refused = await Promise.race(replies);
    assertProblem(refused, 'RATE_LIMITED');
    assert.equal(refused.headers.get('retry-after'), '1');
    assertStatus(await other.get('/v1/slow-things'), 200);
    slowly.open();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 506);
  });
});
