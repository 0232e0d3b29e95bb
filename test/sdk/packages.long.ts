import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { issue, openHolder } from '../passports/holders.ts';
import { buildOperator, unique } from '../support/factories.ts';
import { blockOf, ROOT, type Block } from '../support/pasted.ts';
import { startProgram } from '../support/process.ts';
import { plainEnvelope, TestLog } from '../verify/log.ts';
import { service } from '../support/service.ts';

const run = promisify(execFile);
/** Registries are slow. */
const INSTALL_MS = 300_000;

/** As strict as any user: the types of the packages are checked too. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: ['node'],
    skipLibCheck: true,
  },
  include: ['*.ts', 'node_modules/carnet-sdk/dist/*.d.ts'],
};

/** Asks each framework with a passport and without one, and prints the two answers. */
const ASK = `import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { app } from './express.ts';
import { hono, koa, server } from './others.ts';

const token = process.argv[2];
const ask = async (name: string, port: number): Promise<void> => {
  const url = \`http://127.0.0.1:\${port}/\`;
  const good = await fetch(url, { headers: { authorization: \`Bearer \${token}\` } });
  const bad = await fetch(url);
  const { reason } = (await bad.json()) as { reason: string };
  console.log(name, good.status, await good.text(), bad.status, reason, bad.headers.get('www-authenticate'));
};
const portOf = (address: unknown): number => (address as AddressInfo).port;
const onExpress = app.listen(0, '127.0.0.1', () => onKoa.emit('ready'));
const onKoa = koa.listen(0, '127.0.0.1');
await new Promise((resolve) => onKoa.once('ready', resolve));
await ask('express', portOf(onExpress.address()));
await ask('koa', portOf(onKoa.address()));
await server.listen({ port: 0, host: '127.0.0.1' });
await ask('fastify', portOf(server.server.address()));
await new Promise<void>((resolve) => {
  const onHono = serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
    void ask('hono', port).then(() => { onHono.close(); resolve(); });
  });
});
process.exit();
`;

/** Sends a webhook that is signed, and one that is not, and prints the two answers. */
const HOOK = `import type { AddressInfo } from 'node:net';
import { signWebhook } from 'carnet-sdk';
import { hooks } from './webhook.ts';

const secret = process.env['WEBHOOK_SECRET'] ?? '';
const body = JSON.stringify({ event_type: 'notification.test', severity: 'info', payload: {}, timestamp: '' });
const sentAt = Math.floor(Date.now() / 1_000);
const listening = hooks.listen(0, '127.0.0.1', () => {
  const url = \`http://127.0.0.1:\${(listening.address() as AddressInfo).port}/hooks\`;
  const send = async (signature: string): Promise<void> => {
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(sentAt), 'webhook-signature': signature };
    console.log((await fetch(url, { method: 'POST', headers, body })).status);
  };
  void send(signWebhook({ id: 'evt_1', sentAt, body, secret }))
    .then(() => send('v1,nonsense'))
    .then(() => process.exit());
});
`;

