import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { ChannelTypeSchema } from '../../../src/notifications/channels/kinds.ts';
import { channels } from '../../../src/notifications/channels/registry.ts';
import { database } from '../../support/service.ts';

describe('channels', () => {
  for (const kind of ChannelTypeSchema.options) {
    it(`has the same traits of ${kind} in SQL`, async () => {
      const pool = await database();
      const { paid } = await pool.one(sql.type(z.object({ paid: z.boolean() }))`
        select paid from traits_of_channel(${kind})`);
      assert.equal(paid, channels[kind].isPaid);
    });
  }

  it('takes no channel in SQL that is not listed', async () => {
    const pool = await database();
    await assert.rejects(pool.query(sql.type(z.object({}))`select traits_of_channel('pigeon')`));
  });
});
