import { openPool } from '../../src/database/pool.ts';
import { credit, publication, unique, type TestInvocation } from './factories.ts';
import { assertStatus, requester, type Reply, type Requester } from './service.ts';
import { untilAnswered } from './until-answered.ts';

/** An instance, and the key of its platform. */
export interface MarketPlace {
  baseUrl: string;
  adminKey: string;
  databaseUrl: string;
}

/** A provider with one skill and a consumer with money, on an instance of the test. */
export interface Market {
  provider: Requester;
  consumer: Requester;
  consumerId: string;
  skillId: string;
  /** Price of an invocation in cents. */
  price: number;
  /** The same operators, calling a process at another address. */
  at(baseUrl: string): Market;
  invoke(body?: Record<string, unknown>, headers?: Record<string, string>): Promise<Reply<TestInvocation>>;
  /** Invokes the skill; the invocation is pending. */
  pending(body?: Record<string, unknown>): Promise<string>;
  act(
    id: string,
    act: 'claim' | 'complete' | 'fail' | 'cancel',
    headers?: Record<string, string>,
  ): Promise<Reply<TestInvocation>>;
  /** The invocation as its consumer sees it now. */
  show(id: string): Promise<TestInvocation & { output: unknown }>;
  balance(): Promise<{ balance_cents: number; held_cents: number }>;
}

const BODIES = {
  claim: undefined,
  complete: { output: { text: 'HELLO' } },
  fail: { error: { code: 'NO_IDEA', message: 'It cannot be done.' } },
  cancel: undefined,
};

export async function openMarket(where: MarketPlace, { cents = 10_000, price = 7 } = {}): Promise<Market> {
  const platform = requester(where.adminKey, where.baseUrl);
  const operator = async (): Promise<{ id: string; key: string }> => {
    const name = unique('operator');
    const made = await platform.post<{ operator: { id: string }; api_key: string }>('/v1/operators', {
      name,
      email: `${name}@example.test`,
    });
    const {
      operator: { id },
      api_key: key,
    } = assertStatus(made, 201);
    return { id, key };
  };
  const [provider, consumer] = [await operator(), await operator()];
  const pool = await openPool(where.databaseUrl, { size: 1, applicationName: 'carnet-test' });
  try {
    await credit(consumer.id, cents, pool);
  } finally {
    await pool.end();
  }
  // A process that has just started may need more than the second that a check of a schema has to begin.
  const skill = await untilAnswered(() =>
    requester(provider.key, where.baseUrl).post<{ id: string }>(
      '/v1/skills',
      publication({ price_per_invocation: price }),
    ),
  );
  const { id: skillId } = assertStatus(skill, 201);
  return marketAt(where.baseUrl, {
    provider: provider.key,
    consumer: consumer.key,
    consumerId: consumer.id,
    skillId,
    price,
  });
}

interface People {
  provider: string;
  consumer: string;
  consumerId: string;
  skillId: string;
  price: number;
}

function marketAt(baseUrl: string, people: People): Market {
  const provider = requester(people.provider, baseUrl);
  const consumer = requester(people.consumer, baseUrl);
  const market: Market = {
    provider,
    consumer,
    consumerId: people.consumerId,
    skillId: people.skillId,
    price: people.price,
    at: (other) => marketAt(other, people),
    invoke: (body, headers) =>
      consumer.post(`/v1/skills/${people.skillId}/invoke`, { input: { text: 'hello' }, ...body }, headers),
    pending: async (body) => assertStatus(await untilAnswered(() => market.invoke(body)), 201).id,
    act: (id, act, headers) =>
      (act === 'cancel' ? consumer : provider).post(`/v1/skills/invocations/${id}/${act}`, BODIES[act], headers),
    show: async (id) =>
      assertStatus(await consumer.get<TestInvocation & { output: unknown }>(`/v1/skills/invocations/${id}`), 200),
    balance: async () =>
      assertStatus(await consumer.get<{ balance_cents: number; held_cents: number }>('/v1/billing/balance'), 200),
  };
  return market;
}
