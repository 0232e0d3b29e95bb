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
    const otherwise = createEncryption([randomBytes(32)]).encrypt('{}', `approval:${approvalId}`);
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
    assertStatus(await request(withApproval(approvalId)), 200);
    assert.equal(assertStatus(await approve(owner, approvalId), 200).status, 'consumed');
    assertProblem(await owner.post(`${APPROVALS}/${approvalId}/reject`), 'INVALID_STATE');
    const other = await weaken(operator);
    const rejected = assertStatus(await owner.post(`${APPROVALS}/${other.approvalId}/reject`), 200);
    assert.equal(rejected.status, 'rejected');
    assert.deepEqual(assertStatus(await owner.post(`${APPROVALS}/${other.approvalId}/reject`), 200), rejected);
    assertProblem(await approve(owner, other.approvalId), 'INVALID_STATE');
  });

  it('are withdrawn by rejecting them until they are used, by anybody who decides', async () => {
    const fresh = await buildOperator();
    const [first, second] = [await signIn(fresh.email), await buildPerson(fresh)];
    const { approvalId, request } = await weaken(await keyMadeBy(second));
    assertStatus(await approve(first, approvalId), 200);
    assert.equal(assertStatus(await second.post(`${APPROVALS}/${approvalId}/reject`), 200).status, 'rejected');
    const refused = await request(withApproval(approvalId));
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    assert.equal(refusedWith(refused).approval_status, 'rejected');
    assertProblem(await approve(first, approvalId), 'INVALID_STATE');
  });

  it('are used or withdrawn, never both, where both come together (40 rounds)', async () => {
    const fresh = await buildOperator();
    const person = await signIn(fresh.email);
    for (let round = 0; round < 40; round += 1) {
      const { agentId, approvalId, request } = await weaken(fresh);
      assertStatus(await approve(person, approvalId), 200);
      const [used, withdrawn] = await Promise.all([
        request(withApproval(approvalId)),
        person.post(`${APPROVALS}/${approvalId}/reject`),
      ]);
      assert.deepEqual([used.status, withdrawn.status], used.status === 200 ? [200, 409] : [403, 200]);
      const agent = assertStatus(await fresh.get<{ accountability: string }>(`/v1/agents/${agentId}`), 200);
      assert.equal(agent.accountability, used.status === 200 ? 'logged' : 'enforced', `round ${round}`);
      if (used.status === 403) await person.post(`${APPROVALS}/${refusedWith(used).approval_id}/reject`);
    }
  });

  it('end with who gave them: removed, with a lower role, or no owner any more where an owner decides', async () => {
    const fresh = await buildOperator({ tier: 'business' });
    const first = await signIn(fresh.email);
    const key = await keyMadeBy(first);
    const pool = await database();
    const role = (memberId: string, to: string) =>
      pool.query(sql.type(z.object({}))`update members set role = ${to} where id = ${memberId}`);
    const changes: [what: string, payout: boolean, change: (memberId: string) => Promise<unknown>][] = [
      ['removed', false, async (id) => assertStatus(await first.delete(`/v1/members/${id}`), 200)],
      ['a member now', false, (id) => role(id, 'member')],
      ['an administrator now', true, (id) => role(id, 'admin')],
    ];
    for (const [what, payout, change] of changes) {
      const second = await buildPerson(fresh, 'owner');
      const agent = await buildAgent(key, { accountability: 'enforced' });
      const request = (headers?: Record<string, string>) =>
        payout
          ? key.patch('/v1/operators/me', { payout_account: 'acct_1032D82eZvKYlo2C' }, headers)
          : key.patch(`/v1/agents/${agent.id}`, { accountability: 'logged' }, headers);
      const { approval_id: id } = refusedWith(await request());
      assertStatus(await approve(second, id), 200);
      await change(second.memberId);
      const refused = await request(withApproval(id));
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.deepEqual(
        [refusedWith(refused).approval_status, refusedWith(refused).approval_id === id],
        ['approver_left', false],
        what,
      );
    }
  });

  it('end with the credential that asked for them: deleted, or expired', async () => {
    const other = await keyMadeBy(owner);
    for (const approved of [false, true]) {
      for (const ends of ['deleted', 'expired']) {
        const made = assertStatus(
          await owner.post<{ id: string; key: string }>('/v1/api-keys', {
            name: unique('key'),
            kind: 'operator',
            role: 'admin',
          }),
          201,
        );
        const { agentId, approvalId } = await weaken(requester(made.key));
        if (approved) assertStatus(await approve(owner, approvalId), 200);
        const pool = await database();
        if (ends === 'deleted') assertStatus(await owner.delete(`/v1/api-keys/${made.id}`), 200);
        else
          await pool.query(
            sql.type(z.object({}))`update api_keys set expires_at = clock_timestamp() where id = ${made.id}`,
          );
        assert.equal(assertStatus(await owner.get(`${APPROVALS}/${approvalId}`), 200).status, 'expired');
        assertProblem(await approve(owner, approvalId), 'INVALID_STATE');
        const body = { accountability: 'logged', name: 'weaker' };
        const refused = await other.patch(`/v1/agents/${agentId}`, body, withApproval(approvalId));
        assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
        assert.deepEqual(
          [refusedWith(refused).approval_status, refusedWith(refused).approval_id === approvalId],
          ['requester_ended', false],
          `${ends}, ${approved}`,
        );
      }
    }
  });

  it('are rejected many together, those of the operator alone (POST …/reject)', async () => {
    const fresh = await buildOperator();
    const person = await signIn(fresh.email);
    const [waiting, approved, used] = [await weaken(fresh), await weaken(fresh), await weaken(fresh)];
    for (const { approvalId } of [approved, used]) assertStatus(await approve(person, approvalId), 200);
    assertStatus(await used.request(withApproval(used.approvalId)), 200);
    const ids = [waiting, approved, used].map(({ approvalId }) => approvalId);
    const foreign = (await weaken(operator)).approvalId;
    for (const unknown of [foreign, 'apr_none'])
      assertProblem(await person.post(`${APPROVALS}/reject`, { ids: [...ids, unknown] }), 'VALIDATION_ERROR', 'ids.3');
    assertProblem(await person.post(`${APPROVALS}/reject`, { ids: [] }), 'VALIDATION_ERROR', 'ids');
    assertProblem(await fresh.post(`${APPROVALS}/reject`, { ids }), 'DASHBOARD_SESSION_REQUIRED');
    const { approvals } = assertStatus(await person.post<Approvals>(`${APPROVALS}/reject`, { ids }), 200);
    assert.deepEqual(
      approvals.map(({ id, status }) => [id, status]),
      [
        [ids[0], 'rejected'],
        [ids[1], 'rejected'],
        [ids[2], 'consumed'],
      ],
    );
    assert.equal(assertStatus(await person.get<Approvals>(`${APPROVALS}?status=pending`), 200).total, 0);
  });

  it('have one decision where two people decide in parallel', async () => {
    const fresh = await buildOperator();
    const [first, second] = [await signIn(fresh.email), await buildPerson(fresh)];
    const { approvalId } = await weaken(await keyMadeBy(second));
    const [, rejected] = await Promise.all([
      approve(first, approvalId),
      second.post(`${APPROVALS}/${approvalId}/reject`),
    ]);
    assert.equal(assertStatus(rejected, 200).status, 'rejected', 'whoever comes first: an approval is withdrawn by it');
    assert.equal(assertStatus(await first.get(`${APPROVALS}/${approvalId}`), 200).status, 'rejected');
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
