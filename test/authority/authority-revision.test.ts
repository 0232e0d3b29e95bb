import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { buildAgent, buildOperator, suspend } from '../support/factories.ts';
import { assertStatus, database, platform } from '../support/service.ts';
import { buildConnection, inSeconds, made, publicJwk } from './support.ts';

const Nothing = z.object({});

describe('the revision of what passports are signed from', () => {
  const revisionOf = async (operatorId: string): Promise<number> => {
    const pool = await database();
    return pool.oneFirst(sql.type(z.object({ revision: z.number() }))`
      select authority_revision(${operatorId}) as revision`);
  };

  it('changes with everything that changes a passport, and with nothing else', async () => {
    const operator = await buildOperator();
    const { operatorId } = operator;
    assert.equal(await revisionOf(operatorId), 0);

    const changes = async (what: string, expected: boolean, act: () => Promise<{ status: number }>): Promise<void> => {
      const before = await revisionOf(operatorId);
      const { status } = await act();
      assert(status === 200 || status === 201, `${what}: ${status}`);
      assert.equal((await revisionOf(operatorId)) !== before, expected, what);
    };
    let { id: agentId } = { id: '' };
    await changes('a new agent', true, async () => {
      const reply = await operator.post<{ id: string }>('/v1/agents', { name: 'a' });
      agentId = reply.body.id;
      return reply;
    });
    const agent = `/v1/agents/${agentId}`;
    for (const [patch, expected] of [
      [{ name: 'b' }, true],
      [{ name: 'b' }, false],
      [{ monthly_limit_cents: 5 }, false],
      [{ accountability: 'logged' }, true],
      [{ checkpoint_interval_seconds: 90 }, true],
      [{ public_jwk: publicJwk }, true],
      [{ public_jwk: publicJwk }, false],
    ] as const) {
      await changes(JSON.stringify(patch), expected, () => operator.patch(agent, patch));
    }
    const { id: connectionId } = await buildConnection(operator);
    const connection = `/v1/service-connections/${connectionId}`;
    const path = `${agent}/grants/${connectionId}`;
    const granted = { scopes: ['read'], constraints: [{ param: 'p', op: 'lte', value: 5 }], allow_data_from: ['x'] };
    for (const [body, expected] of [
      [granted, true],
      [granted, false],
      [{ ...granted, scopes: ['*'] }, true],
      [{ ...granted, scopes: ['*'], constraints: [] }, true],
      [{ scopes: ['*'] }, true],
    ] as const) {
      await changes(`grant ${JSON.stringify(body)}`, expected, () => operator.put(path, body));
    }
    for (const [patch, expected] of [
      [{ service_id: 's' }, true],
      [{ service_name: 'n' }, true],
      [{ scopes: ['read'] }, true],
      [{ scopes: ['read'] }, false],
      [{ credential_ref: 'r' }, true],
      [{ status: 'disabled' }, true],
    ] as const) {
      await changes(JSON.stringify(patch), expected, () => operator.patch(connection, patch));
    }
    await changes('a connection without grants', false, () =>
      operator.post('/v1/service-connections', { service_id: 'x', service_name: 'x', scopes: [] }),
    );
    await changes('a grant that goes', true, () => operator.delete(path));
    assertStatus(await operator.put(path, { scopes: [] }), 200);
    await changes('a connection that goes with its grant', true, () => operator.delete(connection));

    const named = { provider: 'p', layer: 'l', claim_type: 't', assurance_level: 'L1', agent_id: agentId };
    const attested: { id: string }[] = [];
    await changes('an identity claim', true, async () => {
      const reply = await platform().post<{ id: string }>('/v1/identity-claims', named);
      attested.push(reply.body);
      return reply;
    });
    const claim = `/v1/identity-claims/${attested[0]?.id}`;
    await changes('its revocation', true, () => platform().delete(claim));
    await changes('its revocation again', false, () => platform().delete(claim));

    const mission = await made(operator.post('/v1/missions', { declared_intent: 'x' }));
    await changes('a mission completed', false, () => operator.post(`/v1/missions/${mission.id}/complete`));
    await changes('a mission', false, () => operator.post('/v1/missions', { declared_intent: 'x' }));

    const terms = { agent_id: agentId, receiver_id: 'r', receiver_profile_version_id: 'v', expires_at: inSeconds(60) };
    const binding = await made(operator.post('/v1/authority-bindings', terms));
    const revoke = () => operator.post(`/v1/authority-bindings/${binding.id}/revoke`);
    await changes('a binding revoked', true, revoke);
    await changes('a binding revoked again', false, revoke);
    await changes('a binding', true, () => operator.post('/v1/authority-bindings', terms));

    await changes('an API key', false, () => operator.post('/v1/api-keys', { name: 'k', kind: 'operator' }));
    await changes('the name of the operator', false, () => operator.patch('/v1/operators/me', { name: 'n' }));
    await changes('the tier', false, () => platform().patch(`/v1/admin/operators/${operatorId}`, { tier: 'pro' }));
    await changes('a suspension', true, async () => {
      await suspend(operatorId);
      return { status: 200 };
    });
  });

  it('is counted for each operator', async () => {
    const [operator, other] = await Promise.all([buildOperator(), buildOperator()]);
    await buildAgent(other);
    const before = await revisionOf(other.operatorId);
    await buildAgent(operator);
    assert.equal(await revisionOf(other.operatorId), before);
  });

  it('is never used twice: not even one that was rolled back', async () => {
    const operator = await buildOperator();
    const { id } = await buildAgent(operator);
    const pool = await database();
    const rename = sql.type(Nothing)`update agents set name = name || '!' where id = ${id}`;
    const revision = sql.type(z.object({ revision: z.number() }))`
      select authority_revision(${operator.operatorId}) as revision`;
    const undone: number[] = [];
    await assert.rejects(
      pool.transaction(async (transaction) => {
        await transaction.query(rename);
        undone.push(await transaction.oneFirst(revision));
        throw new Error('undone');
      }),
      /undone/,
    );
    await pool.query(rename);
    assert.notEqual(await pool.oneFirst(revision), undone[0]);
  });
});
