import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOperator } from '../support/factories.ts';
import { blockOf, paste, ROOT, type Block } from '../support/pasted.ts';
import { service } from '../support/service.ts';
import { go, INSTALL_MS, python, typescript, type Tools } from './tools.ts';

const run = promisify(execFile);

/** A folder in which the commands of a generator on the page were run. */
interface Generated {
  folder: string;
  /** @returns what was printed to stdout, and to stderr */
  runs(
    command: string,
    args: string[],
    variables?: Record<string, string>,
  ): Promise<{ stdout: string; stderr: string }>;
  /** Puts a file there. */
  write(file: string, text: string): Promise<void>;
}

/** Runs the commands of the page before the cases of a block, which are left out where the language is not here; in CI it must be. */
function generating(generator: string, tools: Tools, commands: Promise<Block>): () => Generated {
  let generated: Generated | undefined;
  let folder: string | undefined;
  before(async function () {
    this.timeout(2 * INSTALL_MS);
    const [command, ...args] = tools.needs;
    const missing = await run(command, args).then(
      () => false,
      () => true,
    );
    if (missing && !process.env['CI']) {
      process.stderr.write(`LEFT OUT: ${generator}, since ${tools.needs.join(' ')} fails\n`);
      this.skip();
    }
    const made = (folder = await mkdtemp(join(tmpdir(), 'carnet-clients-')));
    const environment = { ...process.env, CARNET: service().baseUrl, ...(await tools.prepare(made)) };
    const runs: Generated['runs'] = (program, rest, variables = {}) =>
      run(program, rest, { cwd: made, env: { ...environment, ...variables }, timeout: INSTALL_MS, maxBuffer: 1e8 });
    const { stdout, stderr } = await runs('bash', ['-e', '-u', '-c', (await commands).code]);
    await writeFile(join(made, 'generated.log'), stdout + stderr);
    generated = {
      folder: made,
      runs,
      write: (file, text) => writeFile(join(made, file), text),
    };
  });
  after(() => (folder === undefined ? undefined : rm(folder, { recursive: true })));
  return () => generated ?? assert.fail(`${generator} has generated nothing`);
}

/** The balance of a new operator, as the first call of a page prints it. */
async function printsBalance({ runs }: Generated, command: string, args: string[]): Promise<void> {
  const { key } = await buildOperator({ cents: 321 });
  const { stdout, stderr } = await runs(command, args, { CARNET_KEY: key ?? '' });
  assert.deepEqual([stdout, stderr], ['321 cents\n', '']);
  const refused = await runs(command, args, { CARNET_KEY: 'svc_live_nobody' }).then(
    () => assert.fail('a wrong key was taken'),
    (error: { stderr: string }) => error.stderr,
  );
  assert.match(refused, /UNAUTHENTICATED/);
}

/** The main loop of the page, with an empty wallet and with one that covers the price. */
async function playsMainLoop({ runs }: Generated, command: string, args: string[]): Promise<void> {
  const { key: PROVIDER_KEY } = await buildOperator();
  const as = async (cents: number): Promise<string> => {
    const { key: CONSUMER_KEY } = await buildOperator({ cents });
    const { stdout } = await runs(command, args, {
      PROVIDER_KEY: PROVIDER_KEY ?? '',
      CONSUMER_KEY: CONSUMER_KEY ?? '',
    });
    return stdout;
  };
  assert.equal(await as(10), '402: 25 cents are needed, 10 are there\n');
  assert.equal(await as(100), 'completed: {"text":"HELLO"}, 75 cents left\n');
}

const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');

