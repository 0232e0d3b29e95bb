import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createEncryption } from '../../src/context/encryption.ts';
import { sql } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { endpointSecrets } from '../../src/inbound/index.ts';
import { destinationSecrets } from '../../src/notifications/index.ts';
import { newWebhookSecret } from '../../src/webhooks/secrets.ts';
import { newWallet, run } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';

const Row = z.object({ id: z.string(), secret: z.string(), old_secret: z.string().nullable() });

/** Secrets of a row, sealed. */
interface Sealed {
  id: string;
  secret: string;
  old: string | null;
}

describe('The secrets of a table', () => {
  let own: OwnContext;
  let operatorId: string;
  let agentId: string;
  before(async () => {
    own = await ownContext();
    operatorId = await newWallet(own.context.pool);
    agentId = newId('ag');
    await run(
      own.context.pool,
      sql.fragment`insert into agents (id, operator_id, name) values (${agentId}, ${operatorId}, 'x')`,
    );
  });
  after(() => own.close());

  const untilOf = (old: string | null) =>
    old === null ? sql.fragment`null` : sql.fragment`clock_timestamp() + interval '1 day'`;
  for (const { what, secrets, table, prefix, insert } of [
    {
      what: 'destinations',
      secrets: destinationSecrets,
      table: sql.fragment`destinations`,
      prefix: 'dst' as const,
      insert: ({ id, secret, old }: Sealed) => sql.fragment`
        insert into destinations (id, operator_id, channel_type, destination, address, secret, old_secret, old_secret_until)
        values (${id}, ${operatorId}, 'webhook', ${id}, ${id}, ${secret}, ${old}, ${untilOf(old)})`,
    },
    {
      what: 'inbound_endpoints',
      secrets: endpointSecrets,
      table: sql.fragment`inbound_endpoints`,
      prefix: 'inw' as const,
      insert: ({ id, secret, old }: Sealed) => sql.fragment`
        insert into inbound_endpoints (id, operator_id, agent_id, provider, slug, secret, old_secret, old_secret_until)
        values (${id}, ${operatorId}, ${agentId}, 'generic', ${id}, ${secret}, ${old}, ${untilOf(old)})`,
    },
  ]) {
    describe(`, ${what},`, () => {
      it('are sealed again under the first key, the ones before the current too, so that a key can leave ENCRYPTION_KEY', async () => {
        const { pool } = own.context;
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
          const [id, ...texts] = [newId(prefix), newWebhookSecret(), ...(keyBefore ? [newWebhookSecret()] : [])];
          const [secret, before = null] = [key, keyBefore].flatMap((under, at) =>
            under === null ? [] : [secrets.encrypt(createEncryption([under]), { id, secret: texts[at] ?? '' })],
          );
          assert(secret !== undefined);
          return { sealed: { id, secret, old: before }, texts, changes, opens };
        });
        for (const { sealed } of made) await run(pool, insert(sealed));
        await secrets.encryptAgain({ ...own.context, encryption: createEncryption([current, old]) });
        const rows = await pool.any(sql.type(Row)`select id, secret, old_secret from ${table}`);
        const alone = createEncryption([current]);
        for (const { sealed, texts, changes, opens } of made) {
          const row = rows.find((one) => one.id === sealed.id);
          assert(row !== undefined);
          assert.equal(row.secret !== sealed.secret || row.old_secret !== sealed.old, changes);
          if (opens) assert.deepEqual(secrets.decrypt(alone, row), texts);
          else assert.throws(() => secrets.decrypt(alone, row), /No key of ENCRYPTION_KEY/);
        }
      });

      it('are forgotten once the day after their rotation is over', async () => {
        const { pool } = own.context;
        const id = newId(prefix);
        await run(pool, insert({ id, secret: 'first', old: null }));
        const kept = () => pool.one(sql.type(Row)`select id, secret, old_secret from ${table} where id = ${id}`);
        await secrets.replace(pool, { id, secret: 'second' });
        await secrets.forgetOld(pool);
        assert.deepEqual(await kept(), { id, secret: 'second', old_secret: 'first' });
        await run(pool, sql.fragment`update ${table} set old_secret_until = clock_timestamp() where id = ${id}`);
        await secrets.forgetOld(pool);
        assert.deepEqual(await kept(), { id, secret: 'second', old_secret: null });
        await secrets.replace(pool, { id, secret: 'third', immediate: true });
        assert.deepEqual(await kept(), { id, secret: 'third', old_secret: null });
      });

      it('open for their own row alone', () => {
        const encryption = createEncryption([randomBytes(32)]);
        const secret = secrets.encrypt(encryption, { id: 'one', secret: 'whsec_x' });
        assert.throws(() => secrets.decrypt(encryption, { id: 'two', secret, old_secret: null }));
      });
    });
  }
});
