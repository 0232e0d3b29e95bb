import assert from 'node:assert/strict';
import { Agent, request as undiciRequest } from 'undici';
import { z } from 'zod';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { route } from '../../src/http/route.ts';
import { SignedBodySchema } from '../../src/http/signed-body.ts';
import { eventually } from '../support/eventually.ts';
import { rawSender, statusOf, type RawSender } from './support/raw.ts';
import { openShell, type Shell } from './support/shell.ts';
import { things } from './support/things.ts';

const MIB = 1_048_576;

/** Takes parcels for whom the path names; what is signed `wait` is answered when the test says so. */
function parcels() {
  const waiting: (() => void)[] = [];
  const take = route({
    method: 'post',
    path: '/v1/parcels/:to',
    operation: 'takeParcel',
    tag: 'inbound',
    summary: 'For tests',
    audience: 'public',
    params: z.object({ to: z.string() }),
    takesSigned: { mediaTypes: ['text/plain'], headers: z.object({}) },
    receiver: {
      of: ({ to = '' }) => to,
      admit: async (_context, { to = '' }) => ({ limit: 10 * MIB, owner: to, found: undefined }),
    },
    callsPerMinute: 1_000_000,
    body: SignedBodySchema,
    status: 200,
    reply: z.object({ bytes: z.int() }),
    refusals: ['INVALID_SIGNATURE'],
    async handler({ body, header }) {
      const signature = header('x-signature');
      if (signature === undefined) throw new CarnetError('INVALID_SIGNATURE', 'Nothing signs this.');
      if (signature === 'wait') {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.push(resolve);
        await promise;
      }
      return { status: 200, body: { bytes: body.length } };
    },
  });
  return {
    take,
    waiting: () => waiting.length,
    answerAll: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

const head = (to: string, bytes: number, signature?: string): string =>
  `POST /v1/parcels/${to} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n` +
  `${signature === undefined ? '' : `X-Signature: ${signature}\r\n`}\r\n`;

const isAnswered = ({ answer, fault }: RawSender): boolean => answer.includes('"request_id"') || fault !== undefined;

describe('receiving bodies', function () {
  this.timeout(120_000);
  const { take, waiting, answerAll } = parcels();
  let shell: Shell;
  before(async () => {
    shell = await openShell({ routes: [take, ...things] });
  });
  after(() => shell.close());

  const send = (to: string, bytes: number, signature = 'yes') =>
    fetch(`${shell.baseUrl}/v1/parcels/${to}`, {
      method: 'POST',
      body: Buffer.alloc(bytes, 'x'),
      headers: { 'x-signature': signature },
    });

  /** Announces 10 MiB, sends eight of them, and then nothing. */
  const hog = async (to: string): Promise<RawSender> => {
    const sender = rawSender(shell.port);
    sender.socket.write(head(to, 10 * MIB));
    await sender.write(Buffer.alloc(8 * MIB, 'x'));
    return sender;
  };

  it('takes what an honest sender sends while eight hold all that they get of the room, and answers all eight', async () => {
    const hogs = await Promise.all(['north', 'south'].flatMap((to) => [1, 2, 3, 4].map(() => hog(to))));
    const honest = await Promise.all([send('east', 9 * MIB), send('west', 100), send('north', 100)]);
    assert.deepEqual(
      honest.map(({ status }) => status),
      [200, 200, 200],
    );
    await eventually('some hogs to have given way', () => hogs.filter(isAnswered).length >= 2);
    for (const { answer } of hogs.filter(isAnswered)) {
      assert.match(answer, /^HTTP\/1\.1 503 /);
      assert.match(answer, /^Retry-After: 5\r$/im);
    }
    await eventually('the others to end, since they send nothing more', () => hogs.every(isAnswered));
    assert.deepEqual(new Set(hogs.map(({ answer }) => statusOf(answer))), new Set([408, 503]));
    assert.deepEqual(
      hogs.map(({ fault }) => fault).filter((fault) => fault !== undefined),
      [],
    );
    const tooSlow = hogs.find(({ answer }) => statusOf(answer) === 408);
    assert.match(tooSlow?.answer ?? '', /"code":"REQUEST_TIMEOUT"/);
    await eventually('their connections to be closed', () =>
      hogs.filter(({ answer }) => statusOf(answer) === 408).every(({ socket }) => socket.readableEnded),
    );
    for (const { socket } of hogs) socket.destroy();
  });

  it('takes a mail of 6 MB while eighteen owners hold all of the room that larger bodies have, none more than 3 MB', async () => {
    const room = 48 * MIB;
    const share = Math.floor(room / 18);
    const hogs = Array.from({ length: 18 }, (_, index) => {
      const sender = rawSender(shell.port);
      sender.socket.write(head(`hog${index}`, 10 * MIB));
      // One byte too many for all of them: the first that gives way says that everything has come.
      sender.socket.write(Buffer.alloc(index === 0 ? room - 17 * share + 1 : share, 'x'));
      return sender;
    });
    await eventually('the first to give way', () => hogs.some(isAnswered));
    assert.equal((await send('east', 6_000_000)).status, 200);
    await eventually('three to have given way', () => hogs.filter(isAnswered).length >= 3);
    for (const { answer } of hogs.filter((one) => isAnswered(one) && statusOf(one.answer) !== 408)) {
      assert.match(answer, /^HTTP\/1\.1 503 /);
      assert.match(answer, /^Retry-After: 5\r$/im);
    }
    assert.deepEqual(new Set(hogs.map(({ fault }) => fault)), new Set([undefined]));
    for (const { socket } of hogs) socket.destroy();
  });

  it('keeps room for others while two owners have all that they may have in work', async () => {
    const busy = ['north', 'south'].flatMap((to) => Array.from({ length: 4 }, () => send(to, 8 * MIB, 'wait')));
    await eventually('as much to be in work as has room', () => waiting() === 6);
    const [kept, refused] = await Promise.all([send('west', 100), send('east', 9 * MIB)]);
    assert.deepEqual([kept.status, refused.status], [200, 503]);
    answerAll();
    const answered = await Promise.all(busy);
    assert.equal(answered.filter(({ status }) => status === 200).length, 6);
    assert.equal(answered.filter(({ status }) => status === 503).length, 2);
    assert.equal((await send('east', 9 * MIB)).status, 200);
  });

  describe('a burst of one owner, 120 of 1 MiB, is answered to the last', () => {
    const BURST = 120;
    const FITTING = 32;

    it('on connections whose clients send all before they read', async () => {
      const senders = Array.from({ length: BURST }, () => rawSender(shell.port));
      for (const { socket } of senders) {
        socket.write(head('busy', MIB, 'wait'));
        socket.write(Buffer.alloc(MIB, 'x'));
      }
      await eventually('the others to be refused', () => senders.filter(isAnswered).length === BURST - FITTING);
      await eventually('those that fit to be whole', () => waiting() === FITTING);
      answerAll();
      await eventually('those that fit to be answered', () =>
        senders.every((sender) => isAnswered(sender) || sender.answer.includes('"bytes"')),
      );
      assert.equal(senders.filter(({ answer }) => statusOf(answer) === 200).length, FITTING);
      const refused = senders.filter(({ answer }) => statusOf(answer) === 503);
      assert.equal(refused.length, BURST - FITTING);
      for (const { answer } of refused) assert.match(answer, /^Retry-After: 5\r$/im);
      assert.deepEqual(new Set(senders.map(({ fault }) => fault)), new Set([undefined]));
      for (const { socket } of senders) socket.destroy();
    });

    it('in undici', async () => {
      const agent = new Agent({ connections: BURST });
      let refused = 0;
      const statuses = Promise.all(
        Array.from({ length: BURST }, async () => {
          const { statusCode, headers, body } = await undiciRequest(`${shell.baseUrl}/v1/parcels/busy`, {
            method: 'POST',
            body: Buffer.alloc(MIB, 'x'),
            headers: { 'x-signature': 'wait' },
            dispatcher: agent,
          });
          await body.dump();
          if (statusCode === 503) {
            assert.equal(headers['retry-after'], '5');
            refused += 1;
          }
          return statusCode;
        }),
      );
      await Promise.race([statuses, eventually('the others to be refused', () => refused === BURST - FITTING)]);
      await eventually('those that fit to be whole', () => waiting() === FITTING);
      answerAll();
      assert.equal((await statuses).filter((status) => status === 200).length, FITTING);
      await agent.close();
    });
  });

  describe('a refusal that does not read the body is an answer to a client that sends all of it before it reads', () => {
    const over = (line: string, ...headers: string[]): string =>
      [`${line} HTTP/1.1`, 'Host: x', `Content-Length: ${8 * MIB}`, ...headers, '', ''].join('\r\n');
    const early: [what: string, bytes: string, status: number][] = [
      ['nobody known', over('POST /v1/things', 'Content-Type: application/json'), 401],
      ['nothing there', over('POST /v1/nothing'), 404],
      ['a method that takes no body', over('GET /v1/nothing'), 404],
      ['one that ends the connection', over('POST /v1/things', 'Authorization: a', 'Authorization: b'), 400],
      ['an expectation', over('POST /v1/things', 'Expect: a miracle'), 417],
      [
        'an answer after which the client wants the connection closed',
        over('POST /v1/nothing', 'Connection: close'),
        404,
      ],
      ['a body that is announced over the limit', head('east', 11 * MIB), 413],
      ['a head without end', `GET /livez HTTP/1.1\r\nHost: x\r\nX-Big: `, 431],
      ['no HTTP', 'hello\r\n\r\n', 400],
    ];
    for (const [what, bytes, status] of early) {
      it(`${what}: ${status}`, async () => {
        const sender = rawSender(shell.port);
        sender.socket.pause();
        sender.socket.write(bytes);
        sender.socket.write(Buffer.alloc(8 * MIB, 'x'));
        await eventually(
          'all of it to be sent',
          () => sender.socket.writableLength === 0 || sender.fault !== undefined,
        );
        sender.socket.resume();
        await eventually('the answer', () => isAnswered(sender));
        assert.deepEqual([statusOf(sender.answer), sender.fault], [status, undefined]);
        sender.socket.destroy();
      });
    }
  });
});
