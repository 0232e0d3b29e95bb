import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { pino } from 'pino';
import { z } from 'zod';
import { translateDatabaseError } from '../../src/database/errors.ts';
import { openPool, sql } from '../../src/database/pool.ts';
import { openRowEvents } from '../../src/database/row-events.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { ownDatabase, type OwnDatabase } from '../billing/wallet/own-database.ts';
import { eventually } from '../support/eventually.ts';

const One = z.object({ one: z.number() });

describe('Connections on which Postgres falls silent, as after a failover that resets none', () => {
  let own: OwnDatabase;
  /** The address through which it is reached. */
  let url: string;
  const pairs: Socket[] = [];
  const proxy = createServer((socket) => {
    const upstream = connect(Number(new URL(own.url).port), new URL(own.url).hostname);
    pairs.push(socket, upstream);
    for (const one of [socket, upstream]) one.on('error', () => {});
    socket.pipe(upstream).pipe(socket);
  });
  /** The present connections get no byte any more, and nobody learns that. Later connections work. */
  const silence = (): void => {
    for (const socket of pairs) socket.unpipe().resume();
  };
  before(async () => {
    own = await ownDatabase();
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = new URL(own.url);
    address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    url = address.href;
  });
  after(async () => {
    for (const socket of pairs) socket.destroy();
    proxy.close();
    await own.drop();
  });

  it('are given up by a pool: what waits is 503, and what comes later gets other connections', async () => {
    const pool = await openPool(url, { size: 2, applicationName: 'carnet-test', statementTimeoutMs: 500 });
    const ask = () => pool.oneFirst(sql.type(One)`select 1 as one from pg_sleep(0.05)`);
    await Promise.all([ask(), ask()]);
    silence();
    const since = performance.now();
    const outcomes = await Promise.allSettled([ask(), ask()]);
    const seconds = (performance.now() - since) / 1_000;
    // With the ten seconds that a statement has otherwise it would be fifteen.
    assert(seconds < 14, `a statement of half a second and five of silence took ${seconds} s`);
    for (const { status, ...outcome } of outcomes) {
      assert.equal(status, 'rejected');
      const error = translateDatabaseError('reason' in outcome && outcome.reason);
      assert(error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE', String(error));
    }
    await eventually('another connection', ask, { seconds: 20, ignoreErrors: () => true });
    await pool.end();
  });

  it('are given up by row events: nobody trusts a cache meanwhile, and others are listened to again', async () => {
    const events = await openRowEvents(url, pino({ level: 'silent' }));
    const seen: string[] = [];
    events.subscribe((id) => void seen.push(id));
    silence();
    await eventually('it to have missed something', () => seen.includes('*'), { seconds: 20 });
    assert(events.listening);
    await own.pool.query(sql.unsafe`select pg_notify('carnet_rows', 'row_1')`);
    await eventually('an announcement', () => seen.includes('row_1'), { seconds: 20 });
    await events.close();
  });
});
