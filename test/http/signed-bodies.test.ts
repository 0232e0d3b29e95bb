import assert from 'node:assert/strict';
import { z } from 'zod';
import { SignedBodySchema } from '../../src/http/signed-body.ts';
import { route } from '../../src/http/route.ts';
import { assertProblem, assertStatus } from '../support/service.ts';
import { openShell, type Shell } from './support/shell.ts';

const Reply = z.object({ hex: z.string() });

const echoes = [true, false].map((signed) =>
  route({
    method: 'post',
    path: signed ? '/v1/signed' : '/v1/counted',
    operation: signed ? 'takeSigned' : 'takeCounted',
    tag: 'billing',
    summary: 'Says which bytes came',
    audience: 'public',
    ...(signed && { takesSigned: { mediaTypes: ['application/json'], headers: z.object({}) }, body: SignedBodySchema }),
    bodyLimit: 64,
    status: 200,
    reply: Reply,
    handler: async ({ body }: { body: unknown }) => ({
      status: 200,
      body: { hex: Buffer.isBuffer(body) ? body.toString('hex') : '' },
    }),
  }),
);

describe('A route that takes what somebody has signed', () => {
  let shell: Shell;
  before(async () => {
    shell = await openShell({
      routes: echoes,
      settings: { RATE_LIMIT_PER_MINUTE: '10', ANONYMOUS_RATE_LIMIT_PER_MINUTE: '6000' },
    });
  });
  after(() => shell.close());

  const bytesOf = async (body: string, headers: Record<string, string> = {}): Promise<string> =>
    Buffer.from(
      assertStatus(await shell.anonymous.post<{ hex: string }>('/v1/signed', body, headers), 200).hex,
      'hex',
    ).toString();

  it('is given the bytes as they came, no matter what they are said to be', async () => {
    for (const body of ['{ "a" : 1.0 }', '{"a":1,"a":2}', 'no JSON at all', '\u0000é', ' ']) {
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
        assert.equal(await bytesOf(body, { 'content-type': type }), body);
      }
    }
  });

  it('is given none where none came', async () => {
    assert.equal(assertStatus(await shell.anonymous.post('/v1/signed'), 200).hex, '');
  });

  it('takes no more than its limit', async () => {
    assertProblem(await shell.anonymous.post('/v1/signed', 'x'.repeat(65)), 'BODY_TOO_LARGE');
  });

  it('is not counted against an address that others share', async () => {
    const [signed, counted] = [
      await shell.anonymous.post('/v1/signed', 'x'),
      await shell.anonymous.post('/v1/counted'),
    ];
    assert.equal(signed.headers.get('x-ratelimit-remaining'), null);
    assert.equal(counted.headers.get('x-ratelimit-remaining'), '1999', 'the signed ones before it took nothing');
  });
});
