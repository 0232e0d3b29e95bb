import assert from 'node:assert/strict';
import pino from 'pino';
import type { Grant } from '../../src/authority/grants/schema.ts';
import { ensureAgent, ensureApiKey, ensureOperator } from '../../src/accounts/index.ts';
import { ensureGrant, ensureServiceConnection } from '../../src/authority/index.ts';
import { newSecret } from '../../src/accounts/api-keys/secret.ts';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { openContext, type OpenContext } from '../../src/process/open-context.ts';
import { unique } from '../support/factories.ts';
import { assertStatus, requester, service } from '../support/service.ts';
import { tablesHolding } from '../accounts/api-keys/secrets.ts';

describe('the demo operators of a first start', () => {
  let context: OpenContext;

  before(async () => {
    const { databaseUrl, credentials } = service();
    const config = completeConfig(readSettings({ LOCAL_PROVIDERS: 'true', PUBLIC_BASE_URL: service().baseUrl }), {
      databaseUrl,
      temporalAddress: credentials.temporal_address,
      platformAdminKey: credentials.admin_api_key,
      encryptionKeys: [Buffer.alloc(32)],
    });
    context = await openContext(config, pino({ enabled: false }), {
      messagesCommitted() {},
      async begin() {},
    });
  });

  after(() => context.close());

  it('are made once, item by item', async () => {
    const name = unique('demo');
    const [email, plaintext] = [`${name}@carnet.invalid`, newSecret()];
    const seed = async (known?: { id: OperatorId }): Promise<[string, string]> => {
      const operatorId = await ensureOperator(context, { id: known?.id, name, email, tier: 'developer' });
      await ensureApiKey(context, { operatorId, plaintext, name });
      return [operatorId, await ensureAgent(context, { operatorId, name })];
    };
    const first = await seed();
    assert.deepEqual(await seed(), first);
    const holder = requester(plaintext);
    const operator = assertStatus(await holder.get('/v1/operators/me'), 200);
    assert.deepEqual([operator.id, operator.email, operator.tier], [first[0], email, 'developer']);
    assert.equal(assertStatus(await holder.get('/v1/api-keys'), 200).total, 1);
    assert.equal(assertStatus(await holder.get('/v1/agents'), 200).total, 1);
    assert.deepEqual(await tablesHolding(plaintext), []);
  });

  it('give the agent a connected service, and leave both as their owner changed them', async () => {
    const name = unique('demo');
    const plaintext = newSecret();
    const operatorId = await ensureOperator(context, { name, email: `${name}@carnet.invalid`, tier: 'free' });
    await ensureApiKey(context, { operatorId, plaintext, name });
    const agentId = await ensureAgent(context, { operatorId, name });
    const seed = async (id?: string): Promise<string> => {
      const demo = { id, operatorId, serviceId: 'github', serviceName: 'github', scopes: ['repo:read', 'repo:write'] };
      const connectionId = await ensureServiceConnection(context, demo);
      await ensureGrant(context, { operatorId, agentId, connectionId });
      return connectionId;
    };
    const connectionId = await seed();
    assert.equal(await seed(), connectionId);
    const holder = requester(plaintext);
    const path = `/v1/agents/${agentId}/grants/${connectionId}`;
    assert.deepEqual(assertStatus(await holder.get<Grant>(path), 200).scopes, ['*']);
    assertStatus(await holder.patch(`/v1/service-connections/${connectionId}`, { service_name: 'mine' }), 200);
    const kept = assertStatus(await holder.put<Grant>(path, { scopes: ['repo:read'] }), 200);
    assert.equal(await seed(connectionId), connectionId);
    assert.deepEqual(assertStatus(await holder.get(path), 200), kept);
    assert.equal(assertStatus(await holder.get('/v1/service-connections'), 200).total, 1);
    assertStatus(await holder.delete(`/v1/service-connections/${connectionId}`), 200);
    assert.notEqual(await seed(connectionId), connectionId);
  });

  it('are what credentials.json names', async () => {
    const { api_key: key, agent_id: agentId, service_connection_id: connectionId } = service().credentials;
    const grant = assertStatus(await requester(key).get<Grant>(`/v1/agents/${agentId}/grants/${connectionId}`), 200);
    assert.deepEqual([grant.service_id, grant.service_name, grant.scopes], ['github', 'github', ['*']]);
  });

  it('are found again by their ids when their owner has renamed them', async () => {
    const name = unique('demo');
    const plaintext = newSecret();
    const operatorId = await ensureOperator(context, { name, email: `${name}@carnet.invalid`, tier: 'free' });
    await ensureApiKey(context, { operatorId, plaintext, name });
    const agentId = await ensureAgent(context, { operatorId, name });
    const holder = requester(plaintext);
    assertStatus(await holder.patch('/v1/operators/me', { email: `moved-${name}@example.test` }), 200);
    assertStatus(await holder.patch(`/v1/agents/${agentId}`, { name: 'renamed' }), 200);
    const again = await ensureOperator(context, {
      id: operatorId,
      name,
      email: `${name}@carnet.invalid`,
      tier: 'free',
    });
    assert.equal(again, operatorId);
    assert.equal(await ensureAgent(context, { id: agentId, operatorId, name }), agentId);
  });
});
