import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
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

/** A server of long and short answers, and a connection to it that reads nothing. */
async function unread(paths: readonly string[]) {
  const app = new Koa();
  app.use((koa) => {
    koa.body = koa.path === '/long' ? 'x'.repeat(64 * 1_048_576) : 'done';
  });
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  const close = async (): Promise<void> => {
    client.destroy();
    await closeGracefully(server, 0.05);
  };
  return { client, socket, close };
}

describe('an answer that nobody reads', () => {
  it('ends its connection after a minute in which nothing of it was taken', async () => {
    const { socket, close } = await unread(['/long']);
    await eventually('the minute to begin', () => socket.timeout === 30_000);
    socket.setTimeout(50);
    await eventually('the connection to end', () => socket.destroyed);
    await close();
  });

  it('has its minute when it is its turn, and a connection that is idle another time', async () => {
    const { client, socket, close } = await unread(['/short', '/long', '/long']);
    await eventually('the minute to begin', () => socket.timeout === 30_000);
    const times = new Set<number | undefined>();
    let taken = 0;
    client.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      times.add(socket.timeout);
    });
    client.resume();
    await eventually('both to be read', () => taken > 2 * 64 * 1_048_576);
    await eventually('the connection to be idle', () => socket.timeout !== 30_000);
    assert(times.has(30_000));
    assert((socket.timeout ?? 0) >= 65_000, `idle for ${socket.timeout} ms`);
    await close();
  });
});

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
