import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { hammer, loadTool } from './load.ts';
import { inTurns, rates, ratiosOf, spread, table } from './pairs.ts';

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
  const bare = await lab.start('bare-http', { skill, answer });
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
    for (const { origin } of [carnet, bare]) await get(origin, lab.seconds(3));
    return inTurns(
      lab.rounds,
      { carnet: () => get(carnet.origin, lab.seconds(5)), bare: () => get(bare.origin, lab.seconds(5)) },
      (line) => lab.log(`${method} ${line}`),
    );
  };
  const row = (what: string, by: Awaited<ReturnType<typeof rounds>>): string[] => [
    what,
    rates(by.carnet),
    rates(by.bare),
    spread(ratiosOf(by.carnet, by.bare)),
  ];
  const reads = await rounds('GET', path);
  const checks = await rounds('POST', `${path}/check-trust`, CLAIMS);
  return table(
    [`${loadTool}, 32 connections`, 'Carnet, a second', 'node:http, a second', 'ratio (spread of the pairs)'],
    [
      row(`GET /v1/skills/:id, cached, ${skill.length} bytes`, reads),
      row(`POST /v1/skills/:id/check-trust, ${CLAIMS.length} bytes in`, checks),
    ],
  );
}

/** The cost of a request besides its work: node:http sends the same bytes, and does nothing else. */
export const b1: Bench = {
  title: 'B1: the HTTP shell',
  run: async (lab) => [await measure(lab), await floors(lab)],
};
