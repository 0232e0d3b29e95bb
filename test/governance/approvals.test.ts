import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { createEncryption } from '../../src/context/encryption.ts';
import type { Approval, ApprovalWithBody } from '../../src/governance/schema.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  unique,
  type TestOperator,
} from '../support/factories.ts';
import { buildPerson, signIn, type Person } from '../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, requester, type Requester } from '../support/service.ts';
import { approve, expire, refusedWith, withApproval } from './support.ts';

const APPROVALS = '/v1/governance/approvals';
interface Approvals {
  approvals: Approval[];
  total: number;
  limit: number;
  offset: number;
}

/** A change that a key may make only with a person's approval. */
const weaken = async (operator: Requester, agentId?: string) => {
  const id = agentId ?? (await buildAgent(operator, { accountability: 'enforced' })).id;
  const request = (headers?: Record<string, string>) =>
    operator.patch(`/v1/agents/${id}`, { accountability: 'logged', name: 'weaker' }, headers);
  const reply = await request();
  assertProblem(reply, 'GOVERNANCE_APPROVAL_REQUIRED');
  return { agentId: id, approvalId: refusedWith(reply).approval_id, request };
};

/** An admin key that this caller has made. */
const keyMadeBy = async (maker: Requester): Promise<Requester> => {
  const made = await maker.post<{ key: string }>('/v1/api-keys', {
    name: unique('key'),
    kind: 'operator',
    role: 'admin',
  });
  return requester(assertStatus(made, 201).key);
};

