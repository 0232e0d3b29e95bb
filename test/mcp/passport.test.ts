import assert from 'node:assert/strict';
import { sql } from '../../src/database/pool.ts';
import { z } from 'zod';
import { issue } from '../passports/holders.ts';
import { of, openBudgetWorld, usedOf } from '../passports/budgets/world.ts';
import { assertStatus, database, service } from '../support/service.ts';
import { callTool, connected, LANES, metaOf, textsOf } from './support/clients.ts';

describe('An agent whose credential is a passport with a budget', () => {
  for (const lane of LANES)
    it(`finds a skill, reads it, orders it and is told what is left of its budget, by ${lane}`, async () => {
      const world = await openBudgetWorld();
      await (
        await database()
      ).query(
        sql.type(z.object({}))`update operators set passports_may_invoke = true where id = ${world.as.operatorId}`,
      );
      const { name } = assertStatus(await world.provider.get<{ name: string }>(`/v1/skills/${world.skillId}`), 200);
      const passport = await issue(world, { ...of(12), audience: [service().baseUrl] });
      const client = await connected(lane, passport.token);

      assert.equal((await client.listTools()).tools.length, 8);
      const found = textsOf(await callTool(client, 'search_skills', { query: name }));
      assert(found.join('\n').includes(`${world.skillId} ${name}, 5 cents`), found.join('\n'));
      const [schema = ''] = textsOf(await callTool(client, 'get_skill', { skill_id: world.skillId }));
      assert.equal((JSON.parse(schema) as { price_cents: number }).price_cents, 5);

      const order = { skill_id: world.skillId, input: { text: 'hello' }, idempotency_key: 'one', wait_seconds: 0 };
      const { 'carnet/invocation_id': id } = metaOf(await callTool(client, 'invoke_skill', order));
      const at = `/v1/skills/invocations/${String(id)}`;
      assertStatus(await world.provider.post(`${at}/claim`), 200);
      assertStatus(await world.provider.post(`${at}/complete`, { output: { text: 'HELLO' } }), 200);
      const done = await callTool(client, 'get_invocation', { invocation_id: id });
      assert.match(textsOf(done)[0] ?? '', /is completed\. It costs 5 cents, 7 cents are left\./);
      const again = await callTool(client, 'invoke_skill', order);
      assert.deepEqual(
        [metaOf(done)['carnet/available_cents'], metaOf(again)['carnet/replayed'], await usedOf(passport)],
        [7, true, [5]],
      );
      const dear = await callTool(client, 'invoke_skill', { ...order, idempotency_key: 'two' });
      assert.equal(dear.isError ?? false, false);
      const refused = await callTool(client, 'invoke_skill', { ...order, idempotency_key: 'three' });
      assert.match(textsOf(refused)[0] ?? '', /^PASSPORT_BUDGET_EXCEEDED/);
      await client.close();
    });
});
