import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { openMarket } from '../support/market.ts';
import { anonymous, assertProblem, assertStatus, database, requester, service } from '../support/service.ts';

describe('GET /v1/admin/invocations/:id', () => {
  const platform = () => requester(service().credentials.admin_api_key);
  const market = () => {
    const { baseUrl, databaseUrl, credentials } = service();
    return openMarket({ baseUrl, databaseUrl, adminKey: credentials.admin_api_key });
  };

  it('shows state, times, ids and money, and nothing that its parties wrote', async () => {
    const { invoke, act, consumerId, skillId, price } = await market();
    const { id } = assertStatus(await invoke({ input: { text: 'words of the consumer' } }), 201);
    assertStatus(await act(id, 'claim'), 200);
    assertStatus(await act(id, 'fail'), 200);
    const shown = await platform().get(`/v1/admin/invocations/${id}`);
    const body = assertStatus(shown, 200);
    assert.deepEqual(
      [body.id, body.skill_id, body.consumer_operator_id, body.status, body.price_cents, body.error_code],
      [id, skillId, consumerId, 'failed', price, 'NO_IDEA'],
    );
    assert.notEqual(body.completed_at, null);
    for (const member of ['input', 'output', 'input_hash', 'output_hash', 'error']) assert(!(member in body), member);
    assert.doesNotMatch(shown.text, /words of the consumer|It cannot be done/);
  });

  it('leaves an audit event at each read', async () => {
    const id = await (await market()).pending();
    for (const count of [1, 2]) {
      assertStatus(await platform().get(`/v1/admin/invocations/${id}`), 200);
      const operators = await (
        await database()
      ).anyFirst(sql.type(z.object({ operator_id: z.string() }))`
        select operator_id from audit_events where target = ${id} and action = 'invocation.overseen'`);
      assert.deepEqual(
        operators,
        Array.from({ length: count }, () => 'op_platform'),
      );
    }
  });

  it('requires authentication by the key of the platform', async () => {
    const at = await market();
    const path = `/v1/admin/invocations/${await at.pending()}`;
    assertProblem(await anonymous().get(path), 'UNAUTHENTICATED');
    assertProblem(await at.consumer.get(path), 'ADMIN_REQUIRED');
    assertProblem(await at.provider.get(path), 'ADMIN_REQUIRED');
  });

  it('is 404 for an invocation that nobody has made', async () => {
    assertProblem(await platform().get('/v1/admin/invocations/inv_01K9ZC4T0M3Q8V6W2X5Y7ZABCD'), 'NOT_FOUND');
  });
});
