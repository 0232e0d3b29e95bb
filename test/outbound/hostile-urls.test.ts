import assert from 'node:assert/strict';
import { createOutbound, rules, type Outbound } from '../../src/outbound/index.ts';
import { startDns, type DnsAnswer, type DnsStub } from '../support/dns-stub.ts';
import { harmlessNames, harmlessUrls, hostileNames, hostileUrls, OWN_URL } from './hostile-urls.ts';

const names: Readonly<Record<string, DnsAnswer>> = { ...hostileNames, ...harmlessNames };
const call = { headers: {}, body: '{}', timeoutMs: 10_000, maxReplyBytes: 1_024 };
const shown = (url: string): string => JSON.stringify(url.length > 90 ? `${url.slice(0, 90)}…` : url);

describe('URLs that users name', () => {
  let dns: DnsStub;
  let outbound: Outbound;
  let onTrial: Outbound;

  before(async () => {
    dns = await startDns(({ name }) => names[name] ?? 'NXDOMAIN');
    outbound = createOutbound({ allowLoopback: false, publicBaseUrl: OWN_URL, resolver: dns.resolver });
    onTrial = createOutbound({ allowLoopback: true, publicBaseUrl: OWN_URL, resolver: dns.resolver });
  });
  after(() => dns.close());

  it('there are more than 150 hostile ones, no two the same, and each rule but one refuses some', () => {
    const urls = hostileUrls.flatMap((category) => category.urls);
    assert(urls.length > 250, `${urls.length}`);
    assert.equal(new Set(urls).size, urls.length);
    // A thousand answers are in resolve.test.ts.
    const used = new Set([...hostileUrls.map(({ rule }) => rule), 'too_many_addresses']);
    assert.deepEqual([...used].toSorted(), Object.keys(rules).toSorted());
  });

  for (const { name, rule, urls } of hostileUrls) {
    describe(name, () => {
      for (const url of urls) {
        it(`${shown(url)} is refused when it is named, and when it is called: ${rule}`, async () => {
          assert.deepEqual(await outbound.check(url), { outcome: 'refused', rule, sentence: rules[rule] });
          const { latencyMs, ...outcome } = await outbound.send({ ...call, url });
          assert.deepEqual(outcome, { outcome: 'refused', rule, sentence: rules[rule] });
          assert(latencyMs < 3_000);
        });
      }
    });
  }

  it('hostile ones are refused in a local trial too, unless they lead to loopback addresses alone', async () => {
    const accepted: string[] = [];
    for (const url of hostileUrls.flatMap((category) => category.urls)) {
      const checked = await onTrial.check(url);
      if (checked.outcome === 'resolved') {
        assert(
          checked.addresses.every((address) => /^127\.|^::1$/.test(address)),
          `${url} ${checked.addresses.join()}`,
        );
        accepted.push(url);
      } else if (checked.outcome === 'not_sent') {
        // http and other ports wait for DNS: only it knows whether a name is loopback. These have no address.
        assert(
          ['http://example.com/', 'HTTP://example.com/'].includes(url) || url.startsWith('https://example.com:'),
          url,
        );
      }
    }
    assert(accepted.includes('https://127.0.0.1/') && accepted.includes('http://127.0.0.1/'));
    assert(accepted.includes('https://localhost/') && accepted.includes('https://lvh.example.com/'));
    assert(
      !accepted.includes('https://six-loopback.example.com/') && !accepted.includes('https://[::ffff:127.0.0.1]/'),
    );
  });

  it('harmless ones are accepted', async () => {
    for (const url of harmlessUrls) {
      const checked = await outbound.check(url);
      assert.equal(checked.outcome, 'resolved', `${url} ${JSON.stringify(checked)}`);
    }
  });

  it('those that are parsed have one spelling each', () => {
    const hrefOf = (url: string): string => {
      const parsed = outbound.parse(url);
      assert(parsed.outcome === 'parsed');
      return parsed.href;
    };
    for (const url of [
      'https://hooks.example.com/a',
      'HTTPS://HOOKS.example.com:443/a',
      'https://hooks.example%2ecom/b/../a',
    ]) {
      assert.equal(hrefOf(url), 'https://hooks.example.com/a');
    }
  });
});
