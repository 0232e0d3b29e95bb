import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { door, type Door } from '../sdk/typescript/src/index.ts';
import { issued } from './b2-passport-verify.ts';
import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { inTurns, quantile, ratiosOf, median, spread, table } from './pairs.ts';

/** Fewer than a door keeps. */
const PASSPORTS = 2_000;
const WARM_CALLS = 20_000;
/** Milliseconds a call once warm, at most. */
const GOAL_MS = 0.2;
const admission = { params: { repository: 'ada/site' } };

/** Milliseconds of each call, one after another. */
async function timed(calls: Iterable<() => unknown>): Promise<number[]> {
  const latencies: number[] = [];
  for (const call of calls) {
    const startedAt = performance.now();
    await call();
    latencies.push(performance.now() - startedAt);
  }
  return latencies;
}

const admitting = (gate: Door, tokens: readonly string[], calls: number): (() => Promise<unknown>)[] =>
  Array.from({ length: calls }, (_, nth) => () => gate.admit(tokens[nth % tokens.length], admission));

function verifying(key: KeyObject, tokens: readonly string[]): (() => void)[] {
  return tokens.map((token) => {
    const end = token.lastIndexOf('.');
    const [signed, signature] = [Buffer.from(token.slice(0, end)), Buffer.from(token.slice(end + 1), 'base64url')];
    return () => {
      if (!verify(null, signed, key, signature)) throw new Error('A signature of the service does not verify.');
    };
  });
}

async function measure(lab: Lab): Promise<string> {
  const world = await lab.newWorld('b17');
  const { origin, stop } = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    roles: { api: true, worker: false },
  });
  const bodies = await issued(origin, world, lab.quick ? 200 : PASSPORTS);
  const [first = '', ...tokens] = bodies.map((body) => (JSON.parse(body) as { token: string }).token);
  const jwks = (await (await fetch(`${origin}/.well-known/jwks.json`)).json()) as { keys: JsonWebKey[] };
  const [header = ''] = first.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
  const jwk = jwks.keys.find((one) => one['kid'] === kid);
  if (jwk === undefined) throw new Error(`The key set lacks ${kid}.`);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  // A door for each round and for the warm-up, each with the keys and the list, and none with a token of those that are timed.
  const doors: Door[] = [];
  for (let round = 0; round <= lab.rounds; round += 1) {
    const gate = door({ issuer: origin, serviceId: 'github', scopes: ['repo:read'] });
    await gate.admit(first, admission);
    doors.push(gate);
  }
  const [warm, ...fresh] = doors as [Door, ...Door[]];
  await stop();

  await timed(admitting(warm, tokens, tokens.length));
  let round = 0;
  const runs = await inTurns(
    lab.rounds,
    {
      warm: () => timed(admitting(warm, tokens, lab.quick ? 500 : WARM_CALLS)),
      first: () => timed(admitting(fresh[round++] ?? warm, tokens, tokens.length)),
      bare: () => timed(verifying(key, tokens)),
    },
    () => {},
  );
  const cell = (latencies: readonly number[]): string =>
    [0.5, 0.95].map((share) => quantile(latencies, share).toFixed(3)).join(' / ');
  const medians = (of: readonly number[][]): number[] => of.map((latencies) => median(latencies));
  const all = { warm: runs.warm.flat(), first: runs.first.flat(), bare: runs.bare.flat() };
  const over = (of: readonly number[][]): string => spread(ratiosOf(medians(of), medians(runs.bare)));
  return table(
    [
      'admit, one caller',
      'milliseconds, median / p95',
      'times the bare verification (spread)',
      'goal of the median, at most',
    ],
    [
      ['node:crypto.verify', cell(all.bare), '', ''],
      ['a passport at first sight', cell(all.first), over(runs.first), ''],
      [
        'a passport that was seen before',
        cell(all.warm),
        over(runs.warm),
        `${GOAL_MS} ms ${median(all.warm) <= GOAL_MS ? 'reached' : 'missed'}`,
      ],
    ],
  );
}

/** Measures what admitting a passport costs a service that asks nobody. */
export const b17: Bench = {
  title: 'B17: a door that admits passports offline',
  run: async (lab) => [await measure(lab), await floors(lab)],
};
