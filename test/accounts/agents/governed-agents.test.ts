import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { Agent } from '../../../src/accounts/agents/schema.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  type TestOperator,
} from '../../support/factories.ts';
import { buildPerson, signIn, unblock, type Person } from '../../support/people.ts';
import { assertProblem, assertStatus, database, type Reply, type Requester } from '../../support/service.ts';
import { block, otherJwk, publicJwk } from '../../authority/support.ts';

/** A request with a key that needs a person's approval; it can be sent again with that approval. */
type Governed = (approval?: string) => Promise<Reply>;

const header = (approval: string | undefined): Record<string, string> =>
  approval === undefined ? {} : { 'x-governance-approval': approval };

const approvalRequested = async (governed: Governed): Promise<string> => {
  const refused = await governed();
  assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
  return String(refused.body.approval_id);
};

describe('changes of an agent that need a person', () => {
  let operator: TestOperator;
  let person: Person;
  let agentId: string;

  const agent = async (): Promise<Agent> => assertStatus(await operator.get<Agent>(`/v1/agents/${agentId}`), 200);
  const approve = async (id: string): Promise<void> => {
    assertStatus(await person.post(`/v1/governance/approvals/${id}/approve`), 200);
  };

  beforeEach(async () => {
    operator = await buildOperator({ tier: 'developer' });
    person = await signIn(operator.email);
    agentId = (await buildAgent(operator, { accountability: 'enforced' })).id;
  });

  describe('POST /v1/agents/:id/unblock', () => {
    const requested: Governed = (approval) =>
      operator.post(`/v1/agents/${agentId}/unblock`, undefined, header(approval));

    it('is refused to a key until a person has approved it, and done once for each approval', async () => {
      await block(agentId);
      const approval = await approvalRequested(requested);
      assert.equal(await approvalRequested(requested), approval, 'a second request gets the same approval');
      assertProblem(await requested(approval), 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.equal((await agent()).status, 'blocked');
      await approve(approval);
      const unblocked = assertStatus(await requested(approval), 200);
      assert.equal(unblocked.status, 'active');
      assert.deepEqual(await agent(), unblocked);
      await block(agentId);
      assertProblem(await requested(approval), 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.equal((await agent()).status, 'blocked');
    });

    it('is asked again where the agent was changed after a person had looked at it', async () => {
      await block(agentId);
      const approval = await approvalRequested(requested);
      await approve(approval);
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { monthly_limit_cents: 1_000_000 }), 200);
      const refused = await requested(approval);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.equal(refused.body.approval_status, 'subject_changed');
      assert.equal((await agent()).status, 'blocked');
    });

    it('is done immediately for a person, and is in the audit trail', async () => {
      await block(agentId);
      const unblocked = assertStatus(await unblock(person, agentId), 200);
      assert.equal(unblocked.status, 'active');
      const audit = await operator.get<{ audit_events: { action: string; target: string }[] }>('/v1/audit-events');
      const lifted = assertStatus(audit, 200).audit_events.filter(({ action }) => action === 'agent.unblocked');
      assert.deepEqual(
        lifted.map(({ target }) => target),
        [agentId],
      );
    });

    it('is 409 INVALID_STATE where nothing is blocked, without an approval request', async () => {
      assertProblem(await requested(), 'INVALID_STATE');
      assertProblem(await person.post(`/v1/agents/${agentId}/unblock`), 'INVALID_STATE');
      assert.equal(assertStatus(await person.get('/v1/governance/approvals'), 200).total, 0);
    });

    it('is 404 for another operator, 403 for a member', async () => {
      await block(agentId);
      const other = await buildOperator();
      assertProblem(await other.post(`/v1/agents/${agentId}/unblock`), 'NOT_FOUND');
      assertProblem(await (await buildMemberKey(operator)).post(`/v1/agents/${agentId}/unblock`), 'ADMIN_REQUIRED');
    });
  });

  describe('PATCH /v1/agents/:id that brings a retired agent back', () => {
    const retire = async (by: Requester): Promise<void> => {
      assertStatus(await by.patch(`/v1/agents/${agentId}`, { status: 'disabled' }), 200);
    };

    for (const [who, retiredBy] of [
      ['a person', () => person],
      ['a key', () => operator],
    ] as const) {
      it(`is refused to every key until a person has approved it, where ${who} retired it`, async () => {
        const key = await buildAgentKey(operator, agentId);
        await retire(retiredBy());
        const member = await buildMemberKey(operator);
        for (const by of [member, operator]) {
          const bring: Governed = (approval) =>
            by.patch(`/v1/agents/${agentId}`, { status: 'active', name: 'again' }, header(approval));
          await approvalRequested(bring);
          assert.equal((await agent()).status, 'disabled');
          assertProblem(await key.get('/v1/skills'), 'UNAUTHENTICATED');
        }
        const bring: Governed = (approval) =>
          member.patch(`/v1/agents/${agentId}`, { status: 'active' }, header(approval));
        const approval = await approvalRequested(bring);
        await approve(approval);
        assertStatus(await bring(approval), 200);
        assertStatus(await key.get('/v1/skills'), 200);
      });
    }

    it('is done immediately for a person, and asks nothing where it is active already', async () => {
      await retire(operator);
      assertStatus(await person.patch(`/v1/agents/${agentId}`, { status: 'active' }), 200);
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { status: 'active' }), 200);
      await retire(operator);
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { status: 'disabled', name: 'renamed' }), 200);
    });

    it('is no shorter way for a signed-in member without a role that may approve', async () => {
      await retire(operator);
      const plain = await buildPerson(operator, 'member');
      assertProblem(await plain.patch(`/v1/agents/${agentId}`, { status: 'active' }), 'GOVERNANCE_APPROVAL_REQUIRED');
    });
  });

  describe('The key of a blocked agent', () => {
    it('is no other agent’s of the operator, new or changed, until a person has unblocked it', async () => {
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: publicJwk }), 200);
      await block(agentId);
      const twin = { name: 'twin', public_jwk: publicJwk };
      const refused = await operator.post('/v1/agents', twin);
      assertProblem(refused, 'AGENT_BLOCKED');
      assert.equal(refused.body.agent_id, agentId);
      const { id: other } = await buildAgent(operator, { public_jwk: otherJwk });
      assertProblem(await operator.patch(`/v1/agents/${other}`, { public_jwk: publicJwk }), 'AGENT_BLOCKED');
      assertStatus(await (await buildOperator()).post('/v1/agents', twin), 201);
      assertStatus(await unblock(person, agentId), 200);
      assertStatus(await operator.post('/v1/agents', twin), 201);
    });

    it('is one that it had before, too', async () => {
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: publicJwk }), 200);
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: otherJwk }), 200);
      await block(agentId);
      for (const key of [publicJwk, otherJwk])
        assertProblem(await operator.post('/v1/agents', { name: 'twin', public_jwk: key }), 'AGENT_BLOCKED');
      assertStatus(await unblock(person, agentId), 200);
      await buildAgent(operator, { public_jwk: publicJwk });
    });

    it('is found among a bounded number of keys: an agent has had a thousand at most', async () => {
      const pool = await database();
      await pool.query(sql.type(z.object({}))`
        insert into agent_public_keys (agent_id, operator_id, key_thumbprint)
        select ${agentId}, ${operator.operatorId}, 'key ' || n from generate_series(1, 999) as n`);
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: publicJwk }), 200);
      assertProblem(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: otherJwk }), 'INVALID_STATE');
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: null }), 200);
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: publicJwk }), 200);
    });

    it('cannot be taken off it meanwhile', async () => {
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: publicJwk }), 200);
      await block(agentId);
      for (const key of [null, otherJwk])
        assertProblem(await operator.patch(`/v1/agents/${agentId}`, { public_jwk: key }), 'INVALID_STATE');
      assertStatus(await operator.patch(`/v1/agents/${agentId}`, { name: 'renamed' }), 200);
    });
  });

  describe('PATCH /v1/agents/:id with less accountability', () => {
    const weaken: Governed = (approval) =>
      operator.patch(`/v1/agents/${agentId}`, { accountability: 'logged', name: 'x' }, header(approval));

    it('is refused to a key until a person has approved exactly this change', async () => {
      const approval = await approvalRequested(weaken);
      await approve(approval);
      const more = { accountability: 'standard', name: 'x' };
      assertProblem(
        await operator.patch(`/v1/agents/${agentId}`, more, header(approval)),
        'GOVERNANCE_APPROVAL_REQUIRED',
      );
      assert.equal((await agent()).accountability, 'enforced');
      const weakened = assertStatus(await weaken(approval), 200);
      assert.deepEqual([weakened.accountability, weakened.name], ['logged', 'x']);
    });

    it('is done immediately for a person', async () => {
      const reply = await person.patch<Agent>(`/v1/agents/${agentId}`, { accountability: 'standard' });
      assert.equal(assertStatus(reply, 200).accountability, 'standard');
    });

    for (const [what, made, patch] of [
      [
        'a longer interval',
        { accountability: 'enforced', checkpoint_interval_seconds: 60 },
        { checkpoint_interval_seconds: 61 },
      ],
      [
        'no interval',
        { accountability: 'enforced', checkpoint_interval_seconds: 60 },
        { checkpoint_interval_seconds: null },
      ],
      [
        'none in mode logged',
        { accountability: 'logged', checkpoint_interval_seconds: 3_600 },
        { checkpoint_interval_seconds: null },
      ],
      [
        'a stronger mode with a longer interval',
        { accountability: 'logged', checkpoint_interval_seconds: 60 },
        { accountability: 'enforced', checkpoint_interval_seconds: 120 },
      ],
    ] as const) {
      it(`needs a person for ${what} too, since its checkpoints would fall due less often`, async () => {
        const { id } = await buildAgent(operator, made);
        const refused = await operator.patch(`/v1/agents/${id}`, patch);
        assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
        const same = assertStatus(await operator.get<Agent>(`/v1/agents/${id}`), 200);
        assert.equal(same.checkpoint_interval_seconds, made.checkpoint_interval_seconds);
        await approve(String(refused.body.approval_id));
        const changed = await operator.patch<Agent>(
          `/v1/agents/${id}`,
          patch,
          header(String(refused.body.approval_id)),
        );
        assert.equal(assertStatus(changed, 200).checkpoint_interval_seconds, patch.checkpoint_interval_seconds);
      });
    }

    for (const [what, patch] of [
      ['a longer interval', { checkpoint_interval_seconds: 300 }],
      ['no interval', { checkpoint_interval_seconds: null }],
      ['its twin’s mode with a longer interval', { accountability: 'enforced', checkpoint_interval_seconds: 61 }],
    ] as const) {
      it(`needs a person for ${what} of an agent that is held to more than it says, by another agent with its key`, async () => {
        const made = { accountability: 'standard', checkpoint_interval_seconds: 60, public_jwk: publicJwk };
        const { id } = await buildAgent(operator, made);
        await buildAgent(operator, { accountability: 'enforced', public_jwk: publicJwk });
        const held = async () => assertStatus(await operator.get<Agent>(`/v1/agents/${id}`), 200).held_to;
        const before = await held();
        assert.deepEqual([before.accountability, before.checkpoint_interval_seconds], ['enforced', 60]);
        const member = await buildMemberKey(operator);
        const lengthen: Governed = (approval) => member.patch(`/v1/agents/${id}`, patch, header(approval));
        const approval = await approvalRequested(lengthen);
        assert.deepEqual(await held(), before);
        await approve(approval);
        assertStatus(await lengthen(approval), 200);
        assert.equal((await held()).checkpoint_interval_seconds, patch.checkpoint_interval_seconds);
      });
    }

    it('needs a person again where one had approved it for each of two agents with one key: the second would be the last that is enforced', async () => {
      const made = { accountability: 'enforced', public_jwk: publicJwk };
      const [{ id: one }, { id: other }] = [await buildAgent(operator, made), await buildAgent(operator, made)];
      const lessen = (id: string, approval?: string): Promise<Reply> =>
        operator.patch(`/v1/agents/${id}`, { accountability: 'standard' }, header(approval));
      const ofOne = await approvalRequested(() => lessen(one));
      const ofOther = await approvalRequested(() => lessen(other));
      for (const approval of [ofOne, ofOther]) await approve(approval);
      assertStatus(await lessen(one, ofOne), 200);
      const refused = await lessen(other, ofOther);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.equal(refused.body.approval_status, 'subject_changed');
    });

    it('needs a person for a longer interval that counts for another agent alone, by a key that both had', async () => {
      const { id } = await buildAgent(operator, {
        accountability: 'logged',
        checkpoint_interval_seconds: 300,
        public_jwk: publicJwk,
      });
      const { id: other } = await buildAgent(operator, { public_jwk: publicJwk });
      await buildAgent(operator, { accountability: 'enforced', public_jwk: otherJwk });
      assertStatus(await operator.patch(`/v1/agents/${id}`, { public_jwk: otherJwk }), 200);
      const held = async () => assertStatus(await operator.get<Agent>(`/v1/agents/${other}`), 200).held_to;
      const before = await held();
      assert.deepEqual([before.accountability, before.checkpoint_interval_seconds], ['logged', 300]);
      await approvalRequested(() => operator.patch(`/v1/agents/${id}`, { checkpoint_interval_seconds: 3_600 }));
      assert.deepEqual(await held(), before);
    });

    it('is free where the agent owes as much as before', async () => {
      for (const [made, patch] of [
        [{ accountability: 'enforced', checkpoint_interval_seconds: 120 }, { checkpoint_interval_seconds: 60 }],
        [{ accountability: 'enforced' }, { checkpoint_interval_seconds: 3_600 }],
        [{ accountability: 'standard', checkpoint_interval_seconds: 60 }, { checkpoint_interval_seconds: null }],
        [{ accountability: 'standard', checkpoint_interval_seconds: 60 }, { accountability: 'logged' }],
        [
          { accountability: 'logged', checkpoint_interval_seconds: 600 },
          { accountability: 'enforced', checkpoint_interval_seconds: null },
        ],
        [{ public_jwk: otherJwk }, { checkpoint_interval_seconds: 60 }],
      ]) {
        const { id } = await buildAgent(operator, made);
        assertStatus(await operator.patch(`/v1/agents/${id}`, patch), 200);
      }
    });

    it('makes no approval request where the state or the body does not allow the change', async () => {
      await block(agentId);
      const body = { accountability: 'logged', status: 'active' };
      assertProblem(await operator.patch(`/v1/agents/${agentId}`, body), 'INVALID_STATE');
      const faulty = { accountability: 'logged', name: '' };
      assertProblem(await operator.patch(`/v1/agents/${agentId}`, faulty), 'VALIDATION_ERROR', 'name');
      assert.equal(assertStatus(await person.get('/v1/governance/approvals'), 200).total, 0);
    });
  });

  describe('of two agents with one key, both approved, at the same moment', () => {
    /** Two calls meet in most of them; on a slow machine in some. */
    const ROUNDS = 15;

    const patchOf =
      (id: string): Governed =>
      (approval) =>
        operator.patch(`/v1/agents/${id}`, { accountability: 'standard' }, header(approval));
    const unblockOf =
      (id: string): Governed =>
      (approval) =>
        operator.post(`/v1/agents/${id}/unblock`, undefined, header(approval));

    /** A person approves both, having seen the other agent as it is now. @returns how many were done */
    const doneAtOnce = async (changes: readonly Governed[]): Promise<number> => {
      const approvals: string[] = [];
      for (const change of changes) approvals.push(await approvalRequested(change));
      for (const approval of approvals) await approve(approval);
      const replies = await Promise.all(changes.map((change, at) => change(approvals[at])));
      const refused = replies.filter(({ status }) => status !== 200);
      for (const reply of refused) {
        assertProblem(reply, 'GOVERNANCE_APPROVAL_REQUIRED');
        assert.equal(reply.body.approval_status, 'subject_changed');
        // Those that nobody decides would be as many as may wait.
        assertStatus(await person.post(`/v1/governance/approvals/${String(reply.body.approval_id)}/reject`), 200);
      }
      return replies.length - refused.length;
    };
    const twins = async (): Promise<[one: string, other: string]> => {
      const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
      const made = { accountability: 'enforced', public_jwk: { ...publicJwk, x } };
      return [(await buildAgent(operator, made)).id, (await buildAgent(operator, made)).id];
    };

    it('one is held to less, and of the other a person is asked again: it would be the last that is enforced', async () => {
      for (let round = 0; round < ROUNDS; round += 1)
        assert.equal(await doneAtOnce((await twins()).map(patchOf)), 1, `in round ${round}`);
    });

    it('one is unblocked, or the other is held to less, and not both', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const [one, other] = await twins();
        await block(one);
        assert.equal(await doneAtOnce([unblockOf(one), patchOf(other)]), 1, `in round ${round}`);
      }
    });
  });
});
