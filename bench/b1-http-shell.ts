import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { hammer, loadTool } from './load.ts';
import { inTurns, ratioCells, rates, table } from './pairs.ts';

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
  const servers = {
    carnet,
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
        'node:http': () => get(servers['node:http'].origin, lab.seconds(5)),
        'bare Koa': () => get(servers['bare Koa'].origin, lab.seconds(5)),
      },
      (line) => lab.say(`${method} ${line}`),
    );
  };
  const reads = await rounds('GET', path);
  const checks = await rounds('POST', `${path}/check-trust`, CLAIMS);
  const row = (what: string, by: typeof reads, floor: 'node:http' | 'bare Koa', goal: number): string[] => [
    what,
    rates(by.carnet),
    floor,
    rates(by[floor]),
    ...ratioCells(by.carnet, by[floor], goal),
  ];
  return table(
    [`${loadTool}, 32 connections`, 'Carnet, a second', 'against', 'a second', 'ratio (spread of the pairs)', 'goal'],
    [
      row(`GET /v1/skills/:id, cached, ${skill.length} bytes`, reads, 'node:http', 0.6),
      row('the same', reads, 'bare Koa', 0.85),
      row(`POST /v1/skills/:id/check-trust, ${CLAIMS.length} bytes in`, checks, 'node:http', 0.65),
      row('the same', checks, 'bare Koa', 0.85),
    ],
  );
}

/** What authentication, strict JSON, validation in and out, headers, metrics and logs cost above a server that has none of them. */
export const b1: Bench = {
  title: 'B1: the HTTP shell',
  run: async (lab) => [await measure(lab), await floors(lab)],
};
