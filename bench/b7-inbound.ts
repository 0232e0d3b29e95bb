import { request, type Client } from 'undici';
import type { Bench } from './bench.ts';
import { callers, type Pace } from './chains.ts';
import { eventBody, makeEndpoints, signatureOf, type Endpoint } from './endpoints.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { inTurns, quantile, rate, spread, table } from './pairs.ts';
import type { Arrival } from './servers/sink.ts';

/** Callers at most, each with an endpoint of its own. */
const MANY = 16;
/** Each tenth event is sent twice. */
const TWICE_EVERY = 10;

interface InboundRan {
  perSecond: number;
  /** Milliseconds to the answer. */
  latencies: number[];
}

interface Answer {
  event_id: string;
  duplicate: boolean;
  status: string;
}

interface Received {
  statusCode: number;
  body: { json(): Promise<unknown> };
}

/** @throws Error where it was not answered 200 with this status */
async function answerOf({ statusCode, body }: Received, status: string): Promise<Answer> {
  const answer = (await body.json()) as Answer;
  if (statusCode !== 200 || answer.status !== status)
    throw new Error(`An event was answered ${statusCode}: ${JSON.stringify(answer)}`);
  return answer;
}

const signed = ({ slug, secret }: Endpoint, body: string) => ({
  method: 'POST' as const,
  path: `/v1/inbound/generic/${slug}`,
  headers: { 'content-type': 'application/json', 'x-service-signature': signatureOf(secret, body) },
  body,
});

/** Each caller sends events to an endpoint of its own, one after the other. */
async function sendEvents(origin: string, endpoints: readonly Endpoint[], pace: Pace): Promise<InboundRan> {
  const latencies: number[] = [];
  const free = [...endpoints];
  const own = new Map<Client, Endpoint>();
  const perSecond = await callers(origin, pace, async (client) => {
    const endpoint = own.get(client) ?? free.pop();
    if (endpoint === undefined) throw new Error('There are more callers than endpoints.');
    own.set(client, endpoint);
    const sent = signed(endpoint, eventBody());
    const begun = performance.now();
    await answerOf(await client.request(sent), 'recorded');
    latencies.push(performance.now() - begun);
  });
  return { perSecond, latencies };
}

const milliseconds = (values: readonly number[]): string[] =>
  [0.5, 0.95, 0.99].map((share) => quantile(values, share).toFixed(1));

async function measureAnswers(lab: Lab): Promise<string> {
  const temporalAddress = await lab.temporalAddress();
  const { databaseUrl } = await lab.newWorld('b7');
  const endpoints = await makeEndpoints(databaseUrl, { count: MANY, forwardUrl: null });
  const carnet = await lab.start('carnet', { databaseUrl, temporalAddress, roles: { api: true, worker: true } });
  const row = async (count: number): Promise<string[]> => {
    const send = (): Promise<InboundRan> =>
      sendEvents(carnet.origin, endpoints, { callers: count, seconds: lab.seconds(5) });
    await send();
    const { runs } = await inTurns(lab.rounds, { runs: send }, () => {});
    const speeds = spread(
      runs.map(({ perSecond }) => perSecond),
      0,
    );
    lab.log(`${count} callers: ${speeds} a second`);
    return [String(count), speeds, ...milliseconds(runs.flatMap(({ latencies }) => latencies))];
  };
  const rows = [await row(1), await row(MANY)];
  await carnet.stop();
  return table(['Callers', 'answers a second (spread)', 'median, ms', 'p95', 'p99'], rows);
}

/** Every tenth event twice, half of them at the same moment; the sink counts what is forwarded. */
async function measureForwards(lab: Lab): Promise<string> {
  const temporalAddress = await lab.temporalAddress();
  const world = await lab.newWorld('b7_forwards');
  const sink = await lab.start('sink', {});
  const carnet = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    temporalAddress,
    allowLoopback: true,
    roles: { api: true, worker: true },
  });
  const endpoints = await makeEndpoints(world.databaseUrl, { count: MANY, forwardUrl: `${sink.origin}/fast/0` });
  const latencies: number[] = [];
  const events = new Map<string, number>();
  let begunEvents = 0;
  const post = async (endpoint: Endpoint, body: string): Promise<Answer> => {
    const { path, ...options } = signed(endpoint, body);
    return answerOf(await request(`${carnet.origin}${path}`, options), 'forwarded');
  };
  await Promise.all(endpoints.map((endpoint) => post(endpoint, eventBody())));
  await sink.request({});
  const startedAt = performance.now();
  const until = startedAt + lab.seconds(20) * 1_000;
  const caller = async (endpoint: Endpoint): Promise<void> => {
    while (performance.now() < until) {
      const nth = begunEvents++;
      const body = eventBody();
      const begun = performance.now();
      const sameMoment = nth % (2 * TWICE_EVERY) === 0 ? post(endpoint, body) : undefined;
      const first = await post(endpoint, body);
      latencies.push(performance.now() - begun);
      const answers = [first];
      if (sameMoment !== undefined) answers.push(await sameMoment);
      else if (nth % TWICE_EVERY === 0) answers.push(await post(endpoint, body));
      const taken = answers.filter(({ duplicate }) => !duplicate);
      if (taken.length !== 1 || answers.some((answer) => answer.event_id !== first.event_id))
        throw new Error(
          `An event sent ${answers.length} times was taken otherwise than once: ${JSON.stringify(answers)}`,
        );
      events.set(first.event_id, answers.length);
    }
  };
  await Promise.all(endpoints.map(caller));
  const perSecond = (events.size * 1_000) / (performance.now() - startedAt);
  const { arrivals } = await sink.request<{ arrivals: Arrival[] }>({});
  await Promise.all([carnet.stop(), sink.stop()]);
  const forwards = new Map<string, number>();
  for (const { event } of arrivals) forwards.set(event, (forwards.get(event) ?? 0) + 1);
  const double = [...forwards.values()].filter((count) => count > 1).length;
  const missing = [...events.keys()].filter((event) => !forwards.has(event)).length;
  const strange = [...forwards.keys()].filter((event) => !events.has(event)).length;
  if (double + missing + strange > 0) {
    throw new Error(
      `Of ${events.size} events ${double} were forwarded twice, ${missing} never, and ${strange} forwards are of no event.`,
    );
  }
  const requests = [...events.values()].reduce((sum, count) => sum + count, 0);
  lab.log(`${events.size} events in ${requests} requests, ${arrivals.length} forwards`);
  return table(
    [
      'Forwarded, each tenth event twice',
      'requests',
      'events',
      'forwards',
      'double',
      'events a second',
      'median',
      'p95',
      'p99',
    ],
    [
      [
        `${MANY} callers, milliseconds to the answer`,
        rate(requests),
        rate(events.size),
        rate(arrivals.length),
        String(double),
        rate(perSecond),
        ...milliseconds(latencies),
      ],
    ],
  );
}

/** Events that providers send, from the signed request to the recorded answer. */
export const b7: Bench = {
  title: 'B7: inbound webhooks',
  run: async (lab) => [await measureAnswers(lab), await measureForwards(lab), await floors(lab)],
};
