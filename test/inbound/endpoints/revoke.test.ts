import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { newId, type OperatorId } from '../../../src/ids/ids.ts';
import type { Endpoint } from '../../../src/inbound/endpoints/schema.ts';
import { inboundRoutes } from '../../../src/inbound/routes.ts';
import { insertKey, openShell } from '../../http/support/shell.ts';
import { block } from '../../authority/support.ts';
import { issued } from '../../http/auth/support/belongings.ts';
import { eventually } from '../../support/eventually.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  type TestOperator,
} from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, requester, type Requester } from '../../support/service.ts';
import { auditOf, buildEndpoint, ENDPOINTS, shownEndpoint } from './support.ts';

const Nothing = z.object({});

/** A forward that has begun, by SQL: no call is made. */
async function forwarding(endpoint: Endpoint): Promise<string> {
  const pool = await database();
  const [event, forward] = [newId('inw'), newId('inw')];
  await pool.query(sql.type(Nothing)`
    insert into inbound_events (id, endpoint_id, operator_id, agent_id, provider, key_hash, key_from, body_hash, scheme, body_authenticated,
        size, status, ended_at)
      values (${event}, ${endpoint.id}, ${endpoint.operator_id}, ${endpoint.agent_id}, 'generic', sha256(${event}::bytea), 'body',
        sha256(${event}::bytea), 'hex', true, 2, 'recorded', now())`);
  await pool.query(sql.type(Nothing)`
    insert into inbound_forwards (id, event_id, endpoint_id, operator_id, attempt)
      values (${forward}, ${event}, ${endpoint.id}, ${endpoint.operator_id}, 1)`);
  return forward;
}

const settle = async (forward: string): Promise<void> => {
  const pool = await database();
  await pool.query(sql.type(Nothing)`
    update inbound_forwards set status = 'forwarded', ended_at = clock_timestamp() where id = ${forward}`);
};

const revoke = (by: Requester, id: string) => by.delete<Endpoint>(`${ENDPOINTS}/${id}`);

