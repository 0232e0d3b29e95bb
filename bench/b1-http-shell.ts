import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { hammer, loadTool } from './load.ts';
import { inTurns, ratioCells, rates, ratiosOf, spread, table } from './pairs.ts';

const CLAIMS = JSON.stringify({
  passport_claims: [
    {
      claim_type: 'kyc',
      assurance_level: 'substantial',
      provider: 'example',
      verified_at: 1_790_000_000,
      expires_at: 2_100_000_000,
    },
    { claim_type: 'email', assurance_level: 'low' },
  ],
});

async function measure(lab: Lab): Promise<string> {
  const world = await lab.newWorld('b1');
  const carnet = await lab.start('carnet', { databaseUrl: world.databaseUrl, roles: { api: true, worker: false } });
  const headers = { authorization: `Bearer ${world.consumer.key}` };
  const json = { ...headers, 'content-type': 'application/json' };
  const path = `/v1/skills/${world.skillId}`;
  const skill = await (await fetch(`${carnet.origin}${path}`, { headers })).text();
  const answer = await (
    await fetch(`${carnet.origin}${path}/check-trust`, { method: 'POST', headers: json, body: CLAIMS })
  ).json();
  const rival = { skill, key: world.consumer.key };
  const servers = {
    carnet,
    'Fastify with its plugins': await lab.start('fastify', { ...rival, headers: 'plugin' }),
    'Fastify with constant headers': await lab.start('fastify', { ...rival, headers: 'constant' }),
    'node:http': await lab.start('bare-http', { skill, answer }),
    'bare Koa': await lab.start('bare-koa', { skill, answer }),
  };
  const rounds = async (method: 'GET' | 'POST', url: string, body?: string) => {
    const get = (origin: string, seconds: number) =>
      hammer(
        {
          method,
          url: `${origin}${url}`,
          headers: body === undefined ? headers : json,
          ...(body !== undefined && { body }),
        },
        seconds,
        lab.dataDir,
      );
    for (const { origin } of Object.values(servers)) await get(origin, lab.seconds(3));
    return inTurns(
      lab.rounds,
      {
        carnet: () => get(servers.carnet.origin, lab.seconds(5)),
        'Fastify with its plugins': () => get(servers['Fastify with its plugins'].origin, lab.seconds(5)),
        'Fastify with constant headers': () => get(servers['Fastify with constant headers'].origin, lab.seconds(5)),
        'node:http': () => get(servers['node:http'].origin, lab.seconds(5)),
        'bare Koa': () => get(servers['bare Koa'].origin, lab.seconds(5)),
      },
      (line) => lab.log(`${method} ${line}`),
    );
  };
  const reads = await rounds('GET', path);
  const checks = await rounds('POST', `${path}/check-trust`, CLAIMS);
  type Other = Exclude<keyof typeof servers, 'carnet'>;
  const against = (what: string, by: typeof reads, { other, goal }: { other: Other; goal?: number }): string[] => [
    what,
    rates(by.carnet),
    other,
    rates(by[other]),
    ...(goal === undefined
      ? [spread(ratiosOf(by.carnet, by[other])), 'floor']
      : ratioCells(by.carnet, by[other], goal)),
  ];
  const rows = (what: string, by: typeof reads): string[][] => [
    against(what, by, { other: 'Fastify with its plugins', goal: 1 }),
    against('the same', by, { other: 'Fastify with constant headers', goal: 0.8 }),
    against('the same', by, { other: 'node:http' }),
    against('the same', by, { other: 'bare Koa' }),
  ];
  return table(
    [`${loadTool}, 32 connections`, 'Carnet, a second', 'against', 'a second', 'ratio (spread of the pairs)', 'goal'],
    [
      ...rows(`GET /v1/skills/:id, cached, ${skill.length} bytes`, reads),
      ...rows(`POST /v1/skills/:id/check-trust, ${CLAIMS.length} bytes in`, checks),
    ],
  );
}

/**
 * The API beside what a user would otherwise build: a Fastify application of the same two routes with the same duties. node:http and bare
 * Koa, which have none of them, are the floors.
 */
export const b1: Bench = {
  title: 'B1: the HTTP shell',
  run: async (lab) => [await measure(lab), await floors(lab)],
};
