import assert from 'node:assert/strict';
import { z } from 'zod';
import { ensurePlatformOwner } from '../../src/accounts/index.ts';
import { sql } from '../../src/database/pool.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';

describe('the first owner of the platform', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  it('is made from PLATFORM_OWNER_EMAIL while there is none, and never beside another', async () => {
    const { pool, config } = own.context;
    const persons = () =>
      pool.any(sql.type(z.object({ email: z.string(), role: z.string() }))`
        select email, role from members where operator_id = 'op_platform'`);
    const start = (platformOwnerEmail: string | null) =>
      ensurePlatformOwner({ pool, config: { ...config, platformOwnerEmail } });
    await start(null);
    assert.deepEqual(await persons(), []);
    await Promise.all([start('ada@example.test'), start('Ada@example.test'), start('ada@example.test')]);
    assert.deepEqual(
      (await persons()).map(({ email, role }) => [email.toLowerCase(), role]),
      [['ada@example.test', 'owner']],
    );
    await start('mallory@example.test');
    assert.equal((await persons()).length, 1);
  });
});
