import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createLogger } from '../../src/context/logging.ts';
import { openRowEvents } from '../../src/database/row-events.ts';
import { ownDatabase, type OwnDatabase } from '../billing/wallet/own-database.ts';
import { eventually } from '../support/eventually.ts';

describe('While Postgres is away', () => {
  let own: OwnDatabase;
  const pairs: Socket[] = [];
  let isThere = true;
  let refused = 0;
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    if (!isThere) {
      refused += 1;
      socket.destroy();
      return;
    }
    const upstream = connect(Number(new URL(own.url).port), new URL(own.url).hostname);
    upstream.on('error', () => {});
    pairs.push(socket, upstream);
    socket.pipe(upstream).pipe(socket);
  });
  before(async () => {
    own = await ownDatabase();
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  after(async () => {
    for (const socket of pairs) socket.destroy();
    proxy.close();
    await own.drop();
  });

  it('the log has one warning, without a stack, and one line when it is back', async () => {
    const address = new URL(own.url);
    address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const lines: { level: string; msg: string }[] = [];
    const log = createLogger('info', {
      write: (line: string) => void lines.push(JSON.parse(line) as { level: string; msg: string }),
    });
    const events = await openRowEvents(address.href, log);
    await eventually('it to listen', () => events.listening);
    isThere = false;
    for (const socket of pairs) socket.destroy();
    events.changed('op_1'); // an announcement that nobody hears
    await eventually('several tries to connect', () => refused >= 4);
    isThere = true;
    await eventually('it to listen again', () => events.listening);
    await events.close();
    assert.deepEqual(
      lines.map(({ level, msg }) => `${level} ${msg}`),
      [
        'warn row events: no connection to Postgres; trying again until there is',
        'info row events: connected to Postgres again',
      ],
    );
    assert(!JSON.stringify(lines).includes('"stack"'));
  });
});
