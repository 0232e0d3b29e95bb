import assert from 'node:assert/strict';
import type { Passport, SignedPassport } from '../../../src/passports/schema.ts';
import { publicJwk } from '../../authority/support.ts';
import { buildAgent } from '../../support/factories.ts';
import { signIn } from '../../support/people.ts';
import { assertProblem, assertStatus } from '../../support/service.ts';
import { claimsOf, delegate, issue, openHolder, refresh, tryIssue, type Holder } from '../holders.ts';

const ENFORCED = { accountability: 'enforced', checkpoint_interval_seconds: 60 } as const;
const STANDARD = { accountability: 'standard', checkpoint_interval_seconds: null } as const;

/** The accountability that the token states, which is that of its lineage. */
async function heldTo({ as, code }: Holder, passport: SignedPassport): Promise<[string, number | undefined]> {
  const { accountability, checkpoint_interval: interval } = claimsOf(passport);
  const shown = assertStatus(await as.get<Passport>(`/v1/passports/${passport.jti}`), 200);
  assert.equal(shown.checkpoint_interval_seconds ?? undefined, interval);
  const { status } = await as.post(`/v1/passports/${passport.jti}/checkpoint`, {
    services_used: [code.service_name],
    actions_count: 1,
  });
  assert.equal(status, accountability === 'standard' ? 403 : 201);
  return [accountability, interval];
}

describe('Nothing becomes weaker within a lineage', () => {
  for (const whose of ['agent', 'twin'] as const) {
    it(`by an older passport of it, where its ${whose} was enforced in between`, async () => {
      const holder = await openHolder({ public_jwk: publicJwk });
      const first = await issue(holder, { ttl_seconds: 3_600 });
      assert.deepEqual(await heldTo(holder, first), ['standard', undefined]);
      const strict = whose === 'agent' ? holder.agentId : (await buildAgent(holder.as, { public_jwk: publicJwk })).id;
      assertStatus(await holder.as.patch(`/v1/agents/${strict}`, ENFORCED), 200);
      const second = await refresh(holder, first);
      assert.deepEqual(await heldTo(holder, second), ['enforced', 60]);

      const person = await signIn(holder.as.email);
      assertStatus(await person.patch(`/v1/agents/${strict}`, STANDARD), 200);
      const report = { services_used: ['never-declared'], actions_count: 1 };
      assertStatus(await holder.as.post(`/v1/passports/${second.jti}/checkpoint`, report), 201);
      const again = await refresh(holder, first);
      assert.deepEqual(await heldTo(holder, again), ['enforced', 60]);
      const { review } = assertStatus(
        await holder.as.post<{ review: { risk: string } }>(`/v1/passports/${second.jti}/checkout`, {
          services_used: [holder.code.service_name],
          actions_count: 1,
        }),
        201,
      );
      assert.equal(review.risk, 'critical');
      assertProblem(await tryIssue(holder), 'AGENT_REVIEW_PENDING');
    });
  }
});

describe('A passport below is held at least to what every lineage above it is held to', () => {
  let holder: Holder;
  let middleId: string;
  let lastId: string;
  let root: SignedPassport;
  /** Delegated before anything was enforced. */
  let middle: SignedPassport;
  let last: SignedPassport;

  beforeEach(async () => {
    holder = await openHolder();
    [middleId, lastId] = [(await buildAgent(holder.as)).id, (await buildAgent(holder.as)).id];
    root = await issue(holder, { ttl_seconds: 3_600 });
    middle = await delegate(holder, root, { child_agent_id: middleId });
    last = await delegate(holder, middle, { child_agent_id: lastId });
    assertStatus(await holder.as.patch(`/v1/agents/${holder.agentId}`, ENFORCED), 200);
    await refresh(holder, root);
  });
  const delegated = async (parent: SignedPassport) =>
    await heldTo(holder, await delegate(holder, parent, { child_agent_id: lastId, scopes: [] }));
  const refreshed = async (passport: SignedPassport) => await heldTo(holder, await refresh(holder, passport));

  it('that is delegated by an older passport of its parent', async () => {
    assert.deepEqual(await refreshed(middle), ['enforced', 60]);
    assert.deepEqual(await delegated(middle), ['enforced', 60]);
  });

  it('that is delegated or refreshed while its parent is not refreshed yet', async () => {
    assert.deepEqual(
      [await delegated(middle), await refreshed(last)],
      [
        ['enforced', 60],
        ['enforced', 60],
      ],
    );
  });

  it('in mode and interval, each of the lineage that is strictest in it', async () => {
    const quicker = { accountability: 'logged', checkpoint_interval_seconds: 60 };
    assertStatus(await holder.as.patch(`/v1/agents/${middleId}`, quicker), 200);
    const { id: agentId } = await buildAgent(holder.as, {
      accountability: 'enforced',
      checkpoint_interval_seconds: 120,
    });
    const slower = await issue({ ...holder, agentId }, { scopes: [] });
    const below = await delegate(holder, slower, { child_agent_id: middleId, scopes: [] });
    assert.deepEqual(await delegated(below), ['enforced', 60]);
  });
});
