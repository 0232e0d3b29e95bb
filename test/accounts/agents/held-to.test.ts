import assert from 'node:assert/strict';
import type { Agent } from '../../../src/accounts/agents/schema.ts';
import { otherJwk, publicJwk } from '../../authority/support.ts';
import { buildAgent, buildOperator, buildPartner, unique, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, type Requester } from '../../support/service.ts';

const pathOf = ({ id }: { id: string }): string => `/v1/agents/${id}`;
const heldTo = async (by: Requester, agent: { id: string }): Promise<Agent['held_to']> =>
  assertStatus(await by.get<Agent>(pathOf(agent)), 200).held_to;
const enforced = { accountability: 'enforced', checkpoint_interval_seconds: 60 } as const;

describe('the duties of an agent', () => {
  let operator: TestOperator;
  beforeEach(async () => {
    operator = await buildOperator();
  });

  it('is its own mode and interval, where no agent shares a key with it', async () => {
    const agent = await buildAgent(operator, { ...enforced, public_jwk: publicJwk });
    await buildAgent(operator, { ...enforced, checkpoint_interval_seconds: 90, public_jwk: otherJwk });
    assert.deepEqual(await heldTo(operator, agent), {
      accountability: 'enforced',
      accountability_from: agent.id,
      checkpoint_interval_seconds: 60,
      checkpoint_interval_from: agent.id,
    });
  });

  it('names the agent with a key of it that is stricter, also one that had the key, and in the list', async () => {
    const agent = await buildAgent(operator, { public_jwk: publicJwk });
    const strict = await buildAgent(operator, { ...enforced, public_jwk: publicJwk });
    const often = await buildAgent(operator, { accountability: 'logged', checkpoint_interval_seconds: 61 });
    assertStatus(await operator.patch(pathOf(strict), { checkpoint_interval_seconds: 60, public_jwk: otherJwk }), 200);
    assertStatus(await operator.patch(pathOf(often), { public_jwk: publicJwk }), 200);
    const expected = {
      accountability: 'enforced',
      accountability_from: strict.id,
      checkpoint_interval_seconds: 60,
      checkpoint_interval_from: strict.id,
    };
    assert.deepEqual(await heldTo(operator, agent), expected);
    const { agents } = assertStatus(await operator.get<{ agents: Agent[] }>('/v1/agents'), 200);
    assert.deepEqual(agents.find(({ id }) => id === agent.id)?.held_to, expected);
  });

  it('is what its next passport says', async () => {
    const agent = await buildAgent(operator, { public_jwk: publicJwk });
    await buildAgent(operator, { ...enforced, public_jwk: publicJwk });
    const issued = await operator.post<{ token: string }>('/v1/passports/issue', { agent_id: agent.id });
    const [, payload = ''] = assertStatus(issued, 201).token.split('.');
    const { svcns } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { svcns: Record<string, unknown> };
    const held = await heldTo(operator, agent);
    assert.deepEqual(
      [svcns['accountability'], svcns['checkpoint_interval']],
      [held.accountability, held.checkpoint_interval_seconds],
    );
  });

  it('is nothing of an agent of another operator', async () => {
    const agent = await buildAgent(operator, { public_jwk: publicJwk });
    await buildAgent(await buildOperator(), { ...enforced, public_jwk: publicJwk });
    assert.deepEqual(await heldTo(operator, agent), {
      accountability: 'standard',
      accountability_from: agent.id,
      checkpoint_interval_seconds: null,
      checkpoint_interval_from: null,
    });
  });

  it('names no agent to a partner that it may not see', async () => {
    const partner = await buildPartner(operator);
    const [first, second] = [
      await buildAgent(partner, { public_jwk: publicJwk }),
      await buildAgent(partner, { accountability: 'logged', public_jwk: publicJwk }),
    ];
    assert.equal((await heldTo(partner, first)).accountability_from, second.id);
    const strict = await buildAgent(operator, { ...enforced, public_jwk: publicJwk });
    assert.deepEqual(await heldTo(partner, first), {
      accountability: 'enforced',
      accountability_from: null,
      checkpoint_interval_seconds: 60,
      checkpoint_interval_from: null,
    });
    assert.equal((await heldTo(operator, first)).accountability_from, strict.id);
  });
});

describe('A partner who registers an agent', () => {
  it('names no key that an agent beyond its grant has or had, and decides about none', async () => {
    const operator = await buildOperator();
    const [partner, other] = [await buildPartner(operator), await buildPartner(operator)];
    const production = await buildAgent(operator, { public_jwk: publicJwk });
    const ofOther = await buildAgent(other, { public_jwk: otherJwk });
    const register = (by: Requester, key: object) =>
      by.post('/v1/agents', { name: unique('twin'), accountability: 'enforced', public_jwk: key });
    for (const [key, whose] of [
      [publicJwk, production],
      [otherJwk, ofOther],
    ] as const) {
      const refused = await register(partner, key);
      assertProblem(refused, 'PARTNER_SCOPE');
      assert(!refused.text.includes(whose.id));
    }
    assertStatus(await operator.patch(pathOf(production), { public_jwk: null }), 200);
    assertProblem(await register(partner, publicJwk), 'PARTNER_SCOPE');
    assert.equal((await heldTo(operator, production)).accountability, 'standard');
    assertStatus(await register(other, otherJwk), 201);
    assertStatus(await register(operator, publicJwk), 201);
    const elsewhere = await buildPartner(await buildOperator());
    assertStatus(await register(elsewhere, publicJwk), 201);
  });
});
