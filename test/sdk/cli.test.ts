import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../../sdk/cli/src/run.ts';
import type { Terminal } from '../../sdk/cli/src/terminal.ts';
import { Carnet, verifyWebhook } from '../../sdk/typescript/src/index.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { eventually } from '../support/eventually.ts';
import { buildOperator, buildSkill, publication, unique, type TestOperator } from '../support/factories.ts';
import { submitAndPlace } from '../claims/support.ts';
import { issue, openHolder } from '../passports/holders.ts';
import { ROOT } from '../support/pasted.ts';
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
    }: { input?: string | Terminal['input']; environment?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Printed> => {
    const printed = { out: '', errors: '' };
    const code = await run(args, {
      environment: { XDG_CONFIG_HOME: folder, ...environment },
      write: (text) => void (printed.out += text),
      complain: (text) => void (printed.errors += text),
      input: typeof input === 'string' ? Readable.from([input]) : input,
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

  it('shows nothing of a key that is typed', async () => {
    const typing = (text: string) => {
      const raw: boolean[] = [];
      return { raw, input: Object.assign(Readable.from([...text]), { setRawMode: (on: boolean) => raw.push(on) }) };
    };
    const { raw, input } = typing(`${operator.key}x\u007f\r`);
    assert.equal((await carnet(['login', '--url', service().baseUrl], { input })).code, 0);
    assert.deepEqual(raw, [true, false]);
    const stopped = typing('svc_live\u0003');
    const { code, errors } = await carnet(['login', '--url', service().baseUrl], { input: stopped.input });
    assert.deepEqual([code, stopped.raw], [2, [true, false]]);
    assert(!errors.includes('svc_live'), errors);
  });

  it('keeps a key in the folder of the user where a variable is empty', async () => {
    const home = join(folder, 'home');
    const environment = { XDG_CONFIG_HOME: '', HOME: home };
    const { code, out } = await carnet(['login', '--url', service().baseUrl], {
      input: `${operator.key}\n`,
      environment,
    });
    assert.equal(code, 0);
    assert.match(out, new RegExp(`${join(home, '.config', 'carnet', 'credentials.json')}\\n$`));
  });

  it('shows no key that cannot be one, and no control of a terminal, as JSON or as text', async () => {
    const broken = await carnet(['whoami'], {
      environment: { CARNET_API_KEY: 'svc_live_“secret”', CARNET_BASE_URL: service().baseUrl },
    });
    assert.deepEqual([broken.code, broken.errors.includes('secret')], [2, false], broken.errors);
    const seller = await buildOperator();
    const skill = await buildSkill(seller);
    const ordered = await carnet(['invoke', skill.id, '--input', '{"text":"a"}', '--wait', '0']);
    const at = `/v1/skills/invocations/${/inv_\w+/.exec(ordered.errors)?.[0]}`;
    await seller.post(`${at}/claim`);
    const error = { code: '\u009b31mRED', message: '\u202eback' };
    await seller.post(`${at}/fail`, { error });
    for (const more of [[], ['--json']]) {
      const { out } = await carnet(['runs', '--limit', '1', ...more]);
      assert.match(out, /31mRED/);
      assert(!/[\u009b\u202e]/.test(out), JSON.stringify(out));
      if (more.length > 0) assert.deepEqual((JSON.parse(out) as { error: object }[])[0]?.error, error);
    }
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
    const result = JSON.parse(invoked.out) as { id: string; output: object; cost_microcents: number };
    assert.deepEqual([result.output, result.cost_microcents], [{ text: 'HELLO' }, 5_000_000]);
    assert.deepEqual(JSON.parse((await carnet(['runs', result.id, '--json'])).out), result);
    assert.match((await carnet(['runs'])).out, /inv_\w+ {2}completed {2}5 cents/);
    assert.match((await carnet(['runs', '--provided'], asSeller(seller))).out, /completed/);
  });

  it('refuses with a code, and ends with another exit code for each kind', async () => {
    const skill = await buildSkill(await buildOperator(), { price_per_invocation: 5 });
    const dear = await carnet(['invoke', skill.id, '--input', '{"text":"a"}', '--max-price', '4', '--json']);
    assert.deepEqual([dear.code, (JSON.parse(dear.errors) as { code: string }).code], [1, 'PRICE_CHANGED']);
    const running = await carnet(['invoke', skill.id, '--input', '{"text":"a"}', '--wait', '0']);
    const [, id] = /^carnet: STILL_RUNNING: .* Run: carnet runs (inv_\w+)\n$/.exec(running.errors) ?? [];
    assert.equal(running.code, 4);
    assert.equal((await carnet(['runs', id ?? assert.fail(running.errors), '--wait', '0'])).code, 4);
    const named = await carnet(['invoke', skill.name]);
    assert.match(named.errors, /^carnet: USAGE: .* is no id of a skill, skl_…; carnet search finds it\n$/);
    const unknown = await carnet(['verify', 'clm_1']);
    assert.match(unknown.errors, /^carnet: USAGE: clm_1 is no passport, no id of a claim \(pc_…\)/);
    assert.deepEqual([named.code, unknown.code], [2, 2]);
    for (const wrong of [
      ['invoke', skill.id, '--input', '[1]'],
      ['invoke', skill.id, '--max-price', '1.5'],
      ['publish', 'nowhere.json'],
      ['invoke', '..'],
    ])
      assert.equal((await carnet(wrong)).code, 2, wrong.join(' '));
  });

  it('ends quietly where nobody reads what it prints', async () => {
    const program = spawn(process.execPath, [join(ROOT, 'sdk', 'cli', 'src', 'main.ts'), '--help']);
    let complaints = '';
    program.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    program.stdout.destroy();
    const [code] = (await once(program, 'close')) as [number];
    assert.deepEqual([code, complaints], [0, '']);
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
    let answered = 200;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received.push({ headers: request.headers, body });
        response.writeHead(answered).end();
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

    it('fails to trigger where the receiver refuses, or is not there', async () => {
      answered = 401;
      const refused = await carnet(['trigger', 'passport.flagged', '--forward', url, '--secret', secret]);
      answered = 200;
      assert.deepEqual([refused.code, refused.out], [1, 'passport.flagged  401\n']);
      const nobody = `http://127.0.0.1:${await freePort()}/`;
      const lost = await carnet(['trigger', 'passport.flagged', '--forward', nobody, '--secret', secret]);
      assert.deepEqual([lost.code, lost.out], [1, 'passport.flagged  not delivered (ECONNREFUSED)\n']);
    });

    it('says which events come only where a rule names them', async () => {
      const stop = new AbortController();
      let errors = '';
      const listening = run(['listen', '--forward', url, '--events', 'invocation.*'], {
        environment: { XDG_CONFIG_HOME: folder },
        write: () => {},
        complain: (text) => {
          errors += text;
          stop.abort();
        },
        input: Readable.from([]),
        signal: stop.signal,
      });
      assert.equal(await listening, 0);
      assert.match(errors, /^Only where a rule names them: invocation\.created, .*invocation\.cancelled\n$/);
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
