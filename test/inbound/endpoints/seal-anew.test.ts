import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createEncryption } from '../../../src/context/encryption.ts';
import { SealedSecrets } from '../../../src/context/seal-anew.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { openEndpointSecrets, sealEndpointSecret } from '../../../src/inbound/endpoints/secrets.ts';
import { sealEndpointSecretsAnew } from '../../../src/inbound/index.ts';
import { newWebhookSecret } from '../../../src/notifications/index.ts';
import { newWallet, run } from '../../billing/ledger/ledger-world.ts';
import { ownContext } from '../../invocations/own-context.ts';

describe('The secrets of inbound endpoints', () => {
  it('are sealed again under the first key, the ones before the current too, so that a key can leave ENCRYPTION_KEY', async () => {
    const own = await ownContext();
    try {
      const { pool } = own.context;
      const operatorId = await newWallet(pool);
      const agentId = newId('ag');
      await run(pool, sql.fragment`insert into agents (id, operator_id, name) values (${agentId}, ${operatorId}, 'x')`);
      const [lost, old, current] = [randomBytes(32), randomBytes(32), randomBytes(32)];
      const kinds: [current: Buffer, before: Buffer | null, changes: boolean, opens: boolean][] = [
        [old, null, true, true],
        [old, old, true, true],
        [current, old, true, true],
        [current, null, false, true],
        [current, current, false, true],
        [lost, null, false, false],
        [current, lost, false, false],
      ];
      const made = kinds.map(([key, keyBefore, changes, opens]) => {
        const [id, secret, before] = [newId('inw'), newWebhookSecret(), newWebhookSecret()];
        const sealed = sealEndpointSecret(createEncryption([key]), id, secret);
        const sealedBefore = keyBefore === null ? null : sealEndpointSecret(createEncryption([keyBefore]), id, before);
        return { id, texts: keyBefore === null ? [secret] : [secret, before], sealed, sealedBefore, changes, opens };
      });
      for (const { id, sealed, sealedBefore } of made) {
        await run(
          pool,
          sql.fragment`
          insert into inbound_endpoints (id, operator_id, agent_id, provider, slug, secret, old_secret, old_secret_until)
          values (${id}, ${operatorId}, ${agentId}, 'generic', ${id}, ${sealed}, ${sealedBefore},
            case when ${sealedBefore}::text is not null then now() + interval '1 day' end)`,
        );
      }
      await sealEndpointSecretsAnew({ ...own.context, encryption: createEncryption([current, old]) });
      const rows = await pool.any(sql.type(SealedSecrets)`select id, secret, old_secret from inbound_endpoints`);
      const alone = createEncryption([current]);
      for (const { id, texts, sealed, sealedBefore, changes, opens } of made) {
        const row = rows.find((one) => one.id === id);
        assert(row !== undefined);
        assert.equal(row.secret !== sealed || row.old_secret !== sealedBefore, changes);
        if (opens) assert.deepEqual(openEndpointSecrets(alone, row), texts);
        else assert.throws(() => openEndpointSecrets(alone, row), /No key of ENCRYPTION_KEY/);
      }
    } finally {
      await own.close();
    }
  });

  it('open for their own endpoint alone', () => {
    const encryption = createEncryption([randomBytes(32)]);
    const secret = sealEndpointSecret(encryption, 'inw_1', 'whsec_x');
    assert.throws(() => openEndpointSecrets(encryption, { id: 'inw_2', secret, old_secret: null }));
  });
});
