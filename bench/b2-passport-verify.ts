import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Bench } from './bench.ts';
import { callers } from './chains.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { hammerEach, loadTool } from './load.ts';
import { inTurns, quantile, rate, ratioCells, rates, table } from './pairs.ts';
import { onServerCore } from './pinning.ts';
import type { Server } from './server.ts';
import type { World } from './world.ts';

const run = promisify(execFile);

/** Distinct passports, so that no answer comes from a cache; each is verified about once a second. */
const PASSPORTS = 4_000;
const LATENCY_GOAL_MS = 10;

interface Json {
  [name: string]: unknown;
}

async function send(method: 'POST' | 'PUT', url: string, { key, body }: { key: string; body: object }): Promise<Json> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${url} was answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Json;
}

/** Bodies for verify, each with a passport of its own, issued by the service. */
export async function issued(origin: string, { provider: { key } }: World, count: number): Promise<string[]> {
  const agent = await send('POST', `${origin}/v1/agents`, { key, body: { name: 'bench' } });
  const scopes = ['repo:read', 'repo:write'];
  const connection = await send('POST', `${origin}/v1/service-connections`, {
    key,
    body: {
      service_id: 'github',
      service_name: 'github',
      scopes,
    },
  });
  const constraints = [{ param: 'repository', op: 'prefix', value: 'ada/' }];
  await send('PUT', `${origin}/v1/agents/${String(agent.id)}/grants/${String(connection.id)}`, {
    key,
    body: {
      scopes: ['*'],
      constraints,
    },
  });
  const bodies: string[] = [];
  const issueSome = async (): Promise<void> => {
    while (bodies.length < count) {
      const { token } = await send('POST', `${origin}/v1/passports/issue`, {
        key,
        body: {
          agent_id: agent.id,
          ttl_seconds: 3_600,
        },
      });
      bodies.push(JSON.stringify({ token }));
    }
  };
  await Promise.all(Array.from({ length: 8 }, issueSome));
  return bodies;
}

/** Verifications a second of one core by OpenSSL's own loop. */
async function openssl(seconds: number): Promise<number> {
  const [command, args] = onServerCore('openssl', [
    'speed',
    '-seconds',
    String(Math.max(1, Math.round(seconds))),
    'ed25519',
  ]);
  const { stdout } = await run(command, args);
  const perSecond = /Ed25519\)\s+\S+s\s+\S+s\s+[\d.]+\s+([\d.]+)/.exec(stdout)?.[1];
  if (perSecond === undefined) throw new Error(`openssl speed printed something unexpected:\n${stdout}`);
  return Number(perSecond);
}

async function inProcess(lab: Lab): Promise<string[]> {
  const verifier = await lab.start('verifications', {});
  const side = (name: 'carnet' | 'node:crypto') => async (): Promise<number> =>
    (await verifier.request<{ perSecond: number }>({ side: name, seconds: lab.seconds(3) })).perSecond;
  await side('carnet')();
  const by = await inTurns(lab.rounds, { carnet: side('carnet'), 'node:crypto': side('node:crypto') }, (line) =>
    lab.log(`in process: ${line}`),
  );
  await verifier.stop();
  return [
    'in process, one core',
    rates(by.carnet),
    'node:crypto.verify',
    rates(by['node:crypto']),
    ...ratioCells(by.carnet, by['node:crypto'], 0.85),
  ];
}

async function overHttp(
  lab: Lab,
  carnet: Server,
  bodies: readonly string[],
): Promise<{ row: string[]; ceiling: number }> {
  const url = `${carnet.origin}/v1/passports/verify`;
  const headers = { 'content-type': 'application/json' };
  const ours = (seconds: number): Promise<number> => hammerEach({ url, headers, bodies }, seconds, lab.dataDir);
  await ours(lab.seconds(3));
  const by = await inTurns(
    lab.rounds,
    { carnet: () => ours(lab.seconds(5)), openssl: () => openssl(lab.seconds(2)) },
    (line) => lab.log(`over HTTP: ${line}`),
  );
  const row = [
    'POST /v1/passports/verify with its look-up',
    rates(by.carnet),
    'openssl speed ed25519',
    rates(by.openssl),
    ...ratioCells(by.carnet, by.openssl, 0.45),
  ];
  return { row, ceiling: quantile(by.carnet, 0.5) };
}

/** Measures how long callers wait while the service does half of what it can. */
async function atHalfLoad(
  lab: Lab,
  { origin }: Server,
  { bodies, ceiling }: { bodies: readonly string[]; ceiling: number },
): Promise<string> {
  const latencies: number[] = [];
  let at = 0;
  const perSecond = await callers(
    origin,
    { callers: 32, seconds: lab.seconds(10), perSecond: ceiling / 2 },
    async (client) => {
      at = (at + 1) % bodies.length;
      const startedAt = performance.now();
      const response = await client.request({
        method: 'POST',
        path: '/v1/passports/verify',
        headers: { 'content-type': 'application/json' },
        body: bodies[at] ?? '',
      });
      const answer = await response.body.text();
      latencies.push(performance.now() - startedAt);
      if (!answer.startsWith('{"valid":true')) throw new Error(`A good passport was refused: ${answer}`);
    },
  );
  const [median, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  return table(
    ['Half load, 32 callers', 'a second', 'median, ms', 'p99, ms', 'goal'],
    [
      [
        'POST /v1/passports/verify',
        rate(perSecond),
        median.toFixed(1),
        p99.toFixed(1),
        `${LATENCY_GOAL_MS} ${p99 <= LATENCY_GOAL_MS ? 'reached' : 'missed'}`,
      ],
    ],
  );
}

async function measure(lab: Lab): Promise<string[]> {
  const inside = await inProcess(lab);
  const world = await lab.newWorld('b2');
  const carnet = await lab.start('carnet', { databaseUrl: world.databaseUrl, roles: { api: true, worker: false } });
  lab.log('issuing passports');
  const bodies = await issued(carnet.origin, world, lab.quick ? 200 : PASSPORTS);
  const { row, ceiling } = await overHttp(lab, carnet, bodies);
  const head = [
    `Distinct passports of ${bodies[0]?.length ?? 0} bytes, ${loadTool} with 32 connections`,
    'Carnet, a second',
    'against',
    'a second',
    'ratio (spread of the pairs)',
    'goal',
  ];
  return [table(head, [inside, row]), await atHalfLoad(lab, carnet, { bodies, ceiling })];
}

/** Measures what the form of a token and the live look-up cost beside the signature itself. */
export const b2: Bench = {
  title: 'B2: passport verify',
  run: async (lab) => [...(await measure(lab)), await floors(lab)],
};
