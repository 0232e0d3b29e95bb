import { randomBytes } from 'node:crypto';
import { expect, money, show, printStep, type DemoClient } from './client.ts';

const text = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 200 } },
  required: ['text'],
  additionalProperties: false,
};
const PRICE_CENTS = 250;

export interface Market {
  skillId: string;
  newcomerKey: string;
}

/** Publishes a skill that has a price, and makes an operator that cannot pay it yet. */
export async function openMarket(
  { call }: DemoClient,
  keys: { publisher: string; consumer: string; admin: string },
): Promise<Market> {
  printStep('A publisher offers a skill: a contract with schemas and a price.');
  const skill = expect(
    await call('POST', '/v1/skills', {
      key: keys.publisher,
      body: {
        name: `shout-${randomBytes(4).toString('hex')}`,
        description: 'Turns a text into capitals, politely',
        version: '1.0.0',
        input_schema: text,
        output_schema: text,
        trust_level_required: 'L0',
        tags: ['demo', 'text'],
        price_per_invocation: PRICE_CENTS,
      },
    }),
    201,
  );
  show(`${skill.name} is ${skill.status}, ${money(PRICE_CENTS)} an invocation.`);

  printStep('Somebody else finds it in the marketplace.');
  const found = expect(await call('GET', '/v1/skills?search=capitals&tags=demo', { key: keys.consumer }), 200);
  show(
    `${(found.skills as unknown[]).length} of ${found.total} found; ours is ${(found.skills as { id: string }[]).some((row) => row.id === skill.id) ? 'among them' : 'NOT among them'}.`,
  );

  printStep('An operator without money is refused, with the numbers.');
  const newcomer = expect(
    await call('POST', '/v1/operators', {
      key: keys.admin,
      body: {
        name: 'Newcomer',
        email: `newcomer-${randomBytes(4).toString('hex')}@carnet.invalid`,
      },
    }),
    201,
  ) as { api_key: string };
  const refused = expect(
    await call('POST', `/v1/skills/${skill.id}/invoke`, { key: newcomer.api_key, body: { input: { text: 'hello' } } }),
    402,
  );
  show(`${refused.code}: needs ${money(refused.required_cents)}, has ${money(refused.balance_cents)}.`);
  return { skillId: String(skill.id), newcomerKey: newcomer.api_key };
}
