import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { closeGracefully, createHttpServer } from '../../src/http/server.ts';
import { eventually } from '../support/eventually.ts';
import { exchangeBytes } from './support/raw.ts';

/** A server whose answers wait until they are let go. */
async function waitingServer() {
  const arrived = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const app = new Koa();
  app.silent = true;
  app.use(async (koa) => {
    if (koa.path === '/wait') {
      arrived.resolve();
      await letGo.promise;
    }
    koa.body = 'done';
  });
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, port, arrived: arrived.promise, letGo: () => letGo.resolve() };
}

describe('closing the server', () => {
  it('lets requests under way finish, and takes no new connection', async () => {
    const { server, port, arrived, letGo } = await waitingServer();
    const answer = fetch(`http://127.0.0.1:${port}/wait`);
    await arrived;
    const closed = closeGracefully(server, 600);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
    letGo();
    assert.equal(await (await answer).text(), 'done');
    await closed;
  });

  it('does not wait for connections that are kept alive idle', async () => {
    const { server, port } = await waitingServer();
    const idle = exchangeBytes(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await fetch(`http://127.0.0.1:${port}/`);
    await closeGracefully(server, 600);
    assert.match(await idle, /^HTTP\/1\.1 200/);
  });

  it('cuts what is not done in time', async () => {
    const { server, port, arrived } = await waitingServer();
    const answer = fetch(`http://127.0.0.1:${port}/wait`);
    answer.catch(() => {});
    await arrived;
    await closeGracefully(server, 0.05);
    await assert.rejects(answer);
  });

  it('resets no request of clients that are busy on connections they keep', async () => {
    const app = new Koa();
    app.use((koa) => {
      koa.body = 'done';
    });
    const server = createHttpServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const clients = 24;
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    /** One request: whether the answer ends its connection. */
    const ask = async (): Promise<boolean> => {
      const asked = request({ port, host: '127.0.0.1', agent }).end();
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      for await (const _ of response);
      return response.headers.connection === 'close';
    };
    let answers = 0;
    /** Asks on and on; ends with the answer that says so. */
    const client = async (): Promise<void> => {
      while (!(await ask())) answers += 1;
    };
    const all = Promise.all(Array.from({ length: clients }, client));
    await eventually('all of them to be busy', () => answers > 10 * clients);
    server.endConnections();
    await all;
    await closeGracefully(server, 600);
    agent.destroy();
  });

  it('says so in answers that were under way too', async () => {
    const { server, port, arrived, letGo } = await waitingServer();
    const answer = fetch(`http://127.0.0.1:${port}/wait`);
    await arrived;
    server.endConnections();
    letGo();
    assert.equal((await answer).headers.get('connection'), 'close');
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).headers.get('connection'), 'close', 'it still listens');
    await closeGracefully(server, 600);
  });
});
