import { randomUUID } from 'node:crypto';
import type { Client } from 'undici';
import type { Bench } from './bench.ts';
import { callers, latencyCell } from './chains.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { inTurns, median, ratiosOf, spread, table } from './pairs.ts';
import type { World } from './world.ts';

const LANES = ['2025', '2026-07-28'] as const;
type Lane = (typeof LANES)[number];
type Contender = 'REST' | Lane;
/** All runs together order less than the ten thousand that an operator may have open. */
const PER_SECOND = 100;
/** As often the latency of REST at most. */
const GOAL = 1.3;
const text = 'What is to be summarised here is one sentence of a hundred characters, as short as real work ever is.';

interface Sent {
  path: string;
  headers: Record<string, string>;
  body: object;
}

/** An invocation of its own: the same work by each of the doors. */
function invokeBy(contender: Contender, { skillId }: World): Sent {
  const key = randomUUID();
  if (contender === 'REST')
    return { path: `/v1/skills/${skillId}/invoke`, headers: { 'idempotency-key': key }, body: { input: { text } } };
  const given = { skill_id: skillId, input: { text }, idempotency_key: key, wait_seconds: 0 };
  const isModern = contender !== '2025';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': contender,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'invoke_skill', arguments: given, ...(isModern && { _meta: meta }) };
  return {
    path: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      ...(isModern && {
        'mcp-protocol-version': contender,
        'mcp-method': 'tools/call',
        'mcp-name': 'invoke_skill',
      }),
    },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  };
}

/** @returns milliseconds from the request to the whole answer. @throws Error where it is refused */
async function timed(client: Client, key: string, { path, headers, body }: Sent): Promise<number> {
  const startedAt = performance.now();
  const answer = await client.request({
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const told = await answer.body.text();
  const ms = performance.now() - startedAt;
  if (answer.statusCode >= 300 || !told.includes('"pending"'))
    throw new Error(`POST ${path} was answered ${answer.statusCode}: ${told}`);
  return ms;
}

async function measure(lab: Lab): Promise<string> {
  const world = await lab.newWorld('b15');
  const carnet = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    roles: { api: true, worker: false },
  });
  const side = (contender: Contender) => async (): Promise<number[]> => {
    const latencies: number[] = [];
    await callers(carnet.origin, { callers: 1, seconds: lab.seconds(4), perSecond: PER_SECOND }, async (client) => {
      latencies.push(await timed(client, world.consumer.key, invokeBy(contender, world)));
    });
    return latencies;
  };
  const contenders = { REST: side('REST'), '2025': side('2025'), '2026-07-28': side('2026-07-28') };
  for (const warm of Object.values(contenders)) await warm();
  const runs = await inTurns<Contender, number[]>(lab.rounds, contenders, () => {});
  await carnet.stop();
  const medians = (contender: Contender): number[] => runs[contender].map((latencies) => median(latencies));
  const row = (lane: Lane): string[] => {
    const ratios = ratiosOf(medians(lane), medians('REST'));
    return [
      `POST /mcp, ${lane}`,
      latencyCell(runs[lane].flat()),
      spread(ratios),
      `${GOAL} ${median(ratios) <= GOAL ? 'reached' : 'missed'}`,
    ];
  };
  return table(
    ['invoke, one caller', 'milliseconds, median / p95', 'ratio (spread of the pairs)', 'goal, at most'],
    [['POST /v1/skills/:id/invoke', latencyCell(runs.REST.flat()), '', ''], ...LANES.map(row)],
  );
}

/** Measures what an order costs by MCP beside the same by REST. */
export const b15: Bench = {
  title: 'B15: an order by MCP',
  run: async (lab) => [await measure(lab), await floors(lab)],
};
