import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { issue, openHolder } from '../passports/holders.ts';
import { FAULTS, openBadProxy, type Fault, type Seen } from '../sdk/bad-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { buildOperator, unique, type TestOperator } from '../support/factories.ts';
import { blockOf, ROOT, type Block } from '../support/pasted.ts';
import { assertStatus, service } from '../support/service.ts';
import { INSTALL_MS, installed } from './tools.ts';

const run = promisify(execFile);
const HERE = join(import.meta.dirname, 'sdk-python');
const BLOCKS = {
  sell: () => blockOf('docs/sdk.md', 'python: sell'),
  buy: () => blockOf('docs/sdk.md', 'python: buy'),
  admit: () => blockOf('docs/sdk.md', 'python: admit'),
  webhook: () => blockOf('docs/sdk.md', 'python: webhook'),
};

/** Invokes through the proxy, and prints the output. */
const PAY = `import sys
from carnet_sdk import Carnet, StillRunning
market = Carnet().market
try:
    result = market.invoke(sys.argv[1], {"text": "hello"}, wait_seconds=float(sys.argv[2]))
except StillRunning as running:
    result = market.result(running.id, wait_seconds=120)
print(result.output["text"], result.cost_microcents)
`;

/** Asks the door of the page, with a passport and without one. */
const ASK = `import sys
from admit import app
from fastapi.testclient import TestClient

@app.get("/")
def read() -> str:
    return "in"

client = TestClient(app)
print(client.get("/", headers={"authorization": f"Bearer {sys.argv[1]}"}).json(), client.get("/").status_code)
`;

/** Sends a webhook that is signed, and one that is not. */
const HOOK = `import os, time
from carnet_sdk import sign_webhook
from fastapi.testclient import TestClient
from webhook import hooks

body, sent_at = b'{"event_type": "notification.test"}', int(time.time())
headers = {"webhook-id": "evt_1", "webhook-timestamp": str(sent_at)}
signature = sign_webhook("evt_1", sent_at, body, os.environ["WEBHOOK_SECRET"])
for one in (signature, "v1,nonsense"):
    print(TestClient(hooks).post("/hooks", content=body, headers={**headers, "webhook-signature": one}).status_code)
`;

