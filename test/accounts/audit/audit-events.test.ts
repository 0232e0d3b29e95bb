import assert from 'node:assert/strict';
import { z } from 'zod';
import type { AuditEvent } from '../../../src/accounts/audit/schema.ts';
import type { CreatedApiKey } from '../../../src/accounts/api-keys/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { buildAgent, buildOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, database, platform, type Requester } from '../../support/service.ts';

interface Page {
  audit_events: AuditEvent[];
  next_cursor: string | null;
  has_more: boolean;
}

const eventsOf = async (requester: Requester, query = ''): Promise<Page> =>
  assertStatus(await requester.get<Page>(`/v1/audit-events${query}`), 200);

describe('GET /v1/audit-events', () => {
  it('lists every change, newest first: who, what, to what, in which request; never a secret', async () => {
    const operator = await buildOperator();
    const agent = await buildAgent(operator);
    assertStatus(
      await operator.patch(`/v1/agents/${agent.id}`, { name: 'renamed' }, { 'x-request-id': 'renaming' }),
      200,
    );
    const key = assertStatus(
      await operator.post<CreatedApiKey>('/v1/api-keys', { name: 'k', kind: 'agent', agent_id: agent.id }),
      201,
    );
    assertStatus(await operator.delete(`/v1/api-keys/${key.id}`), 200);
    assertStatus(await operator.patch('/v1/operators/me', { email: 'changed@example.test' }), 200);
    const { audit_events: events } = await eventsOf(operator);
    assert.deepEqual(
      events.map(({ action, target }) => [action, target]),
      [
        ['operator.updated', operator.operatorId],
        ['api_key.deleted', key.id],
        ['api_key.created', key.id],
        ['agent.updated', agent.id],
        ['agent.created', agent.id],
      ],
    );
    assert(events.every(({ actor }) => /^key_[0-9A-Z]{26}$/.test(actor)));
    assert.equal(events[3]?.request_id, 'renaming');
    assert.deepEqual(events[3]?.detail, { name: 'renamed' });
    assert(!JSON.stringify(events).includes(key.key));
  });

  it('has no event for what was refused or only repeated', async () => {
    const operator = await buildOperator();
    const headers = { 'idempotency-key': 'the-same' };
    for (let time = 0; time < 2; time += 1)
      assertStatus(await operator.post('/v1/agents', { name: 'once' }, headers), 201);
    assertProblem(await operator.patch('/v1/agents/ag_unknown', { name: 'x' }), 'NOT_FOUND');
    assert.deepEqual(
      (await eventsOf(operator)).audit_events.map(({ action }) => action),
      ['agent.created'],
    );
  });

  it('is read page by page, with cursors that no other operator can use or change', async () => {
    const operator = await buildOperator();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.unshift((await buildAgent(operator)).id);
    const read: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await eventsOf(
        operator,
        cursor === '' ? '?limit=2' : `?limit=2&cursor=${encodeURIComponent(cursor)}`,
      );
      read.push(...page.audit_events.map(({ target }) => target));
      assert.equal(page.has_more, page.next_cursor !== null);
      cursor = page.next_cursor;
    }
    assert.deepEqual(read, made);
    const { next_cursor: next } = await eventsOf(operator, '?limit=2');
    assert(next !== null);
    const other = await buildOperator();
    assertProblem(await other.get(`/v1/audit-events?cursor=${encodeURIComponent(next)}`), 'INVALID_CURSOR');
    assertProblem(await operator.get(`/v1/audit-events?cursor=x${encodeURIComponent(next)}`), 'INVALID_CURSOR');
  });

  it("keeps what the platform did in the platform's own trail", async () => {
    const operator = await buildOperator({ tier: 'pro' });
    assert.deepEqual((await eventsOf(operator)).audit_events, []);
    const { audit_events: events } = await eventsOf(platform(), '?limit=200');
    const about = events.filter(({ target }) => target === operator.operatorId).map(({ action }) => action);
    assert.deepEqual(about, ['operator.administered', 'operator.registered']);
  });

  it('refuses a limit above 200', async () => {
    assertProblem(await (await buildOperator()).get('/v1/audit-events?limit=201'), 'VALIDATION_ERROR', 'query.limit');
  });

  it('fits filters, and looks through 5,000 events a page', async () => {
    const operator = await buildOperator();
    const agent = await buildAgent(operator);
    const pool = await database();
    await pool.query(sql.type(z.object({}))`
      insert into audit_events (operator_id, actor, action, target)
      select ${operator.operatorId}, 'key_other', 'other.done', 'x' from generate_series(1, 5000)`);
    const query = `?target=${agent.id}&action=agent.`;
    const first = await eventsOf(operator, query);
    assert.deepEqual([first.audit_events, first.has_more], [[], true]);
    const second = await eventsOf(operator, `${query}&cursor=${encodeURIComponent(first.next_cursor ?? '')}`);
    assert.deepEqual(
      second.audit_events.map(({ action, target }) => [action, target]),
      [['agent.created', agent.id]],
    );
    assert.equal(second.has_more, false);
    const others = await eventsOf(operator, '?actor=key_other&limit=200');
    assert.deepEqual([others.audit_events.length, others.has_more], [200, true]);
    assert.equal((await eventsOf(operator, '?action=agent.updated')).audit_events.length, 0);
  });
});
