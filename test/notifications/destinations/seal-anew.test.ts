import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createEncryption } from '../../../src/context/encryption.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { sealSecretsAnew } from '../../../src/notifications/index.ts';
import { newWebhookSecret, openSecrets, sealSecret } from '../../../src/notifications/signing/secrets.ts';
import { newWallet, run } from '../../billing/ledger/ledger-world.ts';
import { ownContext } from '../../invocations/own-context.ts';

describe('The secrets of webhooks', () => {
  it('are sealed again under the first key, so that the one before it can leave ENCRYPTION_KEY; what no key opens stays', async () => {
    const own = await ownContext();
    try {
      const { pool } = own.context;
      const operatorId = await newWallet(pool);
      const [lost, old, current] = [randomBytes(32), randomBytes(32), randomBytes(32)];
      const made = [old, current, lost].map((key) => {
        const [id, secret] = [newId('dst'), newWebhookSecret()];
        return { id, secret, sealed: sealSecret(createEncryption([key]), id, secret) };
      });
      for (const { id, sealed } of made) {
        await run(
          pool,
          sql.fragment`
          insert into destinations (id, operator_id, channel_type, destination, address, secret)
          values (${id}, ${operatorId}, 'webhook', ${id}, ${id}, ${sealed})`,
        );
      }
      await sealSecretsAnew({ ...own.context, encryption: createEncryption([current, old]) });
      const rows = await pool.any(sql.type(z.object({ id: z.string(), secret: z.string() }))`
        select id, secret from destinations order by id`);
      const alone = createEncryption([current]);
      for (const [at, { id, secret, sealed }] of made.entries()) {
        const row = rows.find((one) => one.id === id);
        assert(row !== undefined);
        if (at === 0) assert.notEqual(row.secret, sealed);
        else assert.equal(row.secret, sealed, 'it stays');
        if (at < 2) assert.deepEqual(openSecrets(alone, { ...row, old_secret: null }), [secret]);
      }
    } finally {
      await own.close();
    }
  });
});
