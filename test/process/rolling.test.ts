import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { freePort } from '../../src/embedded/ports.ts';
import { openPool, sql, type DatabasePool } from '../../src/database/pool.ts';
import { roundsOf } from '../support/cases.ts';
import { emptyDatabase, type EmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { assertInvariants } from '../support/invariants.ts';
import { openMarket } from '../support/market.ts';
import { registerNamespace } from '../support/namespace.ts';
import { startProgram } from '../support/process.ts';
import { startRole, type Role } from '../support/role.ts';
import { service } from '../support/service.ts';

const CALLERS = roundsOf(4, 2);
/** Answered calls between one restart and the next. */
const ANSWERS = 40;
/** Pairs of an API and a worker that are started again, one after the other; the second is what the first was. */
const PAIRS = roundsOf(2, 1);
/** Longer than the proxy needs to notice that a process stops. */
const DRAIN_SECONDS = 4;

const Count = z.object({ count: z.number() });

/** A proxy as stands before several processes: it asks each whether it is ready, sends a call to one that is, and tries nothing again. */
async function startProxy(
  origins: readonly string[],
): Promise<{ url: string; server: Server; allReady(): Promise<void> }> {
  const ready = new Set<string>();
  const server = createServer((request, response) => {
    void (async () => {
      const [origin] = [...ready].toSorted(() => Math.random() - 0.5);
      const body: Buffer[] = [];
      for await (const chunk of request) body.push(chunk as Buffer);
      if (origin === undefined) return response.writeHead(502).end();
      const { host: _host, connection: _connection, ...headers } = request.headers;
      const answer = await fetch(`${origin}${request.url}`, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(body.length > 0 && { body: Buffer.concat(body) }),
      });
      return response
        .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        .end(Buffer.from(await answer.arrayBuffer()));
    })().catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
  const look = setInterval(() => {
    for (const origin of origins)
      fetch(`${origin}/readyz`)
        .then(({ ok }) => (ok ? ready.add(origin) : ready.delete(origin)))
        .catch(() => ready.delete(origin));
  }, 100);
  server.on('close', () => clearInterval(look));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const allReady = async (): Promise<void> => {
    await eventually('all to be ready', () => ready.size === origins.length, { seconds: 200 });
  };
  await allReady();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, allReady };
}

describe('A rolling restart of two APIs and two workers under load', function () {
  this.timeout(600_000);
  let database: EmptyDatabase;
  let pool: DatabasePool;
  let settings: Record<string, string>;

  before(async () => {
    database = await emptyDatabase();
    const namespace = `rolling-${randomBytes(5).toString('hex')}`;
    const { temporal_address: address } = service().credentials;
    settings = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      PLATFORM_ADMIN_KEY: randomBytes(18).toString('hex'),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      LOCAL_PROVIDERS: 'true',
      DRAIN_SECONDS: String(DRAIN_SECONDS),
      RUN_FOR_EVERY_LIFE: 'false',
    };
    await registerNamespace(address, namespace);
    assert.equal(await startProgram('src/database/migrate.ts', { DATABASE_URL: database.url }).ended, 0);
    pool = await openPool(database.url, { size: 2, applicationName: 'carnet-test' });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it('is seen by no client, though none tries again', async () => {
    const ports = [await freePort(), await freePort()];
    const startApi = (port: number): Promise<Role> =>
      startRole('api', { ...settings, PORT: String(port), PUBLIC_BASE_URL: 'https://carnet.example.test' });
    const startWorker = (): Promise<Role> => startRole('worker', settings);
    const apis = await Promise.all(ports.map(startApi));
    const workers = await Promise.all([startWorker(), startWorker()]);
    const proxy = await startProxy(ports.map((port) => `http://127.0.0.1:${port}`));
    try {
      const market = await openMarket(
        { baseUrl: proxy.url, adminKey: settings.PLATFORM_ADMIN_KEY ?? '', databaseUrl: database.url },
        { cents: 1_000_000 },
      );
      const refused: string[] = [];
      const ids: string[] = [];
      let answers = 0;
      let isOver = false;
      const tryOnce = async <T>(call: Promise<{ status: number; body: T }>): Promise<T | undefined> => {
        const { status, body } = await call;
        if (status < 300) answers += 1;
        else refused.push(`${status} ${JSON.stringify(body)}`);
        return status < 300 ? body : undefined;
      };
      const trade = async (): Promise<void> => {
        while (!isOver && refused.length === 0) {
          const begun = await tryOnce<{ id: string }>(market.invoke());
          if (begun === undefined) return;
          ids.push(begun.id);
          await tryOnce(market.act(begun.id, 'claim'));
          await tryOnce(market.act(begun.id, 'complete'));
        }
      };
      const everybody = Promise.all(Array.from({ length: CALLERS }, trade));
      const moreAnswers = async (): Promise<void> => {
        const before = answers;
        await eventually('answers', () => refused.length > 0 || answers >= before + ANSWERS, { seconds: 200 });
      };
      for (let nth = 0; nth < PAIRS; nth += 1) {
        await moreAnswers();
        assert.equal(await apis[nth]?.stop(), 0);
        await moreAnswers();
        apis[nth] = await startApi(ports[nth] ?? 0);
        await proxy.allReady();
        await moreAnswers();
        assert.equal(await workers[nth]?.stop(), 0);
        workers[nth] = await startWorker();
      }
      isOver = true;
      await everybody;
      assert.deepEqual(refused, []);
      await eventually(
        'no life to be left',
        async () =>
          (await pool.oneFirst(
            sql.type(
              Count,
            )`select count(*)::int from invocations where not followed_up and id = any(${sql.array(ids, 'text')})`,
          )) === 0,
        { seconds: 300 },
      );
      await assertInvariants(pool, ids);
    } finally {
      proxy.server.close();
      proxy.server.closeAllConnections();
      await Promise.all([...apis, ...workers].map((role) => role.stop()));
    }
  });
});
