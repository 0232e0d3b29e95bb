import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { quantile } from './pairs.ts';
import type { World } from './world.ts';

export type Step = 'invoke' | 'claim' | 'complete';
export const text =
  'What is to be summarised here is one sentence of a hundred characters, as short as real work ever is.';

/** The calls of one run as callers saw them; a chain is an invocation invoked, claimed and completed. */
export interface ChainRun {
  perSecond: number;
  /** Milliseconds from the request to the whole answer. */
  latencies: Record<Step, number[]>;
}

export interface Pace {
  callers: number;
  seconds: number;
  /** Chains a second at most; without it each caller goes on as soon as it has its answer. */
  perSecond?: number;
}

/** @throws Error for a refusal */
export const send = async <Answer>(
  client: Client,
  path: string,
  { key, body }: { key: string; body: object },
): Promise<Answer> => {
  const response = await client.request({
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.statusCode >= 300)
    throw new Error(`POST ${path} was answered ${response.statusCode}: ${await response.body.text()}`);
  return (await response.body.json()) as Answer;
};

/** One connection a caller; each runs `work` again and again. @returns how often it was done a second */
export async function callers(
  origin: string,
  { callers: count, seconds, perSecond }: Pace,
  work: (client: Client) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  let done = 0;
  let begun = 0;
  const caller = async (): Promise<void> => {
    const client = new Client(origin);
    while (performance.now() < until) {
      if (perSecond !== undefined) {
        await pause(Math.max(0, startedAt + (begun * 1_000) / perSecond - performance.now()));
        begun += 1;
      }
      await work(client);
      done += 1;
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: count }, caller));
  return (done * 1_000) / (performance.now() - startedAt);
}

/** Runs chains over HTTP, three requests each. @throws Error where one is refused */
export async function runChains(origin: string, { skillId, consumer, provider }: World, pace: Pace): Promise<ChainRun> {
  const latencies: Record<Step, number[]> = { invoke: [], claim: [], complete: [] };
  const timed = async <Answer>(step: Step, answer: () => Promise<Answer>): Promise<Answer> => {
    const startedAt = performance.now();
    const given = await answer();
    latencies[step].push(performance.now() - startedAt);
    return given;
  };
  const perSecond = await callers(origin, pace, async (client) => {
    const { id } = await timed('invoke', () =>
      send<{ id: string }>(client, `/v1/skills/${skillId}/invoke`, { key: consumer.key, body: { input: { text } } }),
    );
    await timed('claim', () => send(client, `/v1/skills/invocations/${id}/claim`, { key: provider.key, body: {} }));
    await timed('complete', () =>
      send(client, `/v1/skills/invocations/${id}/complete`, { key: provider.key, body: { output: { text } } }),
    );
  });
  return { perSecond, latencies };
}

/** `1.2 / 3.4`: the median and the 95th of a hundred. */
export const latencyCell = (milliseconds: readonly number[]): string =>
  `${quantile(milliseconds, 0.5).toFixed(1)} / ${quantile(milliseconds, 0.95).toFixed(1)}`;
