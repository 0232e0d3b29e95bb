import assert from 'node:assert/strict';
import { z } from 'zod';
import { migrate } from '../../../src/database/migrations.ts';
import { sql } from '../../../src/database/pool.ts';
import { ownDatabase } from '../../billing/wallet/own-database.ts';
import { newLineage, newOperator, run } from '../lineages.ts';

const MIGRATION = '0020-passports-agent-silences.sql';

describe('The migration to silences of agents', () => {
  it('counts what was open from its moment on, and has the reconciler look at it', async () => {
    const own = await ownDatabase();
    const { pool } = own;
    const operator = await newOperator(pool);
    const open = await newLineage(pool, { operator, ttl: 60, age: 3_000 });
    const done = await newLineage(pool, { operator, ttl: 60, age: 3_000 });
    const logged = await newLineage(pool, { operator, ttl: 60, age: 3_000, accountability: 'logged' });
    await run(
      pool,
      sql.fragment`update passport_lineages set checked_out_at = clock_timestamp() where id = ${done.jti}`,
    );
    await run(pool, sql.fragment`update passport_sessions set look_at = clock_timestamp() + interval '1 day'`);
    await run(pool, sql.fragment`drop index passport_lineages_open`);
    await run(pool, sql.fragment`drop table agent_silences`);
    await run(pool, sql.fragment`delete from migrations where name = ${MIGRATION}`);
    assert.deepEqual(await migrate(own.url), [MIGRATION]);
    const agents = await pool.anyFirst(sql.type(z.object({ agent_id: z.string() }))`
      select agent_id from agent_silences where since > clock_timestamp() - interval '10 minutes'`);
    assert.deepEqual(agents, [open.agent]);
    const Due = z.object({ due: z.boolean() });
    const due = await pool.oneFirst(sql.type(Due)`
      select checkpoint_due(l) > clock_timestamp() - interval '10 minutes' as due from passport_lineages l where id = ${open.jti}`);
    assert(due, 'nothing was missed while the release before allowed it');
    const soon = await pool.anyFirst(sql.type(z.object({ id: z.string() }))`
      select id from passport_sessions where look_at < clock_timestamp() + interval '405 seconds'`);
    assert.deepEqual(soon, [open.session]);
    assert.notEqual(logged.session, open.session);
    await own.drop();
  });
});
