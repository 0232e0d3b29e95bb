import { Client } from 'undici';
import type { Bench } from './bench.ts';
import { callers, latencyCell, send, text } from './chains.ts';
import type { Lab } from './lab.ts';
import { inTurns, ratiosOf, quantile, spread, table } from './pairs.ts';
import type { World } from './world.ts';

/** Times the latency without a passport, at most. */
const GOAL = 1.2;
const HOPS = 4;
/** All runs together order less than the ten thousand that an operator may have open. */
const PER_SECOND = 100;
/** Cents that no run spends. */
const AMPLE = 100_000_000;

interface Signed {
  jti: string;
  token: string;
}

/** The passport at the end of a chain of four hops, each with a budget where one is given. */
async function lastOfChain(origin: string, { consumer: { key } }: World, budget: object): Promise<string> {
  const client = new Client(origin);
  const agent = async (): Promise<string> =>
    (await send<{ id: string }>(client, '/v1/agents', { key, body: { name: 'of the bench' } })).id;
  const first = { agent_id: await agent(), ttl_seconds: 3_600, scopes: [], ...budget };
  let last = await send<Signed>(client, '/v1/passports/issue', { key, body: first });
  for (let hop = 1; hop <= HOPS; hop += 1) {
    const body = { parent_passport_token: last.token, child_agent_id: await agent(), scopes: [], ...budget };
    last = await send<Signed>(client, '/v1/passports/delegate', { key, body });
  }
  await client.close();
  return last.jti;
}

async function measure(lab: Lab): Promise<string[]> {
  const world = await lab.newWorld('b6_budgets');
  const { origin, stop } = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    roles: { api: true, worker: false },
  });
  const passports = {
    'no passport': undefined,
    'four hops without a budget': await lastOfChain(origin, world, {}),
    'four hops, each with a budget': await lastOfChain(origin, world, { budget: { amount_cents: AMPLE } }),
  };
  type Name = keyof typeof passports;
  const invoke = (name: Name) => async (): Promise<number[]> => {
    const milliseconds: number[] = [];
    const body = { input: { text }, passport_id: passports[name] };
    await callers(origin, { callers: 1, seconds: lab.seconds(4), perSecond: PER_SECOND }, async (client) => {
      const startedAt = performance.now();
      await send(client, `/v1/skills/${world.skillId}/invoke`, { key: world.consumer.key, body });
      milliseconds.push(performance.now() - startedAt);
    });
    return milliseconds;
  };
  const contenders = {
    'no passport': invoke('no passport'),
    'four hops without a budget': invoke('four hops without a budget'),
    'four hops, each with a budget': invoke('four hops, each with a budget'),
  };
  await contenders['no passport']();
  const runs = await inTurns<Name, number[]>(lab.rounds, contenders, () => {});
  await stop();
  const medians = (name: Name): number[] => runs[name].map((run) => quantile(run, 0.5));
  const base = medians('no passport');
  const names = Object.keys(passports) as Name[];
  return [
    table(
      ['Invoke with', 'milliseconds, median / p95', 'times no passport (spread of the pairs)', 'goal'],
      names.map((name) => {
        const ratios = ratiosOf(medians(name), base);
        const reached = quantile(ratios, 0.5) <= GOAL;
        return [name, latencyCell(runs[name].flat()), spread(ratios), `${GOAL} ${reached ? 'reached' : 'missed'}`];
      }),
    ),
  ];
}

/** Measures what a chain of budgets adds to invoking. */
export const b6Budgets: Bench = { title: 'B6: budgets of passports', run: measure };
