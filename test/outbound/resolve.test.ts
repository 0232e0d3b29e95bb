import assert from 'node:assert/strict';
import { createOutbound, type Outbound } from '../../src/outbound/index.ts';
import { startDns, type DnsAnswer, type DnsQuestion, type DnsStub } from '../support/dns-stub.ts';
import { startReceiver, type Receiver } from './receiver.ts';

const PUBLIC = '93.184.215.14';
const call = { headers: {}, body: '{}', timeoutMs: 10_000, maxReplyBytes: 1_024 };
const OK = 'HTTP/1.1 204 No Content\r\n\r\n';

describe('DNS of an outbound call', () => {
  let answer: (question: DnsQuestion) => DnsAnswer;
  let dns: DnsStub;
  let outbound: Outbound;
  let onTrial: Outbound;
  let receiver: Receiver;

  before(async () => {
    dns = await startDns((question) => answer(question));
    const publicBaseUrl = 'https://carnet.example.com';
    outbound = createOutbound({ allowLoopback: false, publicBaseUrl, resolver: dns.resolver });
    onTrial = createOutbound({ allowLoopback: true, publicBaseUrl, resolver: dns.resolver });
  });
  beforeEach(async () => {
    dns.questions.length = 0;
    receiver = await startReceiver((socket) => socket.end(OK));
  });
  afterEach(() => receiver.close());
  after(() => dns.close());

  const assertCheck = async (expected: object): Promise<void> => {
    const { sentence: _, ...checked } = { sentence: '', ...(await outbound.check('https://hooks.example.com/')) };
    assert.deepEqual(checked, expected);
  };
  const causeOf = async (url: string): Promise<string> => {
    const outcome = await onTrial.send({ ...call, url });
    return outcome.outcome === 'refused'
      ? outcome.rule
      : outcome.outcome === 'not_sent'
        ? outcome.cause
        : outcome.outcome;
  };

  it('is asked for both families, and what it says is what is connected to', async () => {
    answer = () => [PUBLIC, '93.184.215.15', '2606:4700::1'];
    await assertCheck({
      outcome: 'resolved',
      addresses: [PUBLIC, '93.184.215.15', '2606:4700:0:0:0:0:0:1'.replace(/(:0)+:/, '::')],
    });
    assert.deepEqual(dns.questions.map(({ type }) => type).toSorted(), ['A', 'AAAA']);
  });

  it('is asked once a call and family: the connection looks nothing up', async () => {
    answer = () => ['127.0.0.1'];
    assert.equal(await causeOf(`http://hooks.example.com:${receiver.port}/`), 'answered');
    assert.deepEqual(dns.questions.map(({ name, type }) => `${name} ${type}`).toSorted(), [
      'hooks.example.com A',
      'hooks.example.com AAAA',
    ]);
    assert.match(
      receiver.requests[0] ?? '',
      new RegExp(`^POST / HTTP/1.1\r\nhost: hooks.example.com:${receiver.port}\r\n`, 'i'),
    );
  });

  it('that changes its answer after the check (rebinding) is refused at the call, with TTL 0 and no connection', async () => {
    let asked = 0;
    answer = ({ type }) => {
      if (type === 'A') asked += 1;
      return asked > 1 ? ['127.0.0.1'] : [PUBLIC];
    };
    const url = 'https://rebinding.example.com:8443/';
    assert.equal((await outbound.check(url)).outcome, 'resolved');
    const outcome = await outbound.send({ ...call, url });
    assert(outcome.outcome === 'refused' && outcome.rule === 'address');
    assert.equal(asked, 2);
  });

  it('that changes its answer between two calls is asked again, and nothing of the first call is used', async () => {
    let asked = 0;
    answer = ({ type }) => {
      if (type === 'A') asked += 1;
      return asked > 1 ? ['10.0.0.1'] : ['127.0.0.1'];
    };
    const url = `http://rebinding.example.com:${receiver.port}/`;
    assert.equal(await causeOf(url), 'answered');
    assert.equal(await causeOf(url), 'address');
    assert.equal(receiver.connections(), 1);
  });

  it('that adds a private address to one that is allowed refuses the call before any connection', async () => {
    for (const other of ['10.0.0.1', PUBLIC, 'fd00::1', '::ffff:127.0.0.1', '169.254.169.254']) {
      answer = () => ['127.0.0.1', other];
      assert.equal(await causeOf(`http://mixed.example.com:${receiver.port}/`), 'address', other);
    }
    assert.equal(receiver.connections(), 0);
  });

  it('in a local trial leads http and other ports to loopback addresses alone', async () => {
    answer = () => [PUBLIC];
    assert.equal(await causeOf('http://hooks.example.com/'), 'scheme');
    assert.equal(await causeOf('https://hooks.example.com:9443/'), 'port');
    assert.equal(await causeOf('http://93.184.215.14/'), 'scheme');
    assert.equal(await causeOf('https://93.184.215.14:9443/'), 'port');
  });

  it('is not asked about localhost, which is the machine itself', async () => {
    answer = () => [PUBLIC];
    assert.equal(await causeOf(`http://localhost:${receiver.port}/`), 'answered');
    assert.equal(await causeOf(`http://a.localhost:${receiver.port}/`), 'answered');
    assert.deepEqual(dns.questions, []);
  });

  it('that knows no such name, or no address of it, is not_sent', async () => {
    answer = () => 'NXDOMAIN';
    await assertCheck({ outcome: 'not_sent', cause: 'no_address' });
    answer = () => [];
    await assertCheck({ outcome: 'not_sent', cause: 'no_address' });
    answer = () => ({ via: ['nowhere.example.net'], addresses: [] });
    await assertCheck({ outcome: 'not_sent', cause: 'no_address' });
  });

  it('that fails is not_sent', async () => {
    for (const failure of ['SERVFAIL', 'REFUSED', 'garbage'] as const) {
      answer = () => failure;
      await assertCheck({ outcome: 'not_sent', cause: 'dns_failed' });
    }
    answer = ({ type }) => (type === 'A' ? 'SERVFAIL' : []);
    await assertCheck({ outcome: 'not_sent', cause: 'dns_failed' });
  });

  it('that fails at one family leaves what it said of the other, which is checked as ever', async () => {
    answer = ({ type }) => (type === 'AAAA' ? 'SERVFAIL' : [PUBLIC]);
    await assertCheck({ outcome: 'resolved', addresses: [PUBLIC] });
    answer = ({ type }) => (type === 'AAAA' ? 'SERVFAIL' : ['10.0.0.1']);
    await assertCheck({ outcome: 'refused', rule: 'address' });
  });

  it('that hangs ends after three seconds, or with the time of the call, or with its caller', async () => {
    answer = () => 'silence';
    const begun = performance.now();
    const [whole, short, given] = await Promise.all([
      outbound.send({ ...call, url: 'https://a.example.com/' }),
      outbound.send({ ...call, url: 'https://b.example.com/', timeoutMs: 200 }),
      outbound.send({ ...call, url: 'https://c.example.com/', signal: AbortSignal.timeout(300) }),
    ]);
    assert(whole.outcome === 'not_sent' && ['timeout', 'dns_failed'].includes(whole.cause));
    assert(short.outcome === 'not_sent' && short.cause === 'timeout' && short.latencyMs < 2_800);
    assert(given.outcome === 'not_sent' && given.cause === 'aborted' && given.latencyMs < 2_800);
    assert(performance.now() - begun < 9_000, 'not after the ten seconds of the call');
  });

  it('that hangs at one family only delays the call', async () => {
    answer = ({ type }) => (type === 'AAAA' ? 'silence' : [PUBLIC]);
    await assertCheck({ outcome: 'resolved', addresses: [PUBLIC] });
  });

  it('with a thousand answers is refused', async () => {
    answer = () => Array.from({ length: 1_000 }, (_, index) => `93.184.${index >> 8}.${index & 255}`);
    await assertCheck({ outcome: 'refused', rule: 'too_many_addresses' });
    assert(dns.questions.some(({ overTcp }) => overTcp));
    answer = () => Array.from({ length: 32 }, (_, index) => `93.184.215.${index}`);
    assert.equal((await outbound.check('https://hooks.example.com/')).outcome, 'resolved');
    answer = () => Array.from({ length: 33 }, (_, index) => `93.184.215.${index}`);
    await assertCheck({ outcome: 'refused', rule: 'too_many_addresses' });
  });

  it('that hides a private address behind hundreds of public ones is refused', async () => {
    answer = () => [...Array.from({ length: 30 }, (_, index) => `93.184.215.${index}`), '10.0.0.1'];
    await assertCheck({ outcome: 'refused', rule: 'address' });
  });

  it('leads to the next address where nobody listens at the first', async () => {
    // ::1 has no listener at this port: the receiver listens on 127.0.0.1.
    const six = await startReceiver((socket) => socket.end(OK), { host: '::1' });
    try {
      answer = () => ['127.0.0.1', '::1'];
      assert.equal(await causeOf(`http://hooks.example.com:${six.port}/`), 'answered');
    } finally {
      await six.close();
    }
  });

  it('refuses this service on a loopback address by its port, under every name', async () => {
    const own = createOutbound({
      allowLoopback: true,
      publicBaseUrl: `http://127.0.0.1:${receiver.port}`,
      resolver: dns.resolver,
    });
    answer = () => ['127.0.0.1'];
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.2', '[::1]', 'hooks.example.com']) {
      const outcome = await own.send({ ...call, url: `http://${host}:${receiver.port}/` });
      assert(outcome.outcome === 'refused' && outcome.rule === 'own_host', host);
    }
    assert.equal(receiver.connections(), 0);
  });
});