describe('DELETE /v1/operator/inbound-webhooks/:id', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });

  it('requires authentication', async () => {
    assertProblem(await revoke(anonymous(), 'inw_1'), 'UNAUTHENTICATED');
  });

  it('revokes for good, and once more changes nothing', async () => {
    const { id, secret: _secret, ...made } = await buildEndpoint(operator);
    const first = assertStatus(await revoke(operator, id), 200);
    assert(first.revoked_at !== null);
    assert.deepEqual(first, { id, ...made, status: 'revoked', revoked_at: first.revoked_at });
    assert.deepEqual(assertStatus(await revoke(operator, id), 200), first);
    assert.deepEqual(await shownEndpoint(operator, id), first);
    assert.deepEqual(
      (await auditOf(id)).map(({ action }) => action),
      ['inbound_endpoint.created', 'inbound_endpoint.revoked'],
    );
  });

  it('is open to members, and to the agent and its passports, since it only takes access away', async () => {
    const { agent_id: agent } = await buildEndpoint(operator);
    const { token, jti } = await issued(operator, agent);
    const callers: [Requester, string, unknown][] = [
      [await buildAgentKey(operator, agent), agent, {}],
      [await buildMemberKey(operator), '', {}],
      [requester(token), agent, { passport: jti }],
    ];
    for (const [by, actor, detail] of callers) {
      const { id } = await buildEndpoint(operator, { agent_id: agent });
      assert.equal(assertStatus(await revoke(by, id), 200).status, 'revoked');
      const [, event] = await auditOf(id);
      assert.deepEqual(event?.detail, detail);
      if (actor !== '') assert.equal(event?.actor, actor);
    }
  });

  it('is not open to a passport that does not verify', async () => {
    const { id, agent_id: agent } = await buildEndpoint(operator);
    const { token, jti } = await issued(operator, agent);
    assertStatus(await operator.post('/v1/passports/revoke', { jti }), 200);
    assertProblem(await revoke(requester(token), id), 'UNAUTHENTICATED');
    assert.equal((await shownEndpoint(operator, id)).status, 'active');
  });

  for (const blocked of [false, true]) {
    it(`is ${blocked ? 'open to a blocked agent and its passports, too,' : ''} of their own endpoint alone; another agent’s is 404`, async () => {
      const { id: other } = await buildEndpoint(operator);
      const { agent_id: agent, id: first } = await buildEndpoint(operator);
      const { id: second } = await buildEndpoint(operator, { agent_id: agent });
      const [key, { token }] = [await buildAgentKey(operator, agent), await issued(operator, agent)];
      if (blocked) {
        await block(agent);
        const refused = () => key.post('/v1/skills', {});
        await eventually('the block to be seen', async () => (await refused()).body.code === 'AGENT_BLOCKED');
      }
      for (const [by, own] of [
        [key, first],
        [requester(token), second],
      ] as const) {
        assertProblem(await revoke(by, other), 'NOT_FOUND');
        assert.equal(assertStatus(await revoke(by, own), 200).status, 'revoked');
      }
      assert.equal((await shownEndpoint(operator, other)).status, 'active');
    });
  }

  it('is 404 for one of another operator, no matter who asks', async () => {
    const { id } = await buildEndpoint(await buildOperator());
    const { id: agent } = await buildAgent(operator);
    const { token } = await issued(operator, agent);
    for (const by of [operator, await buildAgentKey(operator, agent), requester(token)])
      assertProblem(await revoke(by, id), 'NOT_FOUND');
    assertProblem(await revoke(operator, 'inw_none'), 'NOT_FOUND');
  });

  describe('while an event is being forwarded', () => {
    it('answers when that has ended, and not before; the endpoint is revoked immediately', async () => {
      const endpoint = await buildEndpoint(operator);
      const forward = await forwarding(endpoint);
      let answered = false;
      const answer = revoke(operator, endpoint.id).finally(() => (answered = true));
      await eventually('the revocation', async () => (await shownEndpoint(operator, endpoint.id)).status === 'revoked');
      assert.equal(answered, false);
      await settle(forward);
      assert.equal(assertStatus(await answer, 200).status, 'revoked');
    });

    it('waits again when it is repeated', async () => {
      const endpoint = await buildEndpoint(operator);
      const forward = await forwarding(endpoint);
      const first = revoke(operator, endpoint.id);
      await eventually('the revocation', async () => (await shownEndpoint(operator, endpoint.id)).status === 'revoked');
      const second = revoke(operator, endpoint.id);
      const early = await Promise.race([second, shownEndpoint(operator, endpoint.id).then(() => 'waits')]);
      assert.equal(early, 'waits');
      await settle(forward);
      assert.deepEqual(assertStatus(await second, 200), assertStatus(await first, 200));
    });

    it('is 503 in a process that cannot wait, and the endpoint is revoked', async () => {
      const endpoint = await buildEndpoint(operator);
      const forward = await forwarding(endpoint);
      const shell = await openShell({ routes: inboundRoutes });
      try {
        shell.context.rowEvents.endWaits(); // as before a stop
        const { secret } = await insertKey(shell.context, { operatorId: operator.operatorId as OperatorId });
        const refused = await revoke(shell.as(secret), endpoint.id);
        assertProblem(refused, 'TEMPORARILY_UNAVAILABLE');
        assert.equal(refused.headers.get('retry-after'), '5');
        assert.equal((await shownEndpoint(operator, endpoint.id)).status, 'revoked');
        await settle(forward);
        assertStatus(await revoke(shell.as(secret), endpoint.id), 200);
      } finally {
        await shell.close();
      }
    });

    it('answers after twelve seconds no matter what becomes of it', async () => {
      const endpoint = await buildEndpoint(operator);
      await forwarding(endpoint);
      const begun = performance.now();
      assert.equal(assertStatus(await revoke(operator, endpoint.id), 200).status, 'revoked');
      const seconds = (performance.now() - begun) / 1_000;
      assert(seconds >= 11.9 && seconds < 20, `it took ${seconds} s`);
    });
  });
});
