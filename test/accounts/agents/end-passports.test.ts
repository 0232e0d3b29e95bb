import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { buildAgent, buildOperator, suspend, type TestOperator } from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { anonymous, assertProblem, assertStatus, database, platform, type Reply } from '../../support/service.ts';

interface Issued {
  token: string;
  jti: string;
}
interface AuditEvent {
  action: string;
  detail: { passports_revoked?: number };
}

const issue = (operator: TestOperator, agentId: string): Promise<Reply<Issued>> =>
  operator.post<Issued>('/v1/passports/issue', { agent_id: agentId });

const reasonOf = async ({ token }: Issued): Promise<unknown> =>
  assertStatus(await anonymous().post('/v1/passports/verify', { token }), 200).reason;

/**
 * Starts `ending` while another transaction holds the lock on the operator's passports.
 * @returns its answer, after it was seen to wait without holding a lock on its own row (rule 12).
 */
async function waitsWithoutHolding<Body>(
  operatorId: string,
  row: { table: 'agents' | 'operators'; id: string },
  ending: () => Promise<Reply<Body>>,
): Promise<Reply<Body>> {
  const pool = await database();
  const under = await pool.transaction(async (connection) => {
    await connection.query(sql.type(z.object({}))`select lock_passports_exclusively(${operatorId})`);
    const pending = ending();
    await eventually('the other command to wait for the lock', () =>
      connection.oneFirst(sql.type(z.object({ waits: z.boolean() }))`
        select exists (
          select from pg_locks mine join pg_locks theirs using (locktype, classid, objid, objsubid)
          where mine.locktype = 'advisory' and mine.pid = pg_backend_pid() and not theirs.granted) as waits`),
    );
    await connection.query(sql.type(z.object({}))`
      select from ${sql.identifier([row.table])} where id = ${row.id} for update nowait`);
    return { pending };
  });
  return under.pending;
}

describe('PATCH /v1/agents/:id with status disabled', () => {
  it("revokes the agent's passports and what was delegated from them, and no others", async () => {
    const operator = await buildOperator();
    const [agent, child, other] = [await buildAgent(operator), await buildAgent(operator), await buildAgent(operator)];
    const own = assertStatus(await issue(operator, agent.id), 201);
    const spared = assertStatus(await issue(operator, other.id), 201);
    const delegated = assertStatus(
      await operator.post<Issued>('/v1/passports/delegate', {
        parent_passport_token: own.token,
        child_agent_id: child.id,
        scopes: [],
      }),
      201,
    );
    assert.deepEqual(await Promise.all([own, delegated, spared].map(reasonOf)), [undefined, undefined, undefined]);
    assertStatus(await operator.patch(`/v1/agents/${agent.id}`, { status: 'disabled' }), 200);
    assert.equal(await reasonOf(own), 'revoked');
    assert.match(String(await reasonOf(delegated)), /revoked$/);
    assert.equal(await reasonOf(spared), undefined);
    assert.notEqual((await issue(operator, agent.id)).status, 201);
    const { audit_events: events } = assertStatus(
      await operator.get<{ audit_events: AuditEvent[] }>('/v1/audit-events'),
      200,
    );
    assert.equal(events.find(({ action }) => action === 'agent.updated')?.detail.passports_revoked, 2);
  });

  it('leaves no active passport, even of those that are issued at the same time', async () => {
    const operator = await buildOperator();
    const { id } = await buildAgent(operator);
    const issuing = Array.from({ length: 12 }, () => issue(operator, id));
    const disabling = operator.patch(`/v1/agents/${id}`, { status: 'disabled' });
    const issued = (await Promise.all(issuing)).filter(({ status }) => status === 201);
    assertStatus(await disabling, 200);
    for (const { body } of issued) assert.equal(await reasonOf(body), 'revoked');
    assert.deepEqual(assertStatus(await operator.get<unknown[]>('/v1/passports/active'), 200), []);
  });

  it('waits for other revocations before it locks the agent, so that none waits for it', async () => {
    const operator = await buildOperator();
    const { id } = await buildAgent(operator);
    const reply = await waitsWithoutHolding(operator.operatorId, { table: 'agents', id }, () =>
      operator.patch(`/v1/agents/${id}`, { status: 'disabled' }),
    );
    assert.equal(assertStatus(reply, 200).status, 'disabled');
  });

  it('revokes nothing where it is refused', async () => {
    const operator = await buildOperator();
    const { id } = await buildAgent(operator);
    const passport = assertStatus(await issue(operator, id), 201);
    assertProblem(await (await buildOperator()).patch(`/v1/agents/${id}`, { status: 'disabled' }), 'NOT_FOUND');
    assert.equal(await reasonOf(passport), undefined);
  });
});

describe('PATCH /v1/admin/operators/:id with status suspended', () => {
  it('revokes every passport of the operator, none of another', async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    const passports = [];
    for (let count = 0; count < 2; count += 1) {
      passports.push(assertStatus(await issue(operator, (await buildAgent(operator)).id), 201));
    }
    const spared = assertStatus(await issue(other, (await buildAgent(other)).id), 201);
    await suspend(operator.operatorId);
    assert.deepEqual(await Promise.all(passports.map(reasonOf)), ['revoked', 'revoked']);
    assert.equal(await reasonOf(spared), undefined);
    assertStatus(await platform().patch(`/v1/admin/operators/${operator.operatorId}`, { status: 'active' }), 200);
    assert.deepEqual(await Promise.all(passports.map(reasonOf)), ['revoked', 'revoked'], 'they stay revoked');
  });

  it('waits for other revocations before it locks the operator', async () => {
    const { operatorId: id } = await buildOperator();
    const reply = await waitsWithoutHolding(id, { table: 'operators', id }, () =>
      platform().patch(`/v1/admin/operators/${id}`, { status: 'suspended' }),
    );
    assert.equal(assertStatus(reply, 200).status, 'suspended');
  });
});
