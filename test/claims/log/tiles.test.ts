import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { issueClaim } from '../../../src/claims/index.ts';
import { publishLog } from '../../../src/claims/log/append.ts';
import { appendToLog } from '../../../src/claims/log/life.ts';
import { noteStopped } from '../../../src/claims/log/queries.ts';
import { logRoutes } from '../../../src/claims/log/routes.ts';
import { parseTile, readEntries, readTile } from '../../../src/claims/log/tiles.ts';
import type { Context } from '../../../src/context/context.ts';
import { sql } from '../../../src/database/pool.ts';
import { createApp } from '../../../src/http/app.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { credentials } from '../../../src/process/credentials.ts';
import { assertProblem, platform, type Reply } from '../../support/service.ts';
import { leafHash, rootOf } from './rfc9162.ts';
import { ownLog, recordClaims, sizesOf, type OwnLog } from './support.ts';

describe('The tiles of the log', function () {
  this.timeout(240_000);

  /** The body of a 404. */
  const absent = (reply: Reply): Reply['body'] => {
    assertProblem(reply, 'NOT_FOUND');
    return reply.body;
  };

  describe('of 70,000 leaves, the example of C2SP tlog-tiles', () => {
    const SIZE = 70_000;
    const leaves = Array.from({ length: SIZE }, (_, at) => leafHash(Buffer.from(`${at}`)));
    let own: OwnLog;
    let context: Context;
    before(async () => {
      own = await ownLog();
      ({ context } = own);
      await publishLog(context);
      await context.pool.query(sql.unsafe`
        insert into log_pending (claim_id, leaf_hash)
        select 'pc_' || n, sha256(decode('00', 'hex') || convert_to(n::text, 'UTF8')) from generate_series(0, ${SIZE - 1}) n`);
      while ((await sizesOf(context)).pending > 0 || (await sizesOf(context)).published_size < SIZE)
        await appendToLog(context);
    });
    after(() => own.close());

    const tile = (level: number, index: number, width = 256) => readTile(context.pool, level, { index, width });
    /** The hashes of the level below each full tile. */
    const level1 = (): Buffer[] =>
      Array.from({ length: 273 }, (_, at) => rootOf(leaves.slice(at * 256, at * 256 + 256)));

    it('are 273 full ones of level 0 and one of width 112', async () => {
      assert.equal((await sizesOf(context)).published_size, SIZE);
      for (const index of [0, 1, 255, 272])
        assert.deepEqual(await tile(0, index), Buffer.concat(leaves.slice(index * 256, index * 256 + 256)));
      assert.deepEqual(await tile(0, 273, 112), Buffer.concat(leaves.slice(273 * 256)));
      assert.equal(await tile(0, 273, 113), null);
      assert.equal(await tile(0, 273), null);
      assert.equal(await tile(0, 274, 1), null);
    });

    it('are a full one of level 1 and one of width 17, whose hashes are those of full tiles below', async () => {
      assert.deepEqual(await tile(1, 0), Buffer.concat(level1().slice(0, 256)));
      assert.deepEqual(await tile(1, 1, 17), Buffer.concat(level1().slice(256)));
      assert.equal(await tile(1, 1, 18), null);
    });

    it('are one of width 1 of level 2, and none above', async () => {
      assert.deepEqual(await tile(2, 0, 1), rootOf(level1().slice(0, 256)));
      assert.equal(await tile(2, 0, 2), null);
      for (const level of [3, 6, 7, 63]) assert.equal(await tile(level, 0, 1), null);
    });
  });

  it('are named by elements of three digits', () => {
    assert.deepEqual(parseTile(['000']), { index: 0, width: 256 });
    assert.deepEqual(parseTile(['x001', 'x234', '067']), { index: 1_234_067, width: 256 });
    assert.deepEqual(parseTile(['x001', '067.p', '17']), { index: 1_067, width: 17 });
    assert.deepEqual(parseTile(['067.p', '255']), { index: 67, width: 255 });
    for (const wrong of [
      ['0'],
      ['0000'],
      ['x001'],
      ['001', '002'],
      ['x000', '001'],
      ['001.p', '0'],
      ['001.p', '256'],
      ['001.p', '01'],
      ['001.p', '-1'],
      ['001.p'],
      ['x001.p', '1'],
      [''],
    ])
      assert.equal(parseTile(wrong), null, wrong.join('/'));
  });

  it('of trees of more than 256 million claims have an address too, where a part of one has four elements', async () => {
    for (const level of ['0', 'entries']) {
      const path = `/log/tile/${level}/x001/x000/000.p/17`;
      const { detail } = absent(await platform().get(path));
      assert.equal(detail, absent(await platform().get(`/log/tile/${level}/999`)).detail, path);
    }
  });

  it('are kept for ever by everybody who reads them, and by nobody while the log is stopped', async () => {
    const own = await ownLog();
    const { context } = own;
    const options = {
      routes: logRoutes,
      credentials: credentials(context),
      pages: [],
      people: { pages: [], sessionOf: async () => null },
    };
    const server = createHttpServer(createApp(context, options));
    try {
      await recordClaims(context, 1);
      await appendToLog(context);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/log/tile/0/000.p/1`;
      const cached = async (): Promise<string | null> => {
        const response = await fetch(url);
        assert.deepEqual([response.status, (await response.arrayBuffer()).byteLength], [200, 32]);
        return response.headers.get('cache-control');
      };
      assert.match((await cached()) ?? '', /immutable/);
      await noteStopped(context.pool, 'for this test');
      assert.equal(await cached(), 'no-store');
    } finally {
      server.closeAllConnections();
      server.close();
      await own.close();
    }
  });

  it('have entries behind them, of length zero where one is too long, or is no longer what was logged', async () => {
    const own = await ownLog();
    const { context } = own;
    try {
      const issue = (payload: Record<string, string>): Promise<string> =>
        issueClaim(context.pool, {
          type: 'mission',
          subject: 'carnet://agent/ag_1',
          payload,
          agentId: null,
          missionRef: null,
          operatorIds: [],
        });
      await issue({ text: 'short' });
      await issue({ text: 'x'.repeat(65_536) });
      const erased = await issue({ text: 'private' });
      await appendToLog(context);
      // As an erasure leaves it: the trigger that keeps claims is not what this is about.
      await context.pool.transaction(async (connection) => {
        await connection.query(sql.unsafe`set local session_replication_role = replica`);
        await connection.query(sql.unsafe`update claims set envelope = '{}' where id = ${erased}`);
      });
      const entries = await readEntries(context.pool, { index: 0, width: 3 });
      assert(entries);
      const length = entries.readUInt16BE(0);
      assert.match(entries.subarray(2, 2 + length).toString(), /"text":"short"/);
      assert.deepEqual(entries.subarray(2 + length), Buffer.alloc(4));
      assert.equal(await readEntries(context.pool, { index: 0, width: 4 }), null);
      assert.equal((await readTile(context.pool, 0, { index: 0, width: 3 }))?.length, 96);
    } finally {
      await own.close();
    }
  });
});
