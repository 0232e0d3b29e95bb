import assert from 'node:assert/strict';
import type { Operator } from '../../../src/accounts/operators/schema.ts';
import { buildOperator, suspend, unique } from '../../support/factories.ts';
import { assertProblem, assertStatus, platform } from '../../support/service.ts';

interface Page {
  operators: Operator[];
  next_cursor: string | null;
}

const LIST = '/v1/admin/operators';
const list = async (query: string): Promise<Page> => assertStatus(await platform().get<Page>(`${LIST}?${query}`), 200);
const idsOf = ({ operators }: Page): string[] => operators.map(({ id }) => id);

describe(`GET ${LIST}`, () => {
  it('requires authentication, and the platform', async () => {
    assertProblem(await (await buildOperator()).get(LIST), 'ADMIN_REQUIRED');
  });

  it('finds operators by the beginning of their name, page by page, the newest first', async () => {
    const begin = unique('Ünder_%');
    const made = [];
    for (const end of ['a', 'b', 'c'])
      made.unshift((await buildOperator({ name: `${begin}${end}`, email: `${unique('x')}@example.test` })).operatorId);
    const query = `name=${encodeURIComponent(begin.toUpperCase())}`;
    assert.deepEqual(idsOf(await list(query)), made);
    const first = await list(`${query}&limit=2`);
    assert(first.next_cursor !== null);
    const second = await list(`${query}&limit=2&cursor=${encodeURIComponent(first.next_cursor)}`);
    assert.deepEqual([idsOf(first), idsOf(second), second.next_cursor], [made.slice(0, 2), made.slice(2), null]);
    assert.deepEqual(idsOf(await list(`name=${encodeURIComponent(begin.slice(1))}`)), []);
    const other = `limit=2&cursor=${encodeURIComponent(first.next_cursor)}`;
    assertProblem(await platform().get(`${LIST}?${other}`), 'INVALID_CURSOR');
  });

  it('finds them by address without regard to case, and by state', async () => {
    const { operatorId, email } = await buildOperator({ email: `${unique('Ada')}@example.test` });
    const query = `email=${encodeURIComponent(email.toUpperCase())}`;
    assert.deepEqual(idsOf(await list(query)), [operatorId]);
    assert.deepEqual(idsOf(await list(`${query}&status=suspended`)), []);
    await suspend(operatorId);
    assert.deepEqual(idsOf(await list(`${query}&status=suspended`)), [operatorId]);
  });
});

describe(`GET ${LIST}/:id`, () => {
  it('shows an operator as it is shown itself, and is 404 for none', async () => {
    const operator = await buildOperator();
    const own = assertStatus(await operator.get<Operator>('/v1/operators/me'), 200);
    assert.deepEqual(assertStatus(await platform().get(`${LIST}/${operator.operatorId}`), 200), own);
    assertProblem(await platform().get(`${LIST}/op_x`), 'NOT_FOUND');
  });
});
