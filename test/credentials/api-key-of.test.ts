import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createEncryption } from '../../src/context/encryption.ts';
import { apiKeyOf, encryptCredentialsAgain } from '../../src/credentials/index.ts';
import { credentialEncryptionContext } from '../../src/credentials/encryption.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { newWallet, run } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';

describe('The key of an operator for a provider', () => {
  let own: OwnContext;
  let pool: DatabasePool;
  let operatorId: OperatorId;
  const [lost, old, current] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  before(async () => {
    own = await ownContext();
    pool = own.context.pool;
  });
  beforeEach(async () => {
    operatorId = (await newWallet(pool)) as OperatorId;
  });
  after(() => own.close());

  const insert = async (provider: string, key: Buffer, of = operatorId): Promise<string> => {
    const sealed = createEncryption([key]).encrypt(
      `sk-of-${provider}`,
      credentialEncryptionContext({ operatorId, provider }),
    );
    await run(
      pool,
      sql.fragment`
      insert into model_credentials (operator_id, provider, secret, last_four) values (${of}, ${provider}, ${sealed}, '1111')`,
    );
    return sealed;
  };
  const usedAt = (provider: string) =>
    pool.oneFirst(sql.type(z.object({ at: z.string().nullable() }))`
      select last_used_at as at from model_credentials where operator_id = ${operatorId} and provider = ${provider}`);
  const keyOf = (provider: string, keys = [current]) =>
    apiKeyOf({ ...own.context, encryption: createEncryption(keys) }, { operatorId, provider });

  it('is opened for a call, and its use is noted once a minute', async () => {
    await insert('openai', current);
    assert.equal(await usedAt('openai'), null);
    assert.equal(await keyOf('openai'), 'sk-of-openai');
    const first = await usedAt('openai');
    assert(first !== null);
    assert.equal(await keyOf('openai'), 'sk-of-openai');
    assert.equal(await usedAt('openai'), first, 'within the minute');
    await run(pool, sql.fragment`update model_credentials set last_used_at = last_used_at - interval '61 seconds'`);
    assert.equal(await keyOf('openai'), 'sk-of-openai');
    assert(((await usedAt('openai')) ?? '') > first);
  });

  it('is none where there is none, of another operator, or no key of ENCRYPTION_KEY opens it, and then no use is noted', async () => {
    assert.equal(await keyOf('openai'), null);
    await insert('claude', lost);
    assert.equal(await keyOf('claude'), null);
    assert.equal(await usedAt('claude'), null);
  });

  it('does not open as that of somebody else, whose row it was copied into', async () => {
    const thief = (await newWallet(pool)) as OperatorId;
    await insert('openai', current, thief);
    const encryption = createEncryption([current]);
    assert.equal(await apiKeyOf({ ...own.context, encryption }, { operatorId: thief, provider: 'openai' }), null);
  });

  it('is sealed again under the first key, so that the one before it can leave ENCRYPTION_KEY; what no key opens stays', async () => {
    const before = new Map<string, string>();
    for (const [provider, key] of [
      ['a', old],
      ['b', current],
      ['c', lost],
    ] as const)
      before.set(provider, await insert(provider, key));
    await encryptCredentialsAgain({ ...own.context, encryption: createEncryption([current, old]) });
    assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((provider) => keyOf(provider))), [
      'sk-of-a',
      'sk-of-b',
      null,
    ]);
    const rows = await pool.any(sql.type(z.object({ provider: z.string(), secret: z.string() }))`
      select provider, secret from model_credentials where operator_id = ${operatorId} order by provider`);
    assert.deepEqual(
      rows.map(({ provider, secret }) => before.get(provider) === secret),
      [false, true, true],
    );
  });
});
