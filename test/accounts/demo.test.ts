import assert from 'node:assert/strict';
import pino from 'pino';
import { ensureAgent, ensureApiKey, ensureOperator } from '../../src/accounts/index.ts';
import { newSecret } from '../../src/accounts/secret.ts';
import { completeConfig, readSettings } from '../../src/config.ts';
import type { OperatorId } from '../../src/ids.ts';
import { openContext, type OpenContext } from '../../src/open-context.ts';
import { unique } from '../support/factories.ts';
import { assertStatus, requester, service } from '../support/service.ts';
import { tablesHolding } from './secrets.ts';

describe('the demo operators of a first start', () => {
  let context: OpenContext;

  before(async () => {
    const { databaseUrl, credentials } = service();
    const config = completeConfig(readSettings({}), {
      databaseUrl,
      temporalAddress: credentials.temporal_address,
      platformAdminKey: credentials.admin_api_key,
      encryptionKeys: [Buffer.alloc(32)],
    });
    context = await openContext(config, pino({ enabled: false }), { messagesCommitted() {} });
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