describe('the SDK in Python, installed as users install it', function () {
  this.timeout(INSTALL_MS);
  let folder: string;
  let program: string;
  const skill = unique('shout');
  const variablesOf = ({ key }: TestOperator, baseUrl = service().baseUrl) => ({
    ...process.env,
    PYTHONPATH: join(folder, 'site'),
    CARNET_BASE_URL: baseUrl,
    CARNET_API_KEY: key ?? '',
  });
  const python = async (args: string[], env: NodeJS.ProcessEnv): Promise<string> =>
    await run(program, args, { cwd: folder, env, timeout: INSTALL_MS }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string; stderr: string }) => assert.fail(error.stdout + error.stderr),
    );

  before(async function () {
    this.timeout(2 * INSTALL_MS);
    const { stdout: version } = await run('python3', ['-c', 'import sys; print(sys.implementation.cache_tag)']);
    const list = join(HERE, 'requirements.txt');
    const packages = await installed(`sdk-python-${version.trim()}`, {
      list,
      blocks: [],
      install: async (made) => {
        await run('python3', ['-m', 'venv', join(made, 'venv')], { timeout: INSTALL_MS });
        const args = ['-m', 'pip', 'install', '--quiet', '-r', list];
        await run(join(made, 'venv', 'bin', 'python'), args, { timeout: INSTALL_MS });
      },
    });
    program = join(packages, 'venv', 'bin', 'python');
    folder = await mkdtemp(join(tmpdir(), 'carnet-sdk-python-'));
    const pip = (...args: string[]) => run(program, ['-m', 'pip', '--quiet', ...args, '--no-deps'], { cwd: folder });
    // The backend that builds it is among the packages of the test.
    const wheels = (await blockOf('docs/sdk.md', 'python: pack')).code
      .replace('python3', program)
      .replace('--no-deps', '--no-deps --no-build-isolation')
      .replace('/tmp/carnet-packages', folder);
    await run('sh', ['-ec', wheels], { cwd: ROOT, timeout: INSTALL_MS });
    const wheel = (await readdir(folder)).find((file) => file.endsWith('.whl')) ?? assert.fail('no wheel');
    await pip('install', '--target', join(folder, 'site'), join(folder, wheel));
    await rm(join(folder, wheel));
    for (const [name, block] of Object.entries(BLOCKS))
      await writeFile(
        join(folder, `${name}.py`),
        (await block()).code.replaceAll('"shout"', `"${skill}"`).replaceAll('repo:read', 'read'),
      );
    await writeFile(join(folder, 'pay.py'), PAY);
    await writeFile(join(folder, 'ask.py'), ASK);
    await writeFile(join(folder, 'hook.py'), HOOK);
    await mkdir(join(folder, 'checks'));
    for (const file of ['test_door.py', 'test_provider.py']) await cp(join(HERE, file), join(folder, 'checks', file));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('has types that hold, in the package, in the page and where they are used', async () => {
    const args = ['-m', 'mypy', '--strict', '-p', 'carnet_sdk'];
    const env = { ...variablesOf({ key: null } as TestOperator), MYPYPATH: join(folder, 'site') };
    await python(args, env);
    const files = [...Object.keys(BLOCKS), 'pay', 'ask', 'hook'].map((name) => `${name}.py`);
    await python(['-m', 'mypy', '--strict', ...files, 'checks/test_door.py', 'checks/test_provider.py'], env);
  });

  it('sells in eight lines, and admits in five', async () => {
    const linesOf = ({ code }: Block): number => code.split('\n').filter((line) => line.trim() !== '').length;
    assert(linesOf(await BLOCKS.sell()) <= 8);
    assert.equal(linesOf(await BLOCKS.admit()), 5);
  });

  it('admits a passport of the service by the lines of the page', async () => {
    const { token } = await issue(await openHolder());
    const printed = await python(['-W', 'ignore', 'ask.py', token], variablesOf(await buildOperator()));
    assert.equal(printed, 'in 401\n');
  });

  it('verifies a webhook by the lines of the page', async () => {
    const variables = { ...variablesOf(await buildOperator()), WEBHOOK_SECRET: `whsec_${'A'.repeat(43)}=` };
    assert.equal(await python(['-W', 'ignore', 'hook.py'], variables), 'notification.test evt_1\n204\n401\n');
  });

  it('refuses at a door what must be refused', () =>
    python(['-W', 'ignore', join('checks', 'test_door.py')], variablesOf({ key: null } as TestOperator)));

  it('publishes, serves, invokes and refuses against the service', async () => {
    const [seller, buyer, poor] = [
      await buildOperator(),
      await buildOperator({ cents: 10_000 }),
      await buildOperator({ cents: 3 }),
    ];
    const keys = { SELLER_KEY: seller.key ?? '', BUYER_KEY: buyer.key ?? '', POOR_KEY: poor.key ?? '' };
    await python([join('checks', 'test_provider.py')], { ...variablesOf(seller), ...keys });
  });

  describe('with the function of the page on sale', () => {
    let selling: ReturnType<typeof spawn>;
    let buyer: TestOperator;
    let id: string;
    before(async () => {
      selling = spawn(program, ['sell.py'], { cwd: folder, env: variablesOf(await buildOperator()), stdio: 'ignore' });
      buyer = await buildOperator({ cents: 10_000 });
      // Others sell a `shout` too, which any of its words finds.
      id = await eventually('the function to be on sale', async () => {
        const found = await buyer.get<{ skills: { id: string; name: string }[] }>(`/v1/skills?q=${skill}`);
        return assertStatus(found, 200).skills.find(({ name }) => name === skill)?.id ?? false;
      });
    });
    after(async () => {
      if (selling.exitCode !== null) return;
      const ended = once(selling, 'exit');
      selling.kill('SIGKILL');
      await ended;
    });

    it('buys it by the lines of the page', async () => {
      assert.equal(await python(['buy.py'], variablesOf(buyer)), "{'text': 'HELLO'} 25.0 cents\n");
    });

    /** Faults at the invoking call, and at the one that waits for the output. */
    const paysOnce = async (step: 'invoke' | 'result', fault: Fault): Promise<void> => {
      const proxy = await openBadProxy(service().baseUrl);
      const matches = ({ path }: Seen): boolean =>
        step === 'invoke' ? path.endsWith('/invoke') : /invocations\/inv_/.test(path);
      proxy.spoil(matches, [fault, fault]);
      const balance = async () =>
        assertStatus(await buyer.get<{ balance_cents: number }>('/v1/billing/balance'), 200).balance_cents;
      const before = await balance();
      try {
        const args = ['pay.py', id, step === 'invoke' ? '60' : '0'];
        assert.equal(await python(args, variablesOf(buyer, proxy.baseUrl)), 'HELLO 25000000\n');
      } finally {
        await proxy.stop();
      }
      const now = await balance();
      assert.equal(before - now, 25);
      const calls = proxy.seen.filter(matches);
      assert(calls.length >= 3, `only ${calls.length} calls`);
      assert.equal(new Set(calls.map(({ key }) => key)).size, 1);
      const [first, second] = calls;
      if (fault === '429' || fault === '503') assert((second?.at ?? 0) - (first?.at ?? 0) >= 1_000);
    };
    for (const step of ['invoke', 'result'] as const)
      for (const fault of FAULTS) it(`pays once where ${step} ends in: ${fault}`, () => paysOnce(step, fault));
  });

  it('says that a call may have been paid where its answer stays nonsense', async () => {
    const proxy = await openBadProxy(service().baseUrl);
    proxy.spoil(({ path }) => path.endsWith('/invoke'), ['another object']);
    const buyer = await buildOperator({ cents: 100 });
    const code = `import sys
from carnet_sdk import Carnet, UnclearError
try:
    Carnet(patience_seconds=0).market.invoke("skl_nobody", {}, idempotency_key="mine")
except UnclearError as error:
    print(error.may_have_happened, error.idempotency_key)`;
    try {
      assert.equal(await python(['-c', code], variablesOf(buyer, proxy.baseUrl)), 'True mine\n');
    } finally {
      await proxy.stop();
    }
  });
});