describe('clients that are generated as docs/clients.md says', function () {
  this.timeout(INSTALL_MS);

  describe('openapi-typescript', () => {
    const generated = generating('openapi-typescript', typescript, blockOf('docs/clients.md', 'openapi-typescript'));

    it('writes types with which a first call and the main loop compile, and run', async () => {
      const client = generated();
      await client.write('balance.ts', (await blockOf('docs/clients.md', 'openapi-fetch: first call')).code);
      await client.write('loop.ts', (await blockOf('docs/clients.md', 'openapi-fetch: main loop')).code);
      await client.runs(tsc, ['-p', '.']).catch((error: { stdout: string }) => assert.fail(error.stdout));
      await printsBalance(client, process.execPath, ['balance.ts']);
      await playsMainLoop(client, process.execPath, ['loop.ts']);
    });

    it('requires of a request what the service requires, and knows the members of a refusal', async () => {
      const client = generated();
      await writeFile(
        join(client.folder, 'types.ts'),
        `import type { components } from './carnet.d.ts';
type Schemas = components['schemas'];
export const skill: Schemas['PublishSkill'] = { name: 'a', description: 'b', version: '1.0.0', input_schema: {}, output_schema: {}, trust_level_required: 'L0' };
export const issue: Schemas['IssuePassport'] = { agent_id: 'ag_1' };
export const needed = (problem: Schemas['PaymentRequiredProblem'] | Schemas['Problem']): number | null =>
  problem.code === 'INSUFFICIENT_CREDITS' ? problem.required_cents : null;
export const claims = (verdict: Schemas['PassportVerification']) => (verdict.valid ? verdict.claims : verdict.reason);
// @ts-expect-error a skill has a name
export const nameless: Schemas['PublishSkill'] = { description: 'b', version: '1.0.0', input_schema: {}, output_schema: {}, trust_level_required: 'L0' };
`,
      );
      await client.runs(tsc, ['-p', '.']).catch((error: { stdout: string }) => assert.fail(error.stdout));
    });
  });

  describe('@hey-api/openapi-ts', () => {
    const generated = generating('hey-api', typescript, blockOf('docs/clients.md', 'hey-api'));

    it('writes functions that compile with a first call', async () => {
      const client = generated();
      await client.write('balance.ts', (await blockOf('docs/clients.md', 'hey-api: first call')).code);
      await client.runs(tsc, ['-p', '.']).catch((error: { stdout: string }) => assert.fail(error.stdout));
    });
  });

  describe('openapi-python-client', () => {
    const generated = generating('openapi-python-client', python, blockOf('docs/clients.md', 'openapi-python-client'));

    it('leaves out what it has no media type for, and nothing else', async () => {
      const log = await readFile(join(generated().folder, 'generated.log'), 'utf8');
      const warned = [...log.matchAll(/^WARNING parsing (\S+ \S+)/gm)].map(([, operation]) => operation);
      assert.deepEqual(warned, [
        'GET /v1/passports/status-list',
        'GET /v1/passports/status-list/{day}',
        'POST /v1/log/witness-signatures',
        'POST /v1/inbound/{provider}/{slug}',
      ]);
      assert.doesNotMatch(log, /Unable to process|Traceback|ERROR/);
    });

    it('names no class by a number', async () => {
      const { stdout } = await generated().runs('ls', ['carnet/models']);
      assert.deepEqual(stdout.match(/^.*(_type_\d|_\d+\.py).*$/gm), null);
    });

    it('writes modules that can all be imported, and run a first call and the main loop', async () => {
      const client = generated();
      await client.write('balance.py', (await blockOf('docs/clients.md', 'openapi-python-client: first call')).code);
      await client.write('loop.py', (await blockOf('docs/clients.md', 'openapi-python-client: main loop')).code);
      const all =
        'import carnet, importlib, pkgutil\nfor one in pkgutil.walk_packages(carnet.__path__, "carnet."): importlib.import_module(one.name)';
      await client.runs('python3', ['-c', all]);
      await printsBalance(client, 'python3', ['balance.py']);
      await playsMainLoop(client, 'python3', ['loop.py']);
    });
  });

  describe('oapi-codegen', () => {
    const generated = generating('oapi-codegen', go, blockOf('docs/clients.md', 'oapi-codegen'));

    it('writes a package that builds, and runs a first call', async () => {
      const client = generated();
      await client.write('balance.go', (await blockOf('docs/clients.md', 'oapi-codegen: first call')).code);
      await client.runs('go', ['build', '-o', 'balance', '.']);
      await printsBalance(client, join(client.folder, 'balance'), []);
    });

    it('numbers nothing but choices between plain values', async () => {
      const code = await readFile(join(generated().folder, 'carnet', 'carnet.go'), 'utf8');
      const numbered = [...code.matchAll(/^type (\w*?)\d+ .*$/gm)].map(([, name]) => name);
      assert.deepEqual(
        [...new Set(numbered)],
        ['CheckTrustPassportClaimAssuranceLevel', 'ConstraintEqValue', 'ConstraintInValue'],
      );
    });
  });

  it('reads from the page where the service is, and a key', async () => {
    const call = { code: 'curl -sf "$CARNET/v1/operators/me" -H "Authorization: Bearer $CARNET_KEY"' };
    const [operator = ''] = await paste([await blockOf('docs/clients.md', 'variables'), call]);
    assert.match(operator, /"id":"op_\w+"/);
  });

  it('names on the page the versions that are tried here', async () => {
    const [page, list, requirements, module] = await Promise.all(
      [
        'docs/clients.md',
        'test/clients/typescript/package.json',
        'test/clients/python/requirements.txt',
        'test/clients/go/go.mod',
      ].map((file) => readFile(join(ROOT, file), 'utf8')),
    );
    const { dependencies } = JSON.parse(list ?? '') as { dependencies: Record<string, string> };
    for (const [name, version] of Object.entries(dependencies)) assert(page?.includes(`${name}@${version}`), name);
    for (const [, version = ''] of requirements?.matchAll(/^(openapi-python-client==.+)$/gm) ?? [])
      assert(page?.includes(version), version);
    for (const name of ['oapi-codegen/v2', 'runtime']) {
      const [, version] = new RegExp(`github.com/oapi-codegen/${name} (v\\S+)`).exec(module ?? '') ?? [];
      assert.match(page ?? '', new RegExp(`github.com/oapi-codegen/${name}\\S*@${version}\\n`));
    }
  });
});
