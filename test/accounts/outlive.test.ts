import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import type { GovernedAct } from '../../src/commands/governed-acts.ts';
import { sql } from '../../src/database/pool.ts';
import { approve, refusedWith, withApproval } from '../governance/support.ts';
import {
  buildAgent,
  buildOperator,
  buildPartner,
  publication,
  unique,
  type TestOperator,
} from '../support/factories.ts';
import { sellersSkill } from '../skills/support.ts';
import { PROVIDERS } from '../support/model-providers.ts';
import { signIn, type Person } from '../support/people.ts';
import { assertProblem, assertStatus, database, requester, type Reply, type Requester } from '../support/service.ts';

type Outliving = Extract<GovernedAct, `${string}.outlives_maker`>;
/** Makes something new that gives access, or gives it to somebody else; `status` where it is done. */
interface Way {
  status: 200 | 201;
  call(at: World): (as: Requester, headers?: Record<string, string>) => Promise<Reply>;
}
interface World {
  agentId: string;
  endpointId: string;
}

const newKey = (): object => {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x };
};
const post =
  (path: string, body: object) =>
  (as: Requester, headers = {}): Promise<Reply> =>
    as.post(path, body, headers);
const patch =
  (path: string, body: object) =>
  (as: Requester, headers = {}): Promise<Reply> =>
    as.patch(path, body, headers);

const put =
  (path: string, body: object) =>
  (as: Requester, headers = {}): Promise<Reply> =>
    as.put(path, body, headers);

/** One for each act of the rule; another act does not compile without one. */
const ways: Record<Outliving, Way> = {
  'api_key.outlives_maker': {
    status: 201,
    call: () => post('/v1/api-keys', { name: unique('key'), kind: 'operator', role: 'member' }),
  },
  'partner_grant.outlives_maker': {
    status: 201,
    call: () => post('/v1/partner-grants', { name: unique('partner'), providers: ['generic'] }),
  },
  'member.outlives_maker': {
    status: 201,
    call: () => post('/v1/members', { email: `${unique('left')}@example.test`, role: 'member' }),
  },
  'new_agent_public_key.outlives_maker': {
    status: 201,
    call: () => post('/v1/agents', { name: unique('agent'), public_jwk: newKey() }),
  },
  'agent_public_key.outlives_maker': {
    status: 200,
    call: ({ agentId }) => patch(`/v1/agents/${agentId}`, { public_jwk: newKey() }),
  },
  'operator_public_key.outlives_maker': {
    status: 200,
    call: () => patch('/v1/operators/me', { public_jwks: [newKey()] }),
  },
  'inbound_endpoint.outlives_maker': {
    status: 201,
    call: ({ agentId }) => post('/v1/operator/inbound-webhooks', { provider: 'generic', agent_id: agentId }),
  },
  'inbound_secret.outlives_maker': {
    status: 200,
    call: ({ endpointId }) => post(`/v1/operator/inbound-webhooks/${endpointId}/rotate-secret`, {}),
  },
  'credential.outlives_maker': {
    status: 200,
    call: () => put(`/v1/credentials/${PROVIDERS[0]}`, { api_key: unique('sk-of-a-provider') }),
  },
  'skill.outlives_maker': {
    status: 201,
    call: () => post('/v1/skills', publication(sellersSkill)),
  },
};

