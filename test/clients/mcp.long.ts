import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOperator, buildSkill, unique, type TestOperator } from '../support/factories.ts';
import { openBadProxy, type BadProxy } from '../sdk/bad-proxy.ts';
import { assertStatus, service } from '../support/service.ts';
import { INSTALL_MS, mcp } from './tools.ts';

const run = promisify(execFile);

/** How each client connects with the address and a key, and gives `names`, `call` (a text) and `close`. */
const clients = {
  '@modelcontextprotocol/sdk': `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
const client = new Client({ name: 'test', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const names = (await client.listTools()).tools.map(({ name }) => name);
const call = async (name, given) => textOf((await client.callTool({ name, arguments: given })).content);
const close = () => client.close();
`,
  '@openai/agents': `
import { MCPServerStreamableHttp } from '@openai/agents';
const server = new MCPServerStreamableHttp({ url, name: 'carnet', requestInit: { headers } });
await server.connect();
const names = (await server.listTools()).map(({ name }) => name);
const call = async (name, given) => textOf(await server.callTool(name, given));
const close = () => server.close();
`,
  '@langchain/mcp-adapters': `
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
const client = new MultiServerMCPClient({ mcpServers: { carnet: { transport: 'http', url, headers } } });
const tools = await client.getTools();
const names = tools.map(({ name }) => name);
const call = async (name, given) => JSON.stringify(await tools.find((tool) => tool.name === name).invoke(given));
const close = () => client.close();
`,
  '@ai-sdk/mcp': `
import { createMCPClient } from '@ai-sdk/mcp';
const client = await createMCPClient({ transport: { type: 'http', url, headers } });
const tools = await client.tools();
const names = Object.keys(tools);
const call = async (name, given) => textOf((await tools[name].execute(given, { messages: [], toolCallId: '1' })).content);
const close = () => client.close();
`,
};

const BEFORE = `
const url = process.env.CARNET + '/mcp';
const headers = { Authorization: 'Bearer ' + process.env.CARNET_KEY };
const textOf = (content) => content.map(({ text }) => text).join('\\n');
`;
/** Finds the skill by its word, orders it under one key until it is done, and once more, and reads the balance. */
const AFTER = `
const [skill_id] = /skl_\\w+/.exec(await call('search_skills', { query: process.env.WORD }));
const given = { skill_id, input: { text: 'hello' }, idempotency_key: 'mine', max_price_cents: 25, wait_seconds: 50 };
const insist = async (left) => {
  const order = await call('invoke_skill', given).catch(String);
  return order.includes('completed') || left === 0 ? order : insist(left - 1);
};
const orders = [await insist(9), await insist(0)];
const wallet = await call('balance', {});
await close();
console.log(JSON.stringify({ names, orders, wallet }));
`;

/** Does the first work that comes. */
async function provideOnce(provider: TestOperator): Promise<void> {
  const { body } = await provider.get<{ invocations: { id: string }[] }>('/v1/skills/invocations/pending', {
    prefer: 'wait=60',
  });
  const at = `/v1/skills/invocations/${body.invocations[0]?.id}`;
  assertStatus(await provider.post(`${at}/claim`), 200);
  assertStatus(await provider.post(`${at}/complete`, { output: { text: 'HELLO' } }), 200);
}

/**
 * Hands each request on with a key, since the scenarios know of no credentials. Host and Origin name this address where they name one of this
 * machine: of both, the service is to see its own.
 */
async function withKey(key: string): Promise<Server> {
  const target = new URL(service().baseUrl);
  const server = createServer((incoming, answer) => {
    const { method, url: path, headers: given } = incoming;
    const here = `:${(server.address() as AddressInfo).port}`;
    const headers: typeof given = { ...given, authorization: `Bearer ${key}` };
    for (const name of ['host', 'origin'] as const) headers[name] = given[name]?.replace(here, `:${target.port}`);
    if (headers.origin === undefined) delete headers.origin;
    incoming.pipe(
      request({ host: target.hostname, port: target.port, method, path, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer);
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('Clients of POST /mcp', function () {
  this.timeout(INSTALL_MS);
  let folder: string;
  let proxy: BadProxy;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-mcp-'));
    proxy = await openBadProxy(service().baseUrl);
    await mcp.prepare(folder);
  });
  after(async () => {
    await proxy.stop();
    await rm(folder, { recursive: true });
  });

  for (const [name, program] of Object.entries(clients))
    it(`${name} lists tools, finds a paid skill, and pays once for an order that is cut before, after and within its answer`, async () => {
      const provider = await buildOperator();
      const { key: CARNET_KEY } = await buildOperator({ cents: 100 });
      const WORD = unique('shout');
      await buildSkill(provider, { description: `${WORD} makes a text loud`, price_per_invocation: 25 });
      const file = join(folder, `${WORD}.mjs`);
      await writeFile(file, BEFORE + program + AFTER);
      proxy.spoil(({ body }) => body.includes('"invoke_skill"'), ['cut before', 'cut after', 'cut within']);
      const env = { ...process.env, CARNET: proxy.baseUrl, CARNET_KEY: CARNET_KEY ?? '', WORD };
      const [{ stdout }] = await Promise.all([
        run(process.execPath, [file], { cwd: folder, env, timeout: INSTALL_MS }),
        provideOnce(provider),
      ]);
      const told = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<'names' | 'orders', string[]> & {
        wallet: string;
      };
      assert(told.names.includes('invoke_skill') && told.names.includes('statement'), String(told.names));
      for (const order of told.orders) {
        assert.match(order, /completed\. It costs 25 cents, 75 cents are left\./);
        assert.match(order, /HELLO/);
      }
      assert.match(told.wallet, /75 cents can be spent; 0 cents are held/);
    });

  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])
    it(`passes the scenario ${scenario} of the conformance package`, async () => {
      const { key } = await buildOperator();
      const server = await withKey(key ?? '');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
      const results = join(folder, scenario);
      const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
      const given = ['server', '--url', url, '--scenario', scenario, '--output-dir', results];
      try {
        await run(process.execPath, [program, ...given], { cwd: folder, timeout: INSTALL_MS }).catch(
          ({ stdout = '', stderr = '' }: { stdout?: string; stderr?: string }) => assert.fail(stdout + stderr),
        );
      } finally {
        server.close();
      }
      const [made = ''] = await readdir(results);
      const checks = JSON.parse(await readFile(join(results, made, 'checks.json'), 'utf8')) as { status: string }[];
      assert(checks.length > 0 && checks.every(({ status }) => status === 'SUCCESS'), JSON.stringify(checks));
    });
});
