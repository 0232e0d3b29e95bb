import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { agentRoutes } from '../../src/accounts/agents/routes.ts';
import { sql } from '../../src/database/pool.ts';
import { eventually } from '../support/eventually.ts';
import { assertProblem, assertStatus, database, service } from '../support/service.ts';
import { insertAgent, insertKey, newAdmin, openShell, type Shell } from './support/shell.ts';

describe('the line of a request', () => {
  let shell: Shell;
  before(async () => {
    shell = await openShell({ routes: agentRoutes, settings: { TRUST_PROXY_HOPS: '1' } });
  });
  after(() => shell.close());

  const lineOf = (requestId: string | null): Record<string, unknown> => {
    const lines = shell.logged().filter((line) => line['requestId'] === requestId && line['msg'] === 'request');
    assert.equal(lines.length, 1, JSON.stringify(lines));
    return lines[0] ?? {};
  };

  it('names code, credential, operator, agent, resource and address', async () => {
    const admin = await newAdmin(shell);
    const agentId = await insertAgent(shell.context, admin.operatorId);
    const { id: keyId, secret } = await insertKey(shell.context, { operatorId: admin.operatorId, agentId });
    const refused = await shell
      .as(secret)
      .patch(`/v1/agents/${agentId}`, { name: 'x' }, { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' });
    assert.equal(refused.status, 403);
    const line = lineOf(refused.headers.get('x-request-id'));
    assert.deepEqual(
      [line['code'], line['credentialId'], line['operatorId'], line['agentId'], line['resource'], line['address']],
      [refused.body['code'], keyId, admin.operatorId, agentId, { id: agentId }, '198.51.100.7'],
    );
  });

  it('has no code where nothing was refused, and of a path nothing but ids', async () => {
    const admin = await newAdmin(shell);
    const agentId = await insertAgent(shell.context, admin.operatorId);
    const read = await admin.get(`/v1/agents/${agentId}`);
    assertStatus(read, 200);
    const line = lineOf(read.headers.get('x-request-id'));
    assert.deepEqual([line['credentialId'], 'code' in line, 'agentId' in line], [admin.keyId, false, false]);
    const mistaken = await admin.get(`/v1/agents/${admin.key}`);
    assertProblem(mistaken, 'NOT_FOUND');
    assert(!JSON.stringify(lineOf(mistaken.headers.get('x-request-id'))).includes(admin.key?.slice(9) ?? ''));
  });

  it('is written for no probe', async () => {
    for (const path of ['/livez', '/readyz', '/healthz', '/metrics']) await shell.anonymous.get(path);
    const operations = new Set(shell.logged().map((line) => line['operation']));
    for (const probe of ['livez', 'readyz', 'healthz', 'metrics']) assert(!operations.has(probe), probe);
  });
});

describe('Postgres’ log', () => {
  it('has no line for a refusal, and one for an error', async () => {
    const pool = await database();
    const [refusal, fault] = [`REFUSED_${randomUUID()}`, `fault ${randomUUID()}`];
    await assert.rejects(pool.query(sql.type(z.object({}))`select refuse(${refusal}, 'for the test')`));
    await assert.rejects(pool.query(sql.type(z.object({}))`select (${fault}::text)::int`));
    const text = (): string => readFileSync(join(service().dataDir, 'logs', 'postgres.log'), 'utf8');
    await eventually('the error to be logged', () => text().includes(fault));
    assert(!text().includes(refusal));
  });
});