describe('What gives access', () => {
  let operator: TestOperator;
  let owner: Person;
  let ending: Requester;
  let world: World;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    owner = await signIn(operator.email);
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const key = { name: 'it ends', kind: 'operator', role: 'admin', expires_at: expires };
    ending = requester(assertStatus(await operator.post<{ key: string }>('/v1/api-keys', key), 201).key);
    const { id: agentId } = await buildAgent(operator);
    const made = await operator.post<{ id: string }>('/v1/operator/inbound-webhooks', {
      provider: 'generic',
      agent_id: agentId,
    });
    world = { agentId, endpointId: assertStatus(made, 201).id };
  });

  const actOf = async (approval: string): Promise<string> => {
    const pool = await database();
    return pool.oneFirst(sql.type(z.object({ action: z.string() }))`
      select action from governance_approvals where id = ${approval}`);
  };

  for (const [act, { status, call }] of Object.entries(ways)) {
    it(`needs a person where the bearer that makes it ends: ${act}`, async () => {
      const made = call(world);
      const refused = await made(ending);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      const { approval_id: id } = refusedWith(refused);
      assert.equal(await actOf(id), act);
      assertStatus(await approve(owner, id), 200);
      assertStatus(await made(ending, withApproval(id)), status);
    });

    it(`needs none where the bearer does not end, or is a person: ${act}`, async () => {
      assertStatus(await call(world)(operator), status);
      assertStatus(await call(world)(owner), status);
    });
  }

  it('is not asked about what was there already, is taken away, or gives none', async () => {
    const jwks = [newKey(), newKey()];
    const { id } = await buildAgent(operator, { public_jwk: jwks[0] });
    assertStatus(await ending.patch(`/v1/agents/${id}`, { public_jwk: jwks[0], name: 'renamed' }), 200);
    assertStatus(await ending.patch(`/v1/agents/${id}`, { public_jwk: null }), 200);
    // It had that key, and gave it up.
    assertProblem(await ending.patch(`/v1/agents/${id}`, { public_jwk: jwks[0] }), 'GOVERNANCE_APPROVAL_REQUIRED');
    assertStatus(await operator.patch('/v1/operators/me', { public_jwks: jwks }), 200);
    assertStatus(await ending.patch('/v1/operators/me', { public_jwks: jwks.slice(1) }), 200);
    assertProblem(await ending.patch('/v1/operators/me', { public_jwks: jwks }), 'GOVERNANCE_APPROVAL_REQUIRED');
    assertStatus(await ending.patch('/v1/operators/me', { public_jwks: [] }), 200);
    assertStatus(await ending.post('/v1/agents', { name: unique('agent') }), 201);
    assertStatus(await ending.delete(`/v1/operator/inbound-webhooks/${world.endpointId}`), 200);
  });

  it('of a partner whose key ends needs a person too', async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const [short, lasting] = [await buildPartner(operator, { expires_at: expires }), await buildPartner(operator)];
    for (const partner of [short, lasting]) {
      const { id: agent_id } = await buildAgent(partner);
      const calls = [
        await partner.post('/v1/agents', { name: unique('agent'), public_jwk: newKey() }),
        await partner.post('/v1/operator/inbound-webhooks', { provider: 'generic', agent_id }),
      ];
      for (const reply of calls)
        if (partner === lasting) assertStatus(reply, 201);
        else assertProblem(reply, 'GOVERNANCE_APPROVAL_REQUIRED');
    }
  });

  it('is one request for one approval, no matter what else a person must look at in it', async () => {
    const body = { public_jwks: [newKey()], payout_account: 'acct_1032D82eZvKYlo2C' };
    const refused = await ending.patch('/v1/operators/me', body);
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    const { approval_id: id } = refusedWith(refused);
    assert.equal(await actOf(id), 'operator.payout_account_changed');
    assertStatus(await approve(owner, id), 200);
    assertStatus(await ending.patch('/v1/operators/me', body, withApproval(id)), 200);
  });
});

describe('An invitation', () => {
  let operator: TestOperator;
  let owner: Person;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    owner = await signIn(operator.email);
  });

  const invite = async (by: Requester): Promise<{ id: string; email: string }> =>
    assertStatus(
      await by.post<{ id: string; email: string }>('/v1/members', {
        email: `${unique('invited')}@example.test`,
        role: 'member',
      }),
      201,
    );
  const newAdmin = async (): Promise<Requester & { id: string }> => {
    const body = { name: unique('key'), kind: 'operator', role: 'admin' };
    const { id, key } = assertStatus(await operator.post<{ id: string; key: string }>('/v1/api-keys', body), 201);
    return { id, ...requester(key) };
  };
  const statusOf = async (id: string): Promise<number> => (await operator.get(`/v1/members/${id}`)).status;

  it('that nobody has accepted ends with the key that made it; who has joined stays', async () => {
    const maker = await newAdmin();
    const [open, joined] = [await invite(maker), await invite(maker)];
    await signIn(joined.email, operator.operatorId);
    const [others, persons] = [await invite(operator), await invite(owner)];
    assertStatus(await operator.delete(`/v1/api-keys/${maker.id}`), 200);
    assert.deepEqual(
      await Promise.all([open, joined, others, persons].map(({ id }) => statusOf(id))),
      [404, 200, 200, 200],
    );
    const pool = await database();
    const detail = await pool.oneFirst(sql.type(z.object({ detail: z.unknown() }))`
      select detail from audit_events where action = 'api_key.deleted' and target = ${maker.id}`);
    assert.deepEqual(detail, { invitations: [open.id] });
  });

  it('stays where a person has approved it', async () => {
    const maker = await newAdmin();
    const body = { email: `${unique('invited')}@example.test`, role: 'admin' };
    const refused = await maker.post('/v1/members', body);
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    const { approval_id: id } = refusedWith(refused);
    assertStatus(await approve(owner, id), 200);
    const { id: invited } = assertStatus(await maker.post<{ id: string }>('/v1/members', body, withApproval(id)), 201);
    assertStatus(await operator.delete(`/v1/api-keys/${maker.id}`), 200);
    assert.equal(await statusOf(invited), 200);
  });

  it('never stays of a key that is deleted meanwhile', async () => {
    for (let round = 0; round < 20; round += 1) {
      const maker = await newAdmin();
      const body = { email: `${unique('invited')}@example.test`, role: 'member' };
      const [invited] = await Promise.all([
        maker.post<{ id: string }>('/v1/members', body),
        operator.delete(`/v1/api-keys/${maker.id}`),
      ]);
      if (invited.status === 201) assert.equal(await statusOf(invited.body.id), 404);
      else assert([401, 403].includes(invited.status), invited.text);
    }
  });
});
