import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../../sdk/cli/src/run.ts';
import { Carnet, verifyWebhook } from '../../sdk/typescript/src/index.ts';
import { eventually } from '../support/eventually.ts';
import { buildOperator, buildSkill, publication, unique, type TestOperator } from '../support/factories.ts';
import { submitAndPlace } from '../claims/support.ts';
import { issue, openHolder } from '../passports/holders.ts';
import { assertStatus, service } from '../support/service.ts';
import { FAULTS, openBadProxy, type BadProxy, type Seen } from './bad-proxy.ts';

interface Printed {
  code: number;
  out: string;
  errors: string;
}

describe('carnet on the command line', () => {
  let folder: string;
  let operator: TestOperator;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-cli-'));
    operator = await buildOperator({ cents: 1_000 });
  });
  after(() => rm(folder, { recursive: true }));

  const carnet = async (
    args: string[],
    {
      input = '',
      environment = {},
      signal,
    }: { input?: string; environment?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Printed> => {
    const printed = { out: '', errors: '' };
    const code = await run(args, {
      environment: { XDG_CONFIG_HOME: folder, ...environment },
      write: (text) => void (printed.out += text),
      complain: (text) => void (printed.errors += text),
      input: Readable.from([input]),
      ...(signal && { signal }),
    });
    return { code, ...printed };
  };
  const asSeller = (seller: TestOperator) => ({
    environment: { CARNET_API_KEY: seller.key ?? '', CARNET_BASE_URL: service().baseUrl },
  });

  it('says what to do without a login, and without a command', async () => {
    const { code, errors } = await carnet(['whoami'], { environment: { XDG_CONFIG_HOME: join(folder, 'none') } });
    assert.equal(code, 2);
    assert.match(errors, /^carnet: USAGE: You are not logged in\. Run: carnet login/);
    assert.equal((await carnet([])).code, 2);
    assert.equal((await carnet(['constructor'])).code, 2);
    assert.equal((await carnet(['--nonsense'])).code, 2);
    assert.match((await carnet(['--help'])).out, /carnet <command>/);
  });

  it('keeps a key that nobody else may read, and never prints it', async () => {
    const key = operator.key ?? '';
    const wrong = await carnet(['login', '--url', service().baseUrl], { input: 'svc_live_nobody\n' });
    assert.deepEqual([wrong.code, /UNAUTHENTICATED/.test(wrong.errors)], [1, true]);
    const { code, out, errors } = await carnet(['login', '--url', service().baseUrl], { input: `${key}\n` });
    assert.equal(code, 0, errors);
    const file = join(folder, 'carnet', 'credentials.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.match(await readFile(file, 'utf8'), new RegExp(key));
    const { out: who } = await carnet(['whoami', '--json']);
    assert.equal((JSON.parse(who) as { balance_cents: number }).balance_cents, 1_000);
    assert(![out, errors, who].some((text) => text.includes(key)));
    // The key of one service goes to no other.
    const elsewhere = await carnet(['whoami'], { environment: { CARNET_BASE_URL: 'http://127.0.0.1:9' } });
    assert.match(elsewhere.errors, /not logged in/);
  });

  it('publishes, searches, invokes and lists', async () => {
    const seller = await buildOperator();
    const file = join(folder, 'skill.json');
    const word = unique('word');
    await writeFile(
      file,
      JSON.stringify(publication({ description: `Shouts\u001b[31m a ${word}`, price_per_invocation: 5 })),
    );
    const published = await carnet(['publish', file, '--json'], asSeller(seller));
    const { id } = JSON.parse(published.out) as { id: string };
    const found = await carnet(['search', word]);
    assert(found.out.startsWith(`${id}  5 cents`), found.out + found.errors);
    assert(!found.out.includes('\u001b'));
    const serving = await new Carnet({ apiKey: seller.key ?? '', baseUrl: service().baseUrl }).provider.serve(
      publication({
        description: `Shouts\u001b[31m a ${word}`,
        price_per_invocation: 5,
        name: (JSON.parse(published.out) as { name: string }).name,
      }) as never,
      ({ text }: { text: string }) => ({ text: text.toUpperCase() }),
    );
    const invoked = await carnet(['invoke', id, '--input', '-', '--max-price', '5', '--json'], {
      input: '{"text":"hello"}',
    });
    await serving.stop();
    const result = JSON.parse(invoked.out) as { output: object; cost_microcents: number };
    assert.deepEqual([result.output, result.cost_microcents], [{ text: 'HELLO' }, 5_000_000]);
    assert.match((await carnet(['runs'])).out, /inv_\w+ {2}completed {2}5 cents/);
    assert.match((await carnet(['runs', '--provided'], asSeller(seller))).out, /completed/);
  });

  it('refuses with a code, and ends with another exit code for each kind', async () => {
    const skill = await buildSkill(await buildOperator(), { price_per_invocation: 5 });
    const dear = await carnet(['invoke', skill.id, '--input', '{"text":"a"}', '--max-price', '4', '--json']);
    assert.deepEqual([dear.code, (JSON.parse(dear.errors) as { code: string }).code], [1, 'PRICE_CHANGED']);
    const running = await carnet(['invoke', skill.id, '--input', '{"text":"a"}', '--wait', '0']);
    assert.deepEqual([running.code, /STILL_RUNNING/.test(running.errors)], [4, true]);
    for (const wrong of [
      ['invoke', skill.id, '--input', '[1]'],
      ['invoke', skill.id, '--max-price', '1.5'],
      ['publish', 'nowhere.json'],
      ['invoke', '..'],
    ])
      assert.equal((await carnet(wrong)).code, 2, wrong.join(' '));
  });

  describe('where a paid call goes wrong', () => {
    let proxy: BadProxy;
    let seller: TestOperator;
    let skillId: string;
    before(async () => {
      proxy = await openBadProxy(service().baseUrl);
      seller = await buildOperator();
      skillId = (await buildSkill(seller, { price_per_invocation: 7 })).id;
    });
    after(() => proxy.stop());

    /** The next order is answered by its seller. */
    const provided = async (): Promise<void> => {
      const { body } = await seller.get<{ invocations: { id: string }[] }>('/v1/skills/invocations/pending', {
        prefer: 'wait=60',
      });
      const at = `/v1/skills/invocations/${String(body.invocations[0]?.id)}`;
      assertStatus(await seller.post(`${at}/claim`), 200);
      assertStatus(await seller.post(`${at}/complete`, { output: { text: 'HELLO' } }), 200);
    };
    const paid = async ({ as, key }: { as: TestOperator; key: string }): Promise<unknown[]> => {
      const again = await carnet(['invoke', skillId, '--input', '{"text":"a"}', '--key', key, '--json'], asBuyer(as));
      const { id, output } = JSON.parse(again.out) as { id: string; output: object };
      const { body } = await as.get<{ total: number }>('/v1/billing/transactions?type=invocation');
      const { body: wallet } = await as.get<{ balance_cents: number; held_cents: number }>('/v1/billing/balance');
      return [again.code, output, body.total, wallet.balance_cents, wallet.held_cents, id.startsWith('inv_')];
    };
    const asBuyer = ({ key }: TestOperator) => ({
      environment: { CARNET_API_KEY: key ?? '', CARNET_BASE_URL: proxy.baseUrl },
    });
    const PAID = [0, { text: 'HELLO' }, 1, 93, 0, true];

    for (const [step, matches] of [
      ['invoke', ({ path }: Seen) => path.endsWith('/invoke')],
      ['reading the result', ({ path }: Seen) => /invocations\/inv_/.test(path)],
    ] as const)
      for (const fault of FAULTS)
        it(`pays once where ${step} ends in: ${fault}`, async () => {
          const as = await buildOperator({ cents: 100 });
          const key = unique('key');
          proxy.spoil(matches, [fault]);
          const [invoked] = await Promise.all([
            // Without a wait at invoke the result is read by a call of its own.
            carnet(
              [
                'invoke',
                skillId,
                '--input',
                '{"text":"a"}',
                '--key',
                key,
                ...(step === 'invoke' ? [] : ['--wait', '0']),
              ],
              asBuyer(as),
            ),
            provided(),
          ]);
          assert([0, 4].includes(invoked.code), invoked.errors);
          assert.deepEqual(await paid({ as, key }), PAID);
        });

    it('says by which key to run it again where nobody knows, and that pays once', async () => {
      const as = await buildOperator({ cents: 100 });
      proxy.spoil(({ path }) => path.endsWith('/invoke'), ['another object']);
      const unclear = await carnet(['invoke', skillId, '--input', '{"text":"a"}', '--wait', '0'], asBuyer(as));
      assert.equal(unclear.code, 3);
      const key = /Run it again with --key (\S+)\.\n$/.exec(unclear.errors)?.[1] ?? assert.fail(unclear.errors);
      await provided();
      assert.deepEqual(await paid({ as, key }), PAID);
    });
  });

  it('verifies a passport, and says why one is not valid', async () => {
    const holder = await openHolder();
    const { token, jti } = await issue(holder);
    assert.equal((await carnet(['verify', token])).code, 0);
    await holder.as.post('/v1/passports/revoke', { jti });
    const revoked = await carnet(['verify', token]);
    assert.deepEqual([revoked.code, revoked.out], [1, 'The passport is not valid: revoked\n']);
    assert.match((await carnet(['verify', 'pc_01K0000000000000000000000A'])).out, /^The claim is invalid\./);
  });

  it('verifies the bundle of a claim without a service and without a login', async () => {
    const issuer = await buildOperator();
    const { id } = await submitAndPlace(issuer);
    const text = await eventually('the bundle', async () => {
      const reply = await issuer.get(`/v1/claims/${id}/bundle`);
      return reply.status === 200 && reply.text;
    });
    const [file, bent, key] = ['bundle.json', 'bent.json', 'log.vkey'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(file, text);
    await writeFile(
      bent,
      text.replace(/"digest":"sha256:./, (found) => `${found.slice(0, -1)}g`),
    );
    await writeFile(key, (await issuer.get('/v1/log/vkey')).text);
    const nowhere = { environment: { XDG_CONFIG_HOME: join(folder, 'none'), CARNET_BASE_URL: 'http://127.0.0.1:9' } };
    const offline = (...args: string[]) => carnet(['verify', ...args], nowhere);

    const good = await offline(file, '--key', key);
    assert.deepEqual([good.code, good.errors], [0, '']);
    assert.match(good.out, new RegExp(`^ok .* log key .*\nVERIFIED  claim ${id} \\(sha256:`, 's'));
    const asJson = JSON.parse((await offline(file, '--key', key, '--json')).out) as {
      status: string;
      findings: object[];
    };
    assert.equal(asJson.status, 'verified');
    assert(asJson.findings.length > 10);

    const forged = await offline(bent, '--key', key);
    assert.equal(forged.code, 1);
    assert.match(forged.out, /^NOT VERIFIED .*digest/m);
    const other = 'carnet.test+d9bff226+AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g';
    for (const [args, complaint] of [
      [[file], /USAGE: The bundle of a claim is checked offline: give --key/],
      [[join(folder, 'nothing.json'), '--key', key], /USAGE: .*nothing\.json cannot be read/],
      [[file, '--key', other], /USAGE: --key cannot be read: its id is/],
      [[file, '--policy', file], /USAGE: .*cannot be read: line 1 of the policy/],
    ] as const) {
      const { code, errors } = await offline(...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(errors, complaint);
    }
  });

  describe('with a receiver on this machine', () => {
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        response.end();
      });
    });
    const secret = `whsec_${Buffer.from('twenty-four-bytes-secret').toString('base64')}`;
    let url: string;
    before(async () => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    });
    after(() => server.close());

    it('triggers a sample, signed as a webhook is', async () => {
      const { code, errors } = await carnet(['trigger', 'passport.flagged', '--forward', url, '--secret', secret]);
      assert.equal(code, 0, errors);
      const { headers, body } = received.at(-1) ?? assert.fail('nothing came');
      assert.equal(verifyWebhook(headers, body, secret).event_type, 'passport.flagged');
      const unknown = await carnet(['trigger', 'nothing.such', '--forward', url]);
      assert.match(unknown.errors, /There is no event nothing\.such/);
      assert.equal((await carnet(['trigger', 'passport.flagged', '--forward', 'http://example.test'])).code, 2);
    });

    it('forwards what happens from now on, until it is stopped', async () => {
      const stop = new AbortController();
      const from = received.length;
      const listening = carnet(['listen', '--forward', url, '--secret', secret, '--events', 'api_key.*'], {
        signal: stop.signal,
      });
      const made = () => operator.post('/v1/api-keys', { name: unique('key'), kind: 'operator', role: 'member' });
      // The first may be made before it listens.
      await eventually('an event to be forwarded', async () => {
        if (received.length === from) await made();
        return received.length > from;
      });
      stop.abort();
      const { code, errors } = await listening;
      assert.deepEqual([code, errors], [0, '']);
      const { headers, body } = received.at(-1) ?? assert.fail('nothing came');
      const event = verifyWebhook(headers, body, secret);
      assert.equal(event.event_type, 'api_key.created');
      assert.match(event.id, /^evt_/);
    });
  });
});