describe('Governance approvals', () => {
  let operator: TestOperator;
  let owner: Person;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    owner = await signIn(operator.email);
  });

  it('let a key do what a person has approved (POST …/approve)', async () => {
    const { approvalId, request } = await weaken(operator);
    const pending = assertStatus(await operator.get<Approval>(`${APPROVALS}/${approvalId}`), 200);
    assert.equal(pending.status, 'pending');
    const approved = assertStatus(await owner.post<Approval>(`${APPROVALS}/${approvalId}/approve`), 200);
    assert.equal(approved.status, 'approved');
    assert.match(approved.decided_by ?? '', /^mem_/);
    assert.deepEqual(assertStatus(await operator.get(`${APPROVALS}/${approvalId}`), 200), approved);
    const agent = assertStatus(await request(withApproval(approvalId)), 200);
    assert.equal(agent.accountability, 'logged');
    const consumed = assertStatus(await operator.get<Approval>(`${APPROVALS}/${approvalId}`), 200);
    assert.equal(consumed.status, 'consumed');
    assert(consumed.consumed_at !== null);
  });

  it('show the body of the request to those who decide', async () => {
    const { agentId, approvalId } = await weaken(operator);
    const shown = assertStatus(await owner.get<ApprovalWithBody>(`${APPROVALS}/${approvalId}`), 200);
    assert.deepEqual(shown.body, { accountability: 'logged', name: 'weaker' });
    assert.deepEqual(
      { method: shown.method, path: shown.path, action: shown.action },
      { method: 'PATCH', path: `/v1/agents/${agentId}`, action: 'agent.accountability_weakened' },
    );
    assert.match(shown.requested_by, /^key_/);
  });

  it('are shown without the body when the key that sealed it is no longer in ENCRYPTION_KEY', async () => {
    const { approvalId } = await weaken(operator);
    const otherwise = createEncryption([randomBytes(32)]).seal('{}', `approval:${approvalId}`);
    const pool = await database();
    await pool.query(
      sql.type(z.object({}))`update governance_approvals set body = ${otherwise} where id = ${approvalId}`,
    );
    const shown = assertStatus(await owner.get<ApprovalWithBody>(`${APPROVALS}/${approvalId}`), 200);
    assert.deepEqual([shown.id, 'body' in shown], [approvalId, false]);
  });

  it('give the same answer to the same decision, and refuse another', async () => {
    const { approvalId, request } = await weaken(operator);
    const first = assertStatus(await approve(owner, approvalId), 200);
    assert.deepEqual(assertStatus(await approve(owner, approvalId), 200), first);
    assertProblem(await owner.post(`${APPROVALS}/${approvalId}/reject`), 'INVALID_STATE');
    assertStatus(await request(withApproval(approvalId)), 200);
    assert.equal(assertStatus(await approve(owner, approvalId), 200).status, 'consumed');
    assertProblem(await owner.post(`${APPROVALS}/${approvalId}/reject`), 'INVALID_STATE');
    const other = await weaken(operator);
    const rejected = assertStatus(await owner.post(`${APPROVALS}/${other.approvalId}/reject`), 200);
    assert.equal(rejected.status, 'rejected');
    assert.deepEqual(assertStatus(await owner.post(`${APPROVALS}/${other.approvalId}/reject`), 200), rejected);
    assertProblem(await approve(owner, other.approvalId), 'INVALID_STATE');
  });

  it('have one decision where two people decide at once', async () => {
    const fresh = await buildOperator();
    const [first, second] = [await signIn(fresh.email), await buildPerson(fresh)];
    const { approvalId } = await weaken(await keyMadeBy(second));
    const replies = await Promise.all([approve(first, approvalId), second.post(`${APPROVALS}/${approvalId}/reject`)]);
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
  });

  it('cannot be decided once they have expired', async () => {
    const { approvalId } = await weaken(operator);
    await expire(approvalId);
    assert.equal(assertStatus(await operator.get(`${APPROVALS}/${approvalId}`), 200).status, 'expired');
    assertProblem(await approve(owner, approvalId), 'INVALID_STATE');
    assertProblem(await owner.post(`${APPROVALS}/${approvalId}/reject`), 'INVALID_STATE');
  });

  it('are decided only by people', async () => {
    const { approvalId } = await weaken(operator);
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    for (const decision of ['approve', 'reject']) {
      const path = `${APPROVALS}/${approvalId}/${decision}`;
      assertProblem(await anonymous().post(path), 'UNAUTHENTICATED');
      assertProblem(await operator.post(path), 'DASHBOARD_SESSION_REQUIRED');
      assertProblem(await (await buildMemberKey(operator)).post(path), 'ADMIN_REQUIRED');
      assertProblem(await agentKey.post(path), 'AGENT_CREDENTIAL_FORBIDDEN');
      assertProblem(await (await buildPerson(operator, 'member')).post(path), 'ADMIN_REQUIRED');
      assertProblem(await owner.post(path, { reason: 'why not' }), 'VALIDATION_ERROR', 'reason');
    }
    assert.equal(assertStatus(await operator.get(`${APPROVALS}/${approvalId}`), 200).status, 'pending');
  });

  it('of another operator do not exist', async () => {
    const { approvalId } = await weaken(operator);
    const stranger = await signIn((await buildOperator()).email);
    assertProblem(await stranger.get(`${APPROVALS}/${approvalId}`), 'NOT_FOUND');
    assertProblem(await approve(stranger, approvalId), 'NOT_FOUND');
    assertProblem(await stranger.post(`${APPROVALS}/${approvalId}/reject`), 'NOT_FOUND');
    assertProblem(await owner.get(`${APPROVALS}/apr_none`), 'NOT_FOUND');
    assert.equal(assertStatus(await stranger.get<Approvals>(APPROVALS), 200).total, 0);
  });

  it('are listed newest first, by status', async () => {
    const fresh = await buildOperator();
    const person = await signIn(fresh.email);
    const made: Awaited<ReturnType<typeof weaken>>[] = [];
    for (let at = 0; at < 5; at += 1) made.push(await weaken(fresh));
    const [pending, approved, rejected, expired, consumed] = made.map(({ approvalId }) => approvalId);
    assert(
      pending !== undefined &&
        approved !== undefined &&
        rejected !== undefined &&
        expired !== undefined &&
        consumed !== undefined,
    );
    assertStatus(await approve(person, approved), 200);
    assertStatus(await person.post(`${APPROVALS}/${rejected}/reject`), 200);
    await expire(expired);
    assertStatus(await approve(person, consumed), 200);
    assertStatus((await made[4]?.request(withApproval(consumed))) ?? assert.fail(), 200);
    const all = assertStatus(await person.get<Approvals>(APPROVALS), 200);
    assert.deepEqual(
      all.approvals.map(({ id, status }) => [id, status]),
      [
        [consumed, 'consumed'],
        [expired, 'expired'],
        [rejected, 'rejected'],
        [approved, 'approved'],
        [pending, 'pending'],
      ],
    );
    assert.deepEqual([all.total, all.limit, all.offset], [5, 20, 0]);
    for (const { id, status } of all.approvals) {
      const some = assertStatus(await person.get<Approvals>(`${APPROVALS}?status=${status}`), 200);
      assert.deepEqual([some.approvals.map((one) => one.id), some.total], [[id], 1]);
    }
    assertProblem(await person.get(`${APPROVALS}?status=open`), 'VALIDATION_ERROR', 'query.status');
    assertProblem(await fresh.get(APPROVALS), 'DASHBOARD_SESSION_REQUIRED');
    assertProblem(await anonymous().get(APPROVALS), 'UNAUTHENTICATED');
  });

  describe('where there are two administrators', () => {
    let fresh: TestOperator;
    let first: Person;
    let second: Person & { memberId: string };
    beforeEach(async () => {
      fresh = await buildOperator({ tier: 'business' });
      [first, second] = [await signIn(fresh.email), await buildPerson(fresh, 'admin')];
    });

    it('are given by the other one for a request of a key that one has made, and of a key that this key has made', async () => {
      const key = await keyMadeBy(first);
      for (const bearer of [key, await keyMadeBy(key)]) {
        const { approvalId, request } = await weaken(bearer);
        assertProblem(await approve(first, approvalId), 'ADMIN_REQUIRED');
        assertStatus(await approve(second, approvalId), 200);
        assertStatus(await request(withApproval(approvalId)), 200);
      }
    });

    it('are given by nobody where it cannot be told who asked, and rejected by everybody', async () => {
      const { approvalId } = await weaken(fresh);
      for (const person of [first, second]) {
        const refused = await approve(person, approvalId);
        assertProblem(refused, 'ADMIN_REQUIRED');
        assert.match(String(refused.body.detail), /Nobody can tell who made this request/);
      }
      assertStatus(await first.post(`${APPROVALS}/${approvalId}/reject`), 200);
    });

    it('are not given for a key whose maker has left', async () => {
      const { approvalId } = await weaken(await keyMadeBy(second));
      await buildPerson(fresh, 'admin');
      assertStatus(await first.delete(`/v1/members/${second.memberId}`), 200);
      assertProblem(await approve(first, approvalId), 'ADMIN_REQUIRED');
    });

    it('are given by the only one who is left', async () => {
      const { approvalId } = await weaken(fresh);
      assertStatus(await first.delete(`/v1/members/${second.memberId}`), 200);
      assertStatus(await approve(first, approvalId), 200);
    });
  });

  it('are not made for a bad body, nor where the state refuses', async () => {
    const fresh = await buildOperator();
    const person = await signIn(fresh.email);
    const { id } = await buildAgent(fresh, { accountability: 'enforced' });
    assertProblem(await fresh.patch(`/v1/agents/${id}`, { accountability: 'none' }), 'VALIDATION_ERROR');
    assertProblem(await fresh.post(`/v1/agents/${id}/unblock`), 'INVALID_STATE');
    assertProblem(await fresh.patch(`/v1/agents/${unique('ag')}`, { accountability: 'logged' }), 'NOT_FOUND');
    assert.equal(assertStatus(await person.get<Approvals>(APPROVALS), 200).total, 0);
  });

  it('are in the audit trail: requested, decided, used', async () => {
    const { approvalId, request } = await weaken(operator);
    assertStatus(await approve(owner, approvalId), 200);
    assertStatus(await request(withApproval(approvalId)), 200);
    const trail = await operator.get<{ audit_events: { action: string; target: string }[] }>('/v1/audit-events');
    const events = assertStatus(trail, 200).audit_events.filter(({ target }) => target === approvalId);
    assert.deepEqual(
      events.map(({ action }) => action),
      ['approval.consumed', 'approval.approved', 'approval.requested'],
    );
  });
});
