import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { admitRequest, receiveInbound } from '../../../src/inbound/receiver/receive.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { newEndpoint } from '../support/endpoints.ts';

/** A mail with its attachments may have 10 MiB. */
const SIZE = 10 * 1_048_576;
/** More than the queries of a request need, and all that is read of JSON before its signature. */
const MAX_CHARACTERS = 131_072;

const SIGNED = { timestamp: String(Math.floor(Date.now() / 1_000)), token: 'a'.repeat(50), signature: 'f'.repeat(64) };
const FORM = 'application/x-www-form-urlencoded';

/** How many characters were made of bytes while something worked. */
async function decodedDuring(work: () => Promise<unknown>): Promise<number> {
  const buffers = mock.method(Buffer.prototype, 'toString');
  const decoders = mock.method(TextDecoder.prototype, 'decode');
  try {
    await work();
    return [...buffers.mock.calls, ...decoders.mock.calls].reduce((sum, { result }) => sum + (result?.length ?? 0), 0);
  } finally {
    buffers.mock.restore();
    decoders.mock.restore();
  }
}

const part = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

describe('A large body that nobody signed', function () {
  this.timeout(60_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  const fields = new URLSearchParams(SIGNED).toString();
  const parts = Object.entries(SIGNED).map(([name, value]) => part(name, value));
  const bodies: [what: string, headers: Record<string, string>, body: string][] = [
    ['a form', { 'content-type': FORM }, `a=${'%41+'.repeat(SIZE / 4 - 1)}`],
    ['a form with false fields at its end', { 'content-type': FORM }, `a=${'+'.repeat(SIZE - 300)}&${fields}`],
    [
      'a form with a token without end',
      { 'content-type': FORM },
      `${fields.replace(/&token=a+/, '')}&token=${'a'.repeat(SIZE - 300)}`,
    ],
    [
      'a form in parts',
      { 'content-type': 'multipart/form-data; boundary=b' },
      `${part('a', 'x'.repeat(SIZE - 1_000))}${parts.join('')}--b--\r\n`,
    ],
    ['JSON', { 'content-type': 'application/json' }, JSON.stringify({ signature: SIGNED, a: 'x'.repeat(SIZE - 300) })],
    [
      'a form beside a header that does not fit',
      { 'content-type': FORM, 'x-service-signature': 'f'.repeat(64) },
      `a=${'%41+'.repeat(SIZE / 4 - 1)}`,
    ],
  ];
  for (const [what, headers, text] of bodies) {
    it(`is refused before it is read: ${what}`, async () => {
      const { context } = own;
      const endpoint = await newEndpoint(context, { provider: 'mail_provider' });
      const { found } = await admitRequest(context, { provider: 'mail_provider', slug: endpoint.slug });
      const request = {
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
        body: Buffer.from(text),
      };
      const decoded = await decodedDuring(() =>
        assert.rejects(receiveInbound(context, found, request), { code: 'INVALID_SIGNATURE' }),
      );
      assert(decoded <= MAX_CHARACTERS, `${decoded} characters`);
    });
  }
});
