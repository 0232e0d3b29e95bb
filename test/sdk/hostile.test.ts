import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { pauseBefore } from '../../sdk/typescript/src/client.ts';
import { admit } from '../../sdk/typescript/src/express.ts';
import { Carnet, door, PassportRefused, UnclearError, verifyWebhook } from '../../sdk/typescript/src/index.ts';

const MIB = 2 ** 20;
const rejected = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error as Error,
  );

/** An answer that goes on for as many MiB as are read, and how many were. */
function endless(type: string, most: number): { response: () => Response; sent: () => number } {
  let sent = 0;
  const chunk = new Uint8Array(MIB).fill(0x20);
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    sent += 1;
    if (sent > most) controller.close();
    else controller.enqueue(chunk);
  };
  return {
    response: () => new Response(new ReadableStream({ pull }), { headers: { 'content-type': type } }),
    sent: () => sent,
  };
}

describe('The client of the SDK in TypeScript, of a service that is not kind', () => {
  const refusing = (headers: Record<string, string>) => {
    const problem = JSON.stringify({ status: 429, code: 'RATE_LIMITED', title: 'x', detail: 'x' });
    const asked = { times: 0 };
    const get: typeof fetch = () => {
      asked.times += 1;
      const type = { 'content-type': 'application/problem+json' };
      return Promise.resolve(new Response(problem, { status: 429, headers: { ...type, ...headers } }));
    };
    return { asked, get };
  };
  const clientOf = (get: typeof fetch, more = {}) =>
    new Carnet({ apiKey: 'svc_live_x', baseUrl: 'http://127.0.0.1:9', fetch: get, ...more });

  for (const seconds of ['-5', '-1e9', '0x10', '1e0', '', 'Infinity', 'Wed, 21 Oct 2099 07:28:00 GMT'])
    it(`comes back after pauses of its own where Retry-After is ${JSON.stringify(seconds)}`, async () => {
      const { asked, get } = refusing({ 'retry-after': seconds });
      await rejected(clientOf(get, { patienceMs: 600 }).api.getBalance());
      assert(asked.times <= 4, `${asked.times} tries`);
    });

  it('waits no longer than a timer can', () => {
    assert.equal(pauseBefore(0, 99_999_999), 2 ** 31 - 1);
    assert(pauseBefore(2_000, undefined) <= 15_000);
  });

  it('reads no answer without end', async () => {
    const { response, sent } = endless('application/json', 100);
    const error = await rejected(clientOf(() => Promise.resolve(response()), { patienceMs: 0 }).api.getBalance());
    assert(error instanceof UnclearError, String(error));
    assert(sent() < 70, `${sent()} MiB`);
  });

  it('never repeats a key that no header can hold, and does not send it', async () => {
    let asked = 0;
    const get: typeof fetch = () => Promise.reject(new Error(`asked ${(asked += 1)} times`));
    for (const apiKey of ['svc_live_“secret”', 'svc_live_\nsecret', 'svc_live_ secret'])
      assert.throws(
        () => clientOf(get, { apiKey }),
        (error) => error instanceof TypeError && !error.message.includes('secret'),
      );
    const body = { input: {} };
    const call = { path: { id: 'skl_1' }, body, idempotencyKey: 'piece…' };
    assert((await rejected(clientOf(get).api.invokeSkill(call))) instanceof TypeError);
    assert.equal(asked, 0);
  });
});

