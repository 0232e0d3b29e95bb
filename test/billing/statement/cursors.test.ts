import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createEncryption } from '../../../src/context/encryption.ts';
import { buildOperator, credit, type TestOperator } from '../../support/factories.ts';
import { assertProblem, database } from '../../support/service.ts';
import { address, call, pagesOf, statementOf, timelineOf } from './statements.ts';

const views = [
  ['statement', {}],
  ['timeline', { view: 'timeline' }],
] as const;

describe('a cursor of the statement', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator({ cents: 10 });
    for (const cents of [20, 30]) await credit(operator.operatorId, cents);
    await call(await database(), operator.operatorId, { price: { state: 'included', costMicrocents: 1 } });
  });

  const cursorOf = async (query: Record<string, string>): Promise<string> => {
    const reply = await operator.get(address({ limit: 1, ...query }));
    assert.equal(typeof reply.body.next_cursor, 'string');
    return String(reply.body.next_cursor);
  };
  const refused = async (query: Record<string, string>, reader = operator): Promise<void> =>
    assertProblem(await reader.get(address(query)), 'INVALID_CURSOR', 'query.cursor');

  for (const [name, view] of views) {
    describe(`of the ${name} view`, () => {
      it('is refused where it is empty', () => refused({ ...view, cursor: '' }));

      it('is refused for another operator, which sees none of the rows', async () => {
        await refused({ ...view, cursor: await cursorOf(view) }, await buildOperator({ cents: 1 }));
      });

      for (const moved of [
        { type: 'topup' },
        { direction: 'in' },
        { since: '2026-01-01T00:00:00Z' },
        { until: '2036-01-01T00:00:00Z' },
      ] as Record<string, string>[]) {
        it(`is refused with ${JSON.stringify(moved)}, which it was not made with`, async () => {
          await refused({ ...view, ...moved, cursor: await cursorOf(view) });
        });
        it(`made with ${JSON.stringify(moved)} is refused without it, or with another value`, async () => {
          const under = { ...moved, ...('type' in moved ? { type: 'adjustment' } : {}) };
          const cursor = await cursorOf({ ...view, ...under });
          await refused({ ...view, cursor });
          const other = {
            type: 'topup',
            direction: 'out',
            since: '2026-01-01T00:00:01Z',
            until: '2036-01-01T00:00:01Z',
          };
          const filter = Object.keys(moved)[0] as keyof typeof other;
          await refused({ ...view, [filter]: other[filter], cursor });
        });
      }

      it('is refused with any of its bytes changed', async () => {
        const cursor = await cursorOf(view);
        await fc.assert(
          fc.asyncProperty(
            fc.nat(cursor.length - 1),
            fc.constantFrom('A', 'B', 'a', 'b', '0', '1', '-', '_', '.', '=', '!', '~'),
            async (at, letter) => {
              fc.pre(cursor[at] !== letter);
              await refused({ ...view, cursor: cursor.slice(0, at) + letter + cursor.slice(at + 1) });
            },
          ),
          { numRuns: 60 },
        );
      });

      it('is refused cut short or lengthened', async () => {
        const cursor = await cursorOf(view);
        for (const changed of [
          cursor.slice(1),
          cursor.slice(0, -1),
          `${cursor}A`,
          cursor.replace('.', ''),
          `${cursor}.A`,
        ]) {
          await refused({ ...view, cursor: changed });
        }
      });

      it('is refused when another service has signed it', async () => {
        const [text = ''] = (await cursorOf(view)).split('.');
        await refused({ ...view, cursor: `${text}.${createEncryption([Buffer.alloc(32, 7)]).mac(text, 'cursor')}` });
      });

      it('keeps its place when the limit changes', async () => {
        const cursor = await cursorOf(view);
        const reply = await operator.get(address({ ...view, limit: 200, cursor }));
        assert.equal(reply.status, 200);
        assert.equal(reply.body.has_more, false);
      });
    });
  }

  it('of one view is refused by the other', async () => {
    await refused({ view: 'timeline', cursor: await cursorOf({}) });
    await refused({ cursor: await cursorOf({ view: 'timeline' }) });
  });

  it('of the timeline is refused with another entry_kind; without the timeline entry_kind is ignored', async () => {
    await refused({ view: 'timeline', entry_kind: 'wallet', cursor: await cursorOf({ view: 'timeline' }) });
    const cursor = await cursorOf({ entry_kind: 'llm' });
    assert.equal((await statementOf(operator, { cursor, entry_kind: 'wallet' })).transactions.length, 2);
  });

  it('leads to later pages of the same snapshot, no matter what happens in between', async () => {
    const reader = await buildOperator({ cents: 1 });
    const db = await database();
    for (const cents of [2, 3, 4]) await credit(reader.operatorId, cents);
    const included = () => call(db, reader.operatorId, { price: { state: 'included', costMicrocents: 1 } });
    const first = await included();
    const seen: number[] = [];
    for await (const page of pagesOf((query) => statementOf(reader, query), { limit: 1 })) {
      seen.push(...page.transactions.map(({ amount_cents }) => amount_cents));
      assert.equal(page.total, 4);
      await credit(reader.operatorId, 99);
    }
    assert.deepEqual(seen, [4, 3, 2, 1]);
    const calls: string[] = [];
    const moments = new Set<string>();
    for await (const page of pagesOf((query) => timelineOf(reader, query), { limit: 1, entry_kind: 'llm' })) {
      calls.push(...page.rows.map((row) => (row.kind === 'llm_call' ? row.call.id : '')));
      moments.add(page.snapshot_at);
      await included();
    }
    assert.deepEqual(calls, [first]);
    assert.equal(moments.size, 1);
  });
});
