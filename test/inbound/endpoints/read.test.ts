import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { Endpoint } from '../../../src/inbound/endpoints/schema.ts';
import { buildAgent, buildAgentKey, buildMemberKey, buildOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database } from '../../support/service.ts';
import { buildEndpoint, ENDPOINTS, shownEndpoint } from './support.ts';

interface Page {
  inbound_webhooks: Endpoint[];
  total: number;
  limit: number;
  offset: number;
}

describe('GET /v1/operator/inbound-webhooks', () => {
  it('requires authentication', async () => {
    assertProblem(await anonymous().get(ENDPOINTS), 'UNAUTHENTICATED');
    assertProblem(await anonymous().get(`${ENDPOINTS}/inw_1`), 'UNAUTHENTICATED');
  });

  it('lists active and revoked ones of the operator alone, newest first, without secrets', async () => {
    const operator = await buildOperator();
    await buildEndpoint(await buildOperator());
    const made = [await buildEndpoint(operator), await buildEndpoint(operator), await buildEndpoint(operator)];
    assertStatus(await operator.delete(`${ENDPOINTS}/${made[1]?.id}`), 200);
    const reply = await operator.get<Page>(`${ENDPOINTS}?limit=2`);
    const { inbound_webhooks: first, ...rest } = assertStatus(reply, 200);
    assert.deepEqual(rest, { total: 3, limit: 2, offset: 0 });
    const { inbound_webhooks: second } = assertStatus(await operator.get<Page>(`${ENDPOINTS}?limit=2&offset=2`), 200);
    assert.deepEqual(
      [...first, ...second].map(({ id, status }) => [id, status]),
      made.map(({ id }, at) => [id, at === 1 ? 'revoked' : 'active']).toReversed(),
    );
    for (const { secret } of made) assert(!reply.text.includes(secret));
    assert(!reply.text.includes('whsec_'));
  });

  it('shows the counters of one', async () => {
    const operator = await buildOperator();
    const { id } = await buildEndpoint(operator);
    const pool = await database();
    await pool.query(sql.type(z.object({}))`
      update inbound_counters set received = 9, rejected = 8, duplicates = 7, clean = 6, suspicious = 5, malicious = 4, forwarded = 3, blocked = 2,
        forward_failed = 1, marked_harmless = 10, last_event_at = '2026-11-21T12:00:00Z' where endpoint_id = ${id}`);
    assert.deepEqual((await shownEndpoint(operator, id)).counters, {
      received: 9,
      rejected: 8,
      duplicates: 7,
      clean: 6,
      suspicious: 5,
      malicious: 4,
      forwarded: 3,
      blocked: 2,
      forward_failed: 1,
      marked_harmless: 10,
      last_event_at: '2026-11-21T12:00:00.000Z',
    });
  });

  it('is for agents and members too', async () => {
    const operator = await buildOperator();
    const { id, agent_id } = await buildEndpoint(operator);
    const other = await buildAgent(operator);
    for (const key of [
      await buildAgentKey(operator, agent_id),
      await buildAgentKey(operator, other.id),
      await buildMemberKey(operator),
    ]) {
      assert.equal((await shownEndpoint(key, id)).id, id);
      assert.equal(assertStatus(await key.get<Page>(ENDPOINTS), 200).total, 1);
    }
  });

  it('is 404 for one of another operator', async () => {
    const { id } = await buildEndpoint(await buildOperator());
    assertProblem(await (await buildOperator()).get(`${ENDPOINTS}/${id}`), 'NOT_FOUND');
  });
});