describe('The door of the SDK in TypeScript, of an issuer that is not kind', () => {
  const issuer = 'https://carnet.example.com';
  const uri = `${issuer}/v1/passports/status-list/2026-11-29`;
  let keys: { privateKey: CryptoKey; jwk: JWK };
  before(async () => {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    keys = { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: 'k', alg: 'EdDSA', use: 'sig' } };
  });

  const signed = (payload: object, header: Record<string, unknown> = {}): Promise<string> =>
    new SignJWT({ ...payload })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'k', typ: 'JWT', ...header })
      .sign(keys.privateKey);
  const exp = (): number => Math.floor(Date.now() / 1_000) + 300;
  const passport = (more: object = {}, header = {}): Promise<string> => {
    const svcns = { services: [{ service_id: 'github', scopes: ['read'], constraints: [] }] };
    const status = { status_list: { idx: 3, uri } };
    return signed({ iss: issuer, sub: 'ag_1', jti: 'psp_1', exp: exp(), svcns, status, ...more }, header);
  };
  const listOf = (bytes: Uint8Array, more: object = {}): Promise<string> =>
    signed(
      {
        sub: uri,
        exp: exp(),
        ttl: 60,
        status_list: { bits: 1, lst: deflateSync(bytes).toString('base64url') },
        ...more,
      },
      { typ: 'statuslist+jwt' },
    );

  interface Answers {
    keys?: () => Response | Promise<Response>;
    list?: () => Response | Promise<Response>;
  }
  const gate = (answers: Answers = {}) => {
    const get: typeof fetch = async (input) => {
      const isList = (input as string).includes('status-list');
      if (isList) return await (answers.list?.() ?? new Response(await listOf(new Uint8Array(64))));
      return await (answers.keys?.() ?? Response.json({ keys: [keys.jwk] }));
    };
    return door({ issuer, serviceId: 'github', fetch: get });
  };
  const because = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'admitted',
      (error: unknown) => (error instanceof PassportRefused ? error.because : assert.fail(String(error))),
    );

  it('admits one whose bit is 0', async () => {
    assert.equal(await because(gate().admit(await passport())), 'admitted');
  });

  it('admits nobody whose bit the list does not have', async () => {
    const short = async () => new Response(await listOf(new Uint8Array(1)));
    for (const idx of [8, 10 ** 9, -1, 0.5, '3', null]) {
      const status = { status_list: { idx, uri } };
      assert.equal(await because(gate({ list: short }).admit(await passport({ status }))), 'unknown', String(idx));
    }
  });

  it('reads an audience as a name, not as a part of one', async () => {
    assert.equal(await because(gate().admit(await passport({ aud: 'github' }))), 'admitted');
    for (const aud of ['github-enterprise', ['github-enterprise'], [], {}, 5])
      assert.notEqual(await because(gate().admit(await passport({ aud }))), 'admitted', JSON.stringify(aud));
  });

  it('refuses a passport without what passports have', async () => {
    for (const svcns of [
      undefined,
      {},
      { services: 'github' },
      { services: [null] },
      { services: [{ service_id: 'github' }] },
    ])
      assert.equal(await because(gate().admit(await passport({ svcns }))), 'invalid', JSON.stringify(svcns));
    for (const status of [undefined, {}, { status_list: null }, { status_list: { idx: 3, uri: 5 } }])
      assert.equal(await because(gate().admit(await passport({ status }))), 'unknown', JSON.stringify(status));
  });

  it('takes no list that is old, of another address, or of another kind', async () => {
    const of = (list: () => Promise<string>) => ({ list: async () => new Response(await list()) });
    const zeros = new Uint8Array(64);
    const wrong: Record<string, () => Promise<string>> = {
      old: () => listOf(zeros, { exp: 1_000 }),
      'without an end': () => listOf(zeros, { exp: undefined }),
      'without a time to live': () => listOf(zeros, { ttl: undefined }),
      'of yesterday': () => listOf(zeros, { sub: uri.replace('29', '28') }),
      'a passport': () => passport(),
      'with two bits each': () =>
        listOf(zeros, { status_list: { bits: 2, lst: deflateSync(zeros).toString('base64url') } }),
      'that unpacks to 32 MiB': () => listOf(new Uint8Array(32 * MIB)),
    };
    for (const [what, list] of Object.entries(wrong))
      assert.equal(await because(gate(of(list)).admit(await passport())), 'unknown', what);
    const foreign = { status_list: { idx: 3, uri: `${issuer}.evil.example/list` } };
    assert.equal(await because(gate().admit(await passport({ status: foreign }))), 'unknown');
  });

  it('reads no keys and no list without end', async () => {
    for (const [name, type, most] of [
      ['keys', 'application/json', 4],
      ['list', 'application/statuslist+jwt', 40],
    ] as const) {
      const { response, sent } = endless(type, 100);
      assert.equal(await because(gate({ [name]: response }).admit(await passport())), 'unknown');
      assert(sent() <= most, `${sent()} MiB of ${name}`);
    }
  });
});

describe('The other parts of the SDK in TypeScript', () => {
  it('hand what the parameters of a request throw on to Express, whose version 4 would end with it', async () => {
    const given: unknown[] = [];
    const gate = { admit: () => assert.fail('nobody is to be admitted') };
    const fault = new TypeError('there is no body');
    const check = admit(gate, () => {
      throw fault;
    });
    const response = { status: () => response, set: () => response, end: () => undefined };
    await check({ headers: { authorization: 'Bearer x' } }, response, (error) => given.push(error));
    assert.deepEqual(given, [fault]);
  });

  it('verify no webhook by a secret that is none', () => {
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': 'v1,x',
    };
    for (const secret of ['', 'whsec_', 'undefined', 'whsec_!!!!'])
      assert.throws(() => verifyWebhook(headers, '{}', secret), TypeError, secret);
  });
});
