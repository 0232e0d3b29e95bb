import assert from 'node:assert/strict';
import { z } from 'zod';
import { governedActs } from '../../src/commands/governed-acts.ts';
import { sql } from '../../src/database/pool.ts';
import { invocationRoutes } from '../../src/invocations/routes.ts';
import { InvocationStatusSchema } from '../../src/invocations/schema.ts';
import { taskStatuses } from '../../src/mcp/task.ts';
import { hold, issue, openHolder } from '../passports/holders.ts';
import { buildOperator, buildSkill, credit, unique, type TestOperator } from '../support/factories.ts';
import { assertStatus, database, service } from '../support/service.ts';
import { sendModern, sendRaw } from './support/clients.ts';

describe('The Tasks extension of POST /mcp', () => {
  let provider: TestOperator;
  let consumer: TestOperator;
  let skillId: string;
  before(async () => {
    provider = await buildOperator();
    consumer = await buildOperator({ cents: 100 });
    skillId = (await buildSkill(provider, { price_per_invocation: 5 })).id;
  });

  const order = (given: object = {}) => ({
    name: 'invoke_skill',
    arguments: { skill_id: skillId, input: { text: 'hello' }, idempotency_key: unique('key'), ...given },
  });
  const ordered = async (): Promise<string> => {
    const { body } = await sendModern(consumer.key, { method: 'tools/call', params: order() });
    assert.equal(body.result?.['resultType'], 'task', JSON.stringify(body));
    return String(body.result['taskId']);
  };
  const taskOf = async (method: string, taskId: string, key = consumer.key) =>
    (await sendModern(key, { method, params: { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) } }))
      .body;
  const provide = async (id: string, act: 'complete' | 'fail', body: object): Promise<void> => {
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/${act}`, body), 200);
  };

  it('has a status for each of an invocation', () => {
    assert.deepEqual(Object.keys(taskStatuses), InvocationStatusSchema.options);
  });

  it('is announced by server/discover', async () => {
    const { body } = await sendModern(consumer.key, { method: 'server/discover' });
    assert.deepEqual(body.result?.['capabilities'], {
      tools: { listChanged: false },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    });
  });

  it('answers an order with a task of the id of the invocation, whose result is that of the tool', async () => {
    const taskId = await ordered();
    const working = await taskOf('tasks/get', taskId);
    const { _meta: _server, ...task } = working.result ?? {};
    assert.deepEqual(
      { ...task, createdAt: 'T', lastUpdatedAt: 'T' },
      {
        resultType: 'complete',
        taskId,
        status: 'working',
        statusMessage: 'Status of the invocation: pending.',
        createdAt: 'T',
        lastUpdatedAt: 'T',
        ttlMs: null,
        pollIntervalMs: 2_000,
      },
    );
    await provide(taskId, 'complete', { output: { text: 'HELLO' } });
    const { result } = await taskOf('tasks/get', taskId);
    assert.equal(result?.['status'], 'completed');
    const call = result['result'] as { content: { text: string }[]; _meta: Record<string, unknown> };
    assert.deepEqual(JSON.parse(call.content[1]?.text ?? ''), { text: 'HELLO' });
    assert.equal(call['_meta']['carnet/cost_cents'], 5);
  });

  it('is the end itself where the order waits for it, and no task for who takes none', async () => {
    const key = unique('key');
    const { body } = await sendModern(consumer.key, { method: 'tools/call', params: order({ idempotency_key: key }) });
    const taskId = String(body.result?.['taskId']);
    const again = order({ idempotency_key: key, wait_seconds: 50 });
    const [waited] = await Promise.all([
      sendModern(consumer.key, { method: 'tools/call', params: again }),
      provide(taskId, 'complete', { output: { text: 'HELLO' } }),
    ]);
    assert.equal(waited.body.result?.['resultType'], 'complete');
    const params = order({ wait_seconds: 0 });
    const without = await sendModern(consumer.key, { method: 'tools/call', params, capabilities: {} });
    assert.equal(without.body.result?.['resultType'], 'complete');
    const legacy = await sendRaw({ key: consumer.key, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } });
    assert.deepEqual(Object.keys(legacy.body.result ?? {}).includes('taskId'), false);
  });

  it('is completed with an error where the work failed', async () => {
    const taskId = await ordered();
    await provide(taskId, 'fail', { error: { code: 'NO_IDEA', message: 'It cannot be done.' } });
    const { result } = await taskOf('tasks/get', taskId);
    assert.equal(result?.['status'], 'completed');
    assert.match(JSON.stringify(result['result']), /"isError":true/);
  });

  it('is cancelled as the invocation is, and goes on where that has begun', async () => {
    const taskId = await ordered();
    assert.equal((await taskOf('tasks/cancel', taskId)).error, undefined);
    assert.equal((await taskOf('tasks/get', taskId)).result?.['status'], 'cancelled');
    assert.equal((await taskOf('tasks/cancel', taskId)).error, undefined);

    const begun = await ordered();
    assertStatus(await provider.post(`/v1/skills/invocations/${begun}/claim`), 200);
    assert.equal((await taskOf('tasks/cancel', begun)).error, undefined);
    assert.equal((await taskOf('tasks/get', begun)).result?.['status'], 'working');
    assert.equal((await taskOf('tasks/update', begun)).error, undefined);
  });

  it('never needs input: an order that a person must decide about first is refused, and is a task after that', async () => {
    for (const { call } of Object.values(governedActs))
      assert.doesNotMatch(
        call,
        /\/v1\/skills\/(?:[^/]+\/invoke|invocations)/,
        'map what waits for it to input_required',
      );
    for (const { operation, refusals = [] } of invocationRoutes)
      assert(!refusals.includes('GOVERNANCE_APPROVAL_REQUIRED'), operation);

    const holder = await openHolder();
    await credit(holder.as.operatorId, 100);
    const pool = await database();
    const change = (statement: ReturnType<typeof sql.fragment>) => pool.query(sql.type(z.object({}))`${statement}`);
    await change(sql.fragment`update operators set passports_may_invoke = true where id = ${holder.as.operatorId}`);
    const { token } = await issue(holder, { budget: { amount_cents: 50 }, audience: [service().baseUrl] });
    await hold(holder);
    const params = order();
    const { body: refused } = await sendModern(token, { method: 'tools/call', params });
    const meta = refused.result?.['_meta'] as Record<string, unknown>;
    assert.deepEqual([refused.result?.['resultType'], meta['carnet/next']], ['complete', 'person']);
    assert.equal((meta['carnet/problem'] as { code: string }).code, 'AGENT_REVIEW_PENDING');
    const mine = await holder.as.get<{ invocations: object[] }>('/v1/skills/invocations/mine');
    assert.deepEqual(mine.body.invocations, []);
    await change(sql.fragment`
      update checkouts set review_status = 'approved', decided_at = clock_timestamp() where agent_id = ${holder.agentId}`);
    const { body: approved } = await sendModern(token, { method: 'tools/call', params });
    assert.equal(approved.result?.['resultType'], 'task', JSON.stringify(approved));
  });

  it('knows no task of another operator, nor the provider that of its consumer', async () => {
    const taskId = await ordered();
    const other = await buildOperator();
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      for (const [key, id] of [
        [other.key, taskId],
        [provider.key, taskId],
        [consumer.key, 'inv_01ZZZZZZZZZZZZZZZZZZZZZZZZ'],
        [consumer.key, '__proto__'],
        [consumer.key, '../../skills/mine'],
      ] as const) {
        const { error } = await taskOf(method, id, key);
        assert.deepEqual(
          [error?.code, error?.message],
          [-32_602, 'There is no such task, or this credential may not see it.'],
          `${method} ${id}`,
        );
      }
    assert.equal((await taskOf('tasks/get', taskId)).result?.['status'], 'working');
  });
});