describe('the packages of the SDK, installed as users install them', function () {
  this.timeout(INSTALL_MS);
  let folder: string;
  /** Other tests sell a `shout` too; a search of this one word finds none of them. */
  const skill = unique('shout').replaceAll('-', '');
  let blocks: Record<'sell' | 'buy' | 'express' | 'others' | 'webhook', Block>;
  before(async function () {
    this.timeout(2 * INSTALL_MS);
    blocks = {
      sell: await blockOf('docs/sdk.md', 'sell'),
      buy: await blockOf('docs/sdk.md', 'buy'),
      express: await blockOf('docs/sdk.md', 'express'),
      others: await blockOf('docs/sdk.md', 'others'),
      webhook: await blockOf('docs/sdk.md', 'webhook'),
    };
    folder = await mkdtemp(join(tmpdir(), 'carnet-sdk-'));
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(ROOT, 'test', 'clients', 'sdk-typescript', file), join(folder, file));
    const env = {
      ...process.env,
      npm_config_ignore_scripts: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    };
    const packed = await mkdtemp(join(tmpdir(), 'carnet-packed-'));
    const paste = async (cwd: string, code: string): Promise<string> => {
      const script = code.replaceAll('/tmp/carnet-packages', packed);
      return (await run('sh', ['-ec', script], { cwd, env, timeout: INSTALL_MS })).stdout;
    };
    await paste(folder, 'npm ci');
    await paste(ROOT, (await blockOf('docs/sdk.md', 'pack')).code);
    await paste(folder, (await blockOf('docs/sdk.md', 'install')).code);
    assert.match(await paste(folder, (await blockOf('docs/cli.md', 'install')).code), /carnet <command>/);
    await rm(packed, { recursive: true });
    for (const [name, { code }] of Object.entries(blocks))
      await writeFile(
        join(folder, `${name}.ts`),
        code.replaceAll("'shout'", `'${skill}'`).replaceAll("'repo:read'", "'read'"),
      );
    await writeFile(join(folder, 'ask.ts'), ASK);
    await writeFile(join(folder, 'hook.ts'), HOOK);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('compiles the blocks of the page', async () => {
    await run(join(folder, 'node_modules', '.bin', 'tsc'), ['-p', '.'], { cwd: folder }).catch(
      (error: { stdout: string }) => assert.fail(error.stdout),
    );
  });

  it('sells in eight lines, and admits in five', () => {
    const lines = ({ code }: Block): number => code.split('\n').filter((line) => line.trim() !== '').length;
    assert.deepEqual([lines(blocks.sell), lines(blocks.express)], [7, 5]);
  });

  it('sells and buys', async () => {
    const [seller, buyer] = [await buildOperator(), await buildOperator({ cents: 100 })];
    const as = ({ key }: { key: string | null }) => ({
      PATH: process.env['PATH'] ?? '',
      CARNET_BASE_URL: service().baseUrl,
      CARNET_API_KEY: key ?? '',
    });
    const selling = startProgram(relative(ROOT, join(folder, 'sell.ts')), as(seller));
    try {
      const until = Date.now() + INSTALL_MS / 2;
      let printed = '';
      while (printed === '' && Date.now() < until)
        printed = await run(process.execPath, ['buy.ts'], { cwd: folder, env: as(buyer) }).then(
          ({ stdout }) => stdout,
          (error: { stderr: string }) => (error.stderr.includes('Nobody sells it') ? '' : assert.fail(error.stderr)),
        );
      assert.equal(printed, "{ text: 'HELLO' } 25 cents\n", selling.output());
    } finally {
      await selling.kill();
    }
  });

  it('admits a passport in each framework, and refuses a call without one', async () => {
    const holder = await openHolder();
    const { token, jti } = await issue(holder);
    const { stdout } = await run(process.execPath, ['ask.ts', token], {
      cwd: folder,
      env: { ...process.env, CARNET_BASE_URL: service().baseUrl },
    });
    assert.deepEqual(
      stdout.trim().split('\n'),
      ['express', 'koa', 'fastify', 'hono'].map((name) => `${name} 200 ${jti} 401 missing Bearer`),
    );
  });

  it('verifies a webhook', async () => {
    const env = { ...process.env, WEBHOOK_SECRET: `whsec_${'A'.repeat(43)}=` };
    const { stdout } = await run(process.execPath, ['hook.ts'], { cwd: folder, env });
    assert.equal(stdout, 'notification.test evt_1\n204\n401\n');
  });

  it('has the command line', async () => {
    const { key } = await buildOperator({ cents: 12 });
    const { stdout } = await run(join(folder, 'node_modules', '.bin', 'carnet'), ['whoami', '--json'], {
      env: { ...process.env, CARNET_BASE_URL: service().baseUrl, CARNET_API_KEY: key ?? '' },
    });
    assert.equal((JSON.parse(stdout) as { balance_cents: number }).balance_cents, 12);
  });

  it('has the verifier of bundles in the command line', async () => {
    const log = TestLog.around(plainEnvelope, { index: 5, total: 23 });
    const file = join(folder, 'bundle.json');
    await writeFile(file, JSON.stringify(log.bundle(plainEnvelope, { index: 5, size: 11, newest: 23 })));
    const { stdout } = await run(join(folder, 'node_modules', '.bin', 'carnet'), [
      'verify',
      file,
      '--key',
      log.keys.vkey,
    ]);
    assert.match(stdout, /^VERIFIED /m);
  });
});
