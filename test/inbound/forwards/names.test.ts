import assert from 'node:assert/strict';
import { createPorts } from '../../../activities/ports.ts';
import { findEvent } from '../../../src/inbound/events/queries.ts';
import { advanceInbound, type ScannerContext } from '../../../src/inbound/events/life.ts';
import { forwardInbound } from '../../../src/inbound/forwards/forward.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { startDns, type DnsStub } from '../../support/dns-stub.ts';
import { newEndpoint, newEvent } from '../support/endpoints.ts';

const PUBLIC = '93.184.215.14';
/** The addresses that each name has, beside its public address or without one. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  '127.0.0.1.nip.io': ['127.0.0.1'],
  '10-0-0-1.sslip.io': ['10.0.0.1'],
  'metadata.example.com': ['169.254.169.254'],
  'shared.example.com': ['100.64.0.1'],
  'six.example.com': ['::1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'local-six.example.com': ['fd00::1'],
  'both.example.com': [PUBLIC, '192.168.1.1'],
};

describe('A forward to a name', function () {
  this.timeout(60_000);
  let own: OwnContext;
  let dns: DnsStub;
  let context: ScannerContext;
  /** The answer of DNS now. */
  let names: Readonly<Record<string, readonly string[]>>;
  before(async () => {
    dns = await startDns(({ name, type }) => {
      const found = names[name];
      return found === undefined ? 'NXDOMAIN' : found.filter((address) => address.includes(':') === (type === 'AAAA'));
    });
    own = await ownContext();
    const { publicBaseUrl } = own.context.config;
    const outbound = createOutbound({ allowLoopback: false, publicBaseUrl, resolver: dns.resolver });
    context = { ...own.context, outbound, ...createPorts(own.context) };
  });
  after(async () => {
    await dns.close();
    await own.close();
  });

  for (const name of Object.keys(NAMES)) {
    it(`is not made where ${name} leads to a private address, which it did not when the endpoint was made`, async () => {
      const forwardUrl = `https://${name}/hook`;
      names = { [name]: [PUBLIC] };
      assert.equal((await context.outbound.check(forwardUrl)).outcome, 'resolved');
      const endpoint = await newEndpoint(context, { forwardUrl });
      names = NAMES;
      const id = await newEvent(context, endpoint);
      assert.equal((await advanceInbound(context, id)).status, 'forward');
      await forwardInbound(context, id);
      const { operatorId, id: endpointId } = endpoint;
      const event = await findEvent(context.pool, { operatorId, endpointId, id });
      assert.equal(event?.status, 'forward_blocked');
      const [{ status, reason, status_code: code } = {}, ...more] = event.forwards;
      assert.deepEqual([status, reason, code, more], ['refused', 'address_refused', null, []]);
    });
  }
});
