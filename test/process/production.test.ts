import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { freePort } from '../../src/embedded/ports.ts';
import { itInFull } from '../support/cases.ts';
import { emptyDatabase, type EmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { registerNamespace } from '../support/namespace.ts';
import { startProgram, type Started } from '../support/process.ts';
import { blockOf, PATIENCE_MS, ROOT } from '../support/pasted.ts';
import { requester, service } from '../support/service.ts';

type Service = { command: string[]; environment: Record<string, string>; healthcheck?: { test: string[] } };
type Environment = Record<string, string>;

const run = promisify(execFile);
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

/** The variables that the shell exports that runs these lines in `folder` with nothing of ours in its environment. */
async function exportedBy(lines: string, folder: string): Promise<Environment> {
  const { PATH = '' } = process.env;
  const { stdout } = await run('bash', ['-e', '-u', '-c', `${lines}\nenv -0`], {
    cwd: folder,
    env: { PATH: `${folder}:${PATH}` },
  });
  return pairs(stdout.split('\0'));
}

const pairs = (lines: string[]): Environment =>
  Object.fromEntries(
    lines.filter((line) => line.includes('=')).map((line) => [line.split('=')[0] ?? '', line.replace(/^[^=]*=/, '')]),
  );

/** As Compose does it: `${NAME:-otherwise}`, `${NAME:?why it is needed}`. */
const interpolated = (text: string, given: Environment): string =>
  // oxlint-disable-next-line max-params -- replace() passes the match and each group in its turn
  text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, how: string, otherwise: string) => {
    const value = given[name] ?? '';
    if (value !== '') return value;
    return how === '-' ? otherwise : assert.fail(`${name} is needed: ${otherwise}`);
  });

describe('The production shape, with exactly the settings that are written down', function () {
  this.timeout(PATIENCE_MS);
  let folder: string;
  let database: EmptyDatabase;
  let place: Environment;
  const started: Started[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-production-'));
    database = await emptyDatabase();
    const { temporal_address: address } = service().credentials;
    // The settings that no document can name: where the two servers are on this machine, and what two tests in parallel must not share.
    const namespace = `production-${randomBytes(5).toString('hex')}`;
    place = { DATABASE_URL: database.url, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    await registerNamespace(address, namespace);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((program) => program.stop()));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Nothing but these settings: an empty one counts as unset. */
  const start = async ([node, script = '']: string[], settings: Environment): Promise<Started> => {
    assert.equal(node, 'node');
    const names = [...(await read('.env.example')).matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);
    const { WORKFLOW_BUNDLE = '' } = process.env; // saves a second of work
    const unset = Object.fromEntries(names.map((name) => [name, '']));
    const program = startProgram(script, { ...unset, WORKFLOW_BUNDLE, ...settings });
    started.push(program);
    return program;
  };

  const startAll = async (
    commands: { migrate: string[]; api: string[]; worker: string[] },
    settings: Environment,
  ): Promise<{ api: number; worker: number }> => {
    const migration = await start(commands.migrate, settings);
    assert.equal(await migration.ended, 0, migration.output());
    const [api, worker] = [await freePort(), await freePort()];
    const programs = [
      await start(commands.api, { ...settings, PORT: String(api) }),
      await start(commands.worker, { ...settings, WORKER_PORT: String(worker) }),
    ];
    const isReady = async (port: number): Promise<boolean> => {
      for (const program of programs) assert(program.alive(), program.output());
      return (await requester(null, `http://127.0.0.1:${port}`).get('/readyz')).status === 200;
    };
    for (const port of [api, worker])
      await eventually(`port ${port} to be ready`, () => isReady(port), {
        seconds: 300,
        ignoreErrors: (error) => !(error instanceof assert.AssertionError),
      });
    return { api, worker };
  };

  it('starts by the command of docker-compose.yml', async () => {
    const text = await read('docker-compose.yml');
    const command = [...text.matchAll(/^# {3}(.*)$/gm)].map(([, line]) => line).join('\n');
    await writeFile(join(folder, 'docker'), '#!/bin/sh\necho "$*" >docker-called\n', { mode: 0o755 });
    await exportedBy(command, folder);
    assert.match(await readFile(join(folder, 'docker-called'), 'utf8'), /^compose up /);
    const given = pairs((await readFile(join(folder, '.env'), 'utf8')).split('\n'));

    const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
    const { migrate, api, worker } = services;
    assert(migrate !== undefined && api !== undefined && worker !== undefined);
    const settings = Object.fromEntries(
      Object.entries(api.environment).map(([name, value]) => [name, interpolated(value, given)]),
    );
    assert.equal(new URL(settings.DATABASE_URL ?? '').password, given.POSTGRES_PASSWORD);
    const [, nodeEnv = ''] = /^ENV NODE_ENV=(.+)$/m.exec(await read('Dockerfile')) ?? [];
    const ports = await startAll(
      { migrate: migrate.command, api: api.command, worker: worker.command },
      { ...settings, NODE_ENV: nodeEnv, ...place },
    );
    for (const [{ healthcheck }, inside, port] of [
      [api, '3000', ports.api],
      [worker, '3001', ports.worker],
    ] as const) {
      const [how, program, flag = '', code = ''] = healthcheck?.test ?? [];
      assert.deepEqual([how, program], ['CMD', 'node']);
      assert(code.includes(inside));
      await run(process.execPath, [flag, code.replace(inside, String(port))]);
    }
  });

  itInFull('starts with the settings of docs/operations.md, and shows whether a worker is there', async () => {
    const { code: lines } = await blockOf('docs/operations.md', 'production settings');
    const { code: steps } = await blockOf('docs/operations.md', 'production start');
    const named = [...lines.matchAll(/^export ([A-Z_]+)=/gm)].map(([, name = '']) => name);
    const exported = await exportedBy(lines, folder);
    const settings = Object.fromEntries(named.map((name) => [name, exported[name] ?? '']));
    assert.match(steps, /^node src\/database\/migrate\.ts$/m);
    const { api } = await startAll(
      {
        migrate: ['node', 'src/database/migrate.ts'],
        api: ['node', 'src/api.ts'],
        worker: ['node', 'src/worker.ts'],
      },
      { ...settings, ...place },
    );
    const readiness = async (): Promise<unknown> =>
      (await requester(null, `http://127.0.0.1:${api}`).get('/readyz')).body.worker;
    await eventually('a worker to be seen', async () => (await readiness()) === 'ok');
    await started.at(-1)?.stop();
    await eventually('it to be missed', async () => (await readiness()) === 'none');
  });
});
