import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import net, { type Socket } from 'node:net';
import { mock } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createOutbound, type Outbound, type OutboundRequest, type SendOutcome } from '../../src/outbound/index.ts';
import { startDns, type DnsStub } from '../support/dns-stub.ts';
import { eventually } from '../support/eventually.ts';
import { authority, startReceiver, type Receiver } from './receiver.ts';

const publicBaseUrl = 'https://carnet.example.com';
const BODY = '{"event_type":"passport.flagged"}';

describe('A call to a receiver', () => {
  const outbound = createOutbound({ allowLoopback: true, publicBaseUrl });
  const open: Receiver[] = [];

  afterEach(async () => {
    mock.restoreAll();
    syncBuiltinESMExports();
    await Promise.all(open.splice(0).map((receiver) => receiver.close()));
  });

  const receiving = async (
    act: (socket: Socket) => void,
    options?: Parameters<typeof startReceiver>[1],
  ): Promise<Receiver> => {
    const receiver = await startReceiver(act, options);
    open.push(receiver);
    return receiver;
  };
  const send = async (receiver: Receiver, given: Partial<OutboundRequest> = {}): Promise<SendOutcome> =>
    await outbound.send({
      url: `http://127.0.0.1:${receiver.port}/hook?a=b`,
      headers: { 'content-type': 'application/json', 'X-Service-Signature': 'ab12' },
      body: BODY,
      timeoutMs: 10_000,
      maxReplyBytes: 65_536,
      ...given,
    });
  /** Returns what a receiver that writes this, and then does nothing, makes of a call. */
  const answeredWith = async (text: string | Buffer, given?: Partial<OutboundRequest>): Promise<SendOutcome> => {
    const receiver = await receiving((socket) => socket.write(text));
    const outcome = await send(receiver, given);
    await receiver.allClosed();
    return outcome;
  };
  const assertAnswered = (outcome: SendOutcome, expected: object): void => {
    const { latencyMs: _, ...rest } = outcome;
    assert.deepEqual(rest, { outcome: 'answered', ...expected });
  };
  const assertUnknown = (outcome: SendOutcome, cause: string): void =>
    assert(outcome.outcome === 'unknown' && outcome.cause === cause, JSON.stringify(outcome));
  const assertNotSent = (outcome: SendOutcome, cause: string): void =>
    assert(outcome.outcome === 'not_sent' && outcome.cause === cause, JSON.stringify(outcome));

  describe('sends', () => {
    it('one POST with the headers, the body and its length, and asks for no compression and no second request', async () => {
      const receiver = await receiving((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
      const outcome = await send(receiver);
      assertAnswered(outcome, { status: 200, replyText: 'ok', replyEnd: 'whole' });
      const [head = '', body] = (receiver.requests[0] ?? '').split('\r\n\r\n');
      const [first, ...headers] = head.split('\r\n');
      assert.equal(first, 'POST /hook?a=b HTTP/1.1');
      assert.deepEqual(headers.map((line) => line.toLowerCase()).toSorted(), [
        'accept-encoding: identity',
        'connection: close',
        `content-length: ${BODY.length}`,
        'content-type: application/json',
        `host: 127.0.0.1:${receiver.port}`,
        'x-service-signature: ab12',
      ]);
      assert.equal(body, BODY);
      await receiver.allClosed();
    });

    it('bytes as they are, over a connection of its own each time', async () => {
      const receiver = await receiving((socket) =>
        socket.write('HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n'),
      );
      const body = new TextEncoder().encode('xxü€');
      for (const _ of [1, 2, 3])
        assertAnswered(await send(receiver, { body: body.subarray(2) }), {
          status: 204,
          replyText: '',
          replyEnd: 'whole',
        });
      assert.equal(receiver.connections(), 3);
      for (const request of receiver.requests) assert.match(request, /content-length: 5\r\n\r\nü€$/i);
      await receiver.allClosed();
    });

    it('nothing where a header is none, or the client’s own', async () => {
      const receiver = await receiving(() => undefined);
      const bad: Record<string, string>[] = [
        { 'x\r\ny': 'a' },
        { x: 'a\r\nHost: b' },
        ...['Host', 'connection', 'Transfer-Encoding', 'content-length', 'expect', 'upgrade', 'accept-encoding'].map(
          (name) => ({ [name]: '1' }),
        ),
      ];
      for (const headers of bad) await assert.rejects(send(receiver, { headers }), TypeError, JSON.stringify(headers));
      assert.equal(receiver.connections(), 0);
    });

    it('directly, no matter which proxy the environment names', async () => {
      const proxy = await receiving((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy'));
      const receiver = await receiving((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
      const settings = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
      try {
        for (const name of settings)
          process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`;
        assertAnswered(await send(receiver), { status: 204, replyText: '', replyEnd: 'whole' });
      } finally {
        for (const name of settings) delete process.env[name];
      }
      assert.equal(proxy.connections(), 0);
    });
  });

  describe('takes as the answer', () => {
    for (const status of [200, 201, 299, 400, 404, 410, 429, 500, 503, 599]) {
      it(`${status}`, async () => {
        assertAnswered(await answeredWith(`HTTP/1.1 ${status} X\r\nContent-Length: 3\r\n\r\nabc`), {
          status,
          replyText: 'abc',
          replyEnd: 'whole',
        });
      });
    }

    for (const status of [300, 301, 302, 303, 307, 308]) {
      it(`${status}, and does not follow it`, async () => {
        const target = await receiving((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
        for (const location of [
          `http://127.0.0.1:${target.port}/`,
          'http://169.254.169.254/',
          '/again',
          'file:///etc/passwd',
        ]) {
          const receiver = await receiving((socket) =>
            socket.write(`HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
          );
          assertAnswered(await send(receiver), { status, replyText: '', replyEnd: 'whole' });
          assert.equal(receiver.connections(), 1);
        }
        assert.equal(target.connections(), 0);
      });
    }

    it('what comes after 100-something that is no upgrade and no 100', async () => {
      const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
      assertAnswered(await answeredWith(`${early.repeat(3)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`), {
        status: 200,
        replyText: '',
        replyEnd: 'whole',
      });
    });

    it('the first answer, and drops what is behind it', async () => {
      const garbage = 'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n\0\x01garbage';
      assertAnswered(await answeredWith(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${garbage}`), {
        status: 200,
        replyText: 'ok',
        replyEnd: 'whole',
      });
    });

    it('a body in chunks, and one that the end of the connection ends', async () => {
      assertAnswered(await answeredWith('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'), {
        status: 200,
        replyText: 'ok',
        replyEnd: 'whole',
      });
      const receiver = await receiving((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nok'));
      assertAnswered(await send(receiver), { status: 200, replyText: 'ok', replyEnd: 'whole' });
    });

    it('a status whose body breaks off', async () => {
      const receiver = await receiving((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok'));
      assertAnswered(await send(receiver), { status: 200, replyText: 'ok', replyEnd: 'broken' });
    });

    it('a body of 10 MB up to the limit, and closes the connection', async () => {
      let written = 0;
      const chunk = Buffer.alloc(65_536, 'a');
      const receiver = await receiving((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${10 * 2 ** 20}\r\n\r\n`);
        const more = (): void => {
          while (!socket.destroyed && written < 10 * 2 ** 20) {
            written += chunk.length;
            if (!socket.write(chunk)) return void socket.once('drain', more);
          }
        };
        more();
      });
      assertAnswered(await send(receiver, { maxReplyBytes: 10_000 }), {
        status: 200,
        replyText: 'a'.repeat(4_096),
        replyEnd: 'too_long',
      });
      await receiver.allClosed();
      assert(written < 10 * 2 ** 20, `${written}`);
    });

    it('a body of exactly the limit as a whole', async () => {
      const body = 'b'.repeat(5_000);
      const text = `HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${body}`;
      assertAnswered(await answeredWith(text, { maxReplyBytes: 5_000 }), {
        status: 200,
        replyText: body.slice(0, 4_096),
        replyEnd: 'whole',
      });
      assertAnswered(await answeredWith(text, { maxReplyBytes: 4_999 }), {
        status: 200,
        replyText: body.slice(0, 4_096),
        replyEnd: 'too_long',
      });
    });

    it('a body of one byte a tenth of a second for two seconds, and closes the connection', async () => {
      const receiver = await receiving((socket) => {
        socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 1000\r\n\r\n');
        const timer = setInterval(() => socket.write('x'), 100);
        socket.on('close', () => clearInterval(timer));
      });
      const begun = performance.now();
      const outcome = await send(receiver);
      assert(outcome.outcome === 'answered' && outcome.status === 202 && outcome.replyEnd === 'too_slow');
      assert.match(outcome.replyText, /^x{5,25}$/);
      assert(performance.now() - begun < 9_000, 'not after the ten seconds of the call');
      assert(outcome.latencyMs < 1_500, 'of the headers, not of the body');
      await receiver.allClosed();
    });

    it('a compressed body without unpacking it', async () => {
      const bomb = gzipSync(Buffer.alloc(20 * 2 ** 20));
      assert(bomb.length < 65_536);
      const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
      const before = process.memoryUsage().arrayBuffers;
      assertAnswered(await answeredWith(Buffer.concat([Buffer.from(head), bomb])), {
        status: 200,
        replyText: '',
        replyEnd: 'whole',
      });
      assert(process.memoryUsage().arrayBuffers - before < 10 * 2 ** 20);
    });

    it('4 KiB of a text, or as many bytes as the caller reads', async () => {
      const text = 'x'.repeat(9_000);
      const answer = `HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n${text}`;
      const whole = { status: 200, replyEnd: 'whole' };
      assertAnswered(await answeredWith(answer), { ...whole, replyText: text.slice(0, 4_096) });
      assertAnswered(await answeredWith(answer, { replyTextBytes: 65_536 }), { ...whole, replyText: text });
    });

    it('a text that a log and a row can hold', async () => {
      const body = Buffer.concat([
        Buffer.from('a\0b\x1b[31m\tc\n\u0085ü'),
        Buffer.from([0xff]),
        Buffer.from('€').subarray(0, 2),
      ]);
      const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
      assertAnswered(await answeredWith(Buffer.concat([head, body])), {
        status: 200,
        replyText: 'a\uFFFDb\uFFFD[31m\tc\n\uFFFDü\uFFFD',
        replyEnd: 'whole',
      });
    });
  });

  describe('is unknown, since bytes have left, where the receiver', () => {
    it('hangs', async () => {
      const receiver = await receiving(() => undefined);
      const outcome = await send(receiver, { timeoutMs: 400 });
      assertUnknown(outcome, 'timeout');
      assert(outcome.latencyMs >= 390 && outcome.latencyMs < 2_000);
      await receiver.allClosed();
    });

    it('hangs until the caller gives up', async () => {
      const receiver = await receiving(() => undefined);
      const stop = new AbortController();
      const sent = send(receiver, { signal: stop.signal });
      await eventually('the request', () => receiver.requests[0]?.endsWith(BODY));
      stop.abort();
      assertUnknown(await sent, 'aborted');
      await receiver.allClosed();
    });

    it('reads nothing of a large body', async () => {
      const receiver = await receiving((socket) => socket.pause(), { atOnce: true });
      assertUnknown(await send(receiver, { body: randomBytes(20 * 2 ** 20), timeoutMs: 400 }), 'timeout');
    });

    it('resets after reading', async () => {
      const receiver = await receiving((socket) => socket.resetAndDestroy());
      assertUnknown(await send(receiver), 'broken');
    });

    it('resets while it reads', async () => {
      const receiver = await receiving((socket) => void socket.once('data', () => socket.resetAndDestroy()), {
        atOnce: true,
      });
      assertUnknown(await send(receiver, { body: randomBytes(20 * 2 ** 20) }), 'broken');
    });

    it('resets before it reads, unless the reset comes before the first byte leaves', async () => {
      const receiver = await receiving((socket) => socket.resetAndDestroy(), { atOnce: true });
      const outcome = await send(receiver);
      assert('cause' in outcome);
      assert(['unknown broken', 'not_sent connect_failed'].includes(`${outcome.outcome} ${outcome.cause}`));
      assert.equal(receiver.connections(), 1);
    });

    it('closes without an answer', async () => {
      const receiver = await receiving((socket) => socket.end());
      assertUnknown(await send(receiver), 'broken');
      assert.equal(receiver.connections(), 1, 'and is called once');
    });

    it('closes in the headers', async () => {
      const receiver = await receiving((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'));
      assertUnknown(await send(receiver), 'broken');
    });

    it('never ends its headers, fast', async () => {
      const receiver = await receiving((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const more = (): void => {
          while (!socket.destroyed)
            if (!socket.write(`x-${'a'.repeat(1_000)}: b\r\n`)) return void socket.once('drain', more);
        };
        more();
      });
      assertUnknown(await send(receiver), 'broken');
      await receiver.allClosed();
    });

    it('never ends its headers, slowly', async () => {
      const receiver = await receiving((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('x: y\r\n'), 50);
        socket.on('close', () => clearInterval(timer));
      });
      assertUnknown(await send(receiver, { timeoutMs: 600 }), 'timeout');
      await receiver.allClosed();
    });

    it('never ends its interim answers', async () => {
      const receiver = await receiving((socket) => {
        const more = (): void => {
          while (!socket.destroyed)
            if (!socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')) return void socket.once('drain', more);
        };
        more();
      });
      assertUnknown(await send(receiver), 'broken');
      await receiver.allClosed();
    });

    for (const [what, text] of [
      ['answers something else', 'SSH-2.0-OpenSSH_9.6\r\n'],
      ['answers in binary', Buffer.from([0, 1, 2, 3, 255, 254])],
      ['answers 100 Continue to nothing', 'HTTP/1.1 100 Continue\r\n\r\n'],
      ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
      ['answers with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
      [
        'answers with length and chunks',
        'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
    ] as const) {
      it(what, async () => assertUnknown(await answeredWith(text), 'broken'));
    }
  });

  describe('is not_sent where', () => {
    it('nobody listens', async () => {
      const receiver = await receiving(() => undefined);
      await receiver.close();
      open.pop();
      assertNotSent(await send(receiver), 'connect_failed');
    });

    it('the caller has given up before', async () => {
      const receiver = await receiving(() => undefined);
      assertNotSent(await send(receiver, { signal: AbortSignal.abort() }), 'aborted');
      assert.equal(receiver.connections(), 0);
    });

    it('the TLS handshake does not end, within the time of a connection', async () => {
      const receiver = await receiving(() => undefined);
      const outcome = await send(receiver, { url: `https://127.0.0.1:${receiver.port}/`, timeoutMs: 500 });
      assertNotSent(outcome, 'timeout');
      await receiver.allClosed();
      const whole = await send(receiver, { url: `https://127.0.0.1:${receiver.port}/` });
      assertNotSent(whole, 'timeout');
      assert(whole.latencyMs >= 4_900 && whole.latencyMs < 8_000, `${whole.latencyMs}`);
    });

    it('the receiver speaks no TLS, or resets in the handshake', async () => {
      const plain = await receiving((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), { atOnce: true });
      assertNotSent(await send(plain, { url: `https://127.0.0.1:${plain.port}/` }), 'tls_failed');
      const resetting = await receiving((socket) => void socket.once('data', () => socket.resetAndDestroy()), {
        atOnce: true,
      });
      assertNotSent(await send(resetting, { url: `https://127.0.0.1:${resetting.port}/` }), 'tls_failed');
      const closing = await receiving((socket) => socket.end(), { atOnce: true });
      assertNotSent(await send(closing, { url: `https://127.0.0.1:${closing.port}/` }), 'tls_failed');
    });
  });

  describe('over TLS', () => {
    let dns: DnsStub;
    let receiver: Receiver;
    let trusting: Outbound;

    before(async () => {
      dns = await startDns(() => ['127.0.0.1']);
      receiver = await startReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'), {
        tls: true,
      });
      trusting = createOutbound({ allowLoopback: true, publicBaseUrl, resolver: dns.resolver, ca: authority });
    });
    beforeEach(() => {
      receiver.requests.length = 0;
    });
    after(async () => {
      await receiver.close();
      await dns.close();
    });

    const sendTo = async (client: Outbound, host: string): Promise<SendOutcome> =>
      await client.send({
        url: `https://${host}:${receiver.port}/`,
        headers: {},
        body: BODY,
        timeoutMs: 10_000,
        maxReplyBytes: 100,
      });

    it('takes a certificate of a trusted authority for the name, or for the address', async () => {
      for (const host of ['hooks.example.com', 'localhost', '127.0.0.1']) {
        assertAnswered(await sendTo(trusting, host), { status: 200, replyText: 'ok', replyEnd: 'whole' });
      }
      assert.match(receiver.requests[0] ?? '', /\r\nhost: hooks\.example\.com:\d+\r\n/i);
    });

    it('refuses a certificate for another name, and sends nothing', async () => {
      assertNotSent(await sendTo(trusting, 'other.example.com'), 'tls_failed');
      assertNotSent(await sendTo(trusting, 'a.localhost'), 'tls_failed');
      assert.equal(receiver.requests.join(''), '');
    });

    it('refuses a certificate that does not have the address of the URL', async () => {
      const six = await receiving((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'), {
        tls: true,
        host: '::1',
      });
      const call = { headers: {}, body: BODY, timeoutMs: 10_000, maxReplyBytes: 100 };
      assertNotSent(await trusting.send({ ...call, url: `https://[::1]:${six.port}/` }), 'tls_failed');
      assert.equal(six.requests.join(''), '');
    });

    it('refuses a certificate of an unknown authority, no matter what NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
      const careful = createOutbound({ allowLoopback: true, publicBaseUrl, resolver: dns.resolver });
      const warnings = mock.method(process, 'emitWarning', () => undefined);
      try {
        for (const value of [undefined, '0']) {
          if (value !== undefined) process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = value;
          assertNotSent(await sendTo(careful, 'hooks.example.com'), 'tls_failed');
        }
      } finally {
        delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
        warnings.mock.restore();
      }
      assert.equal(receiver.requests.join(''), '');
    });
  });

  describe('whose connection ends elsewhere than it was to, as behind a hidden redirection of the network,', () => {
    /** Leads every connection to this port of 127.0.0.1, no matter which address it was for. */
    const divertTo = (port: number): void => {
      const original = net.connect;
      mock.method(net, 'connect', (options: net.TcpNetConnectOpts) =>
        original({ ...options, host: '127.0.0.1', port }),
      );
      syncBuiltinESMExports();
    };

    for (const [what, tls] of [
      ['plain', false],
      ['TLS', true],
    ] as const) {
      it(`is refused before the first byte: a ${what} receiver`, async () => {
        const came: number[] = [];
        const receiver = await receiving((socket) => socket.on('data', (chunk: Buffer) => came.push(chunk.length)), {
          atOnce: true,
        });
        divertTo(receiver.port);
        const careful = createOutbound({ allowLoopback: false, publicBaseUrl });
        const url = tls ? 'https://93.184.215.14/' : `http://127.0.0.2:${receiver.port}/`;
        const outcome = await (tls ? careful : outbound).send({
          url,
          headers: {},
          body: BODY,
          timeoutMs: 5_000,
          maxReplyBytes: 100,
        });
        assert(outcome.outcome === 'refused' && outcome.rule === 'address', JSON.stringify(outcome));
        await eventually('the connection', () => receiver.connections() === 1);
        await receiver.allClosed();
        assert.deepEqual(came, []);
      });
    }
  });

  it('leaves nothing behind: no socket, no timer, no listener at the caller’s signal', async () => {
    const receiver = await receiving((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const listeners: number[] = [0];
    const caller = new AbortController();
    const { addEventListener, removeEventListener } = caller.signal;
    mock.method(caller.signal, 'addEventListener', (...given: Parameters<typeof addEventListener>) => {
      listeners[0] = (listeners[0] ?? 0) + 1;
      addEventListener.apply(caller.signal, given);
    });
    mock.method(caller.signal, 'removeEventListener', (...given: Parameters<typeof removeEventListener>) => {
      listeners[0] = (listeners[0] ?? 0) - 1;
      removeEventListener.apply(caller.signal, given);
    });
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    await Promise.all(Array.from({ length: 200 }, async () => await send(receiver, { signal: caller.signal })));
    await receiver.allClosed();
    assert.deepEqual(listeners, [0]);
    assert(timers() <= before + 3, `${timers()} timers, ${before} before`);
  });
});
