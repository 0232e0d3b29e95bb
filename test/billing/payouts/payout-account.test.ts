import assert from 'node:assert/strict';
import type { Operator } from '../../../src/accounts/operators/schema.ts';
import { approve, refusedWith, withApproval } from '../../governance/support.ts';
import { buildMemberKey, buildOperator } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertProblem, assertStatus, platform, type Requester } from '../../support/service.ts';

const PATH = '/v1/operators/me';
const ACCOUNT = { payout_account: 'acct_1032D82eZvKYlo2C' };

describe('PATCH /v1/operators/me {payout_account}', () => {
  const accountOf = async (operator: Requester): Promise<string | null> =>
    assertStatus(await operator.get<Operator>(PATH), 200).payout_account;

  it('is null at first; an owner sets an account in the dashboard, another one, and none', async () => {
    const operator = await buildOperator({ tier: 'pro' });
    assert.equal(await accountOf(operator), null);
    const owner = await signIn(operator.email);
    assert.equal(assertStatus(await owner.patch<Operator>(PATH, ACCOUNT), 200).payout_account, ACCOUNT.payout_account);
    assertStatus(await owner.patch(PATH, { payout_account: 'acct_2' }), 200);
    assert.equal(await accountOf(operator), 'acct_2');
    assertStatus(await owner.patch(PATH, { payout_account: null }), 200);
    assert.equal(await accountOf(operator), null);
  });

  it('leaves it as it is when something else is changed', async () => {
    const operator = await buildOperator();
    assertStatus(await (await signIn(operator.email)).patch(PATH, ACCOUNT), 200);
    assertStatus(await operator.patch(PATH, { name: 'Renamed' }), 200);
    assertStatus(await platform().patch(`/v1/admin/operators/${operator.operatorId}`, { commission_bps: 5 }), 200);
    assert.equal(await accountOf(operator), ACCOUNT.payout_account);
  });

  it('needs an approval when the key of an administrator requests it, which is used once; nothing changes before', async () => {
    const operator = await buildOperator();
    const refused = await operator.patch(PATH, ACCOUNT);
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    assert.equal(await accountOf(operator), null);
    const { approval_id: id } = refusedWith(refused);
    assertStatus(await approve(await signIn(operator.email), id), 200);
    assertProblem(
      await operator.patch(PATH, { payout_account: 'acct_another' }, withApproval(id)),
      'GOVERNANCE_APPROVAL_REQUIRED',
    );
    assertStatus(await operator.patch(PATH, ACCOUNT, withApproval(id)), 200);
    assert.equal(await accountOf(operator), ACCOUNT.payout_account);
    assertProblem(await operator.patch(PATH, ACCOUNT, withApproval(id)), 'GOVERNANCE_APPROVAL_REQUIRED');
  });

  it('cannot be changed or approved by an administrator', async () => {
    const operator = await buildOperator({ tier: 'pro' });
    const administrator = await buildPerson(operator, 'admin');
    assertProblem(await administrator.patch(PATH, ACCOUNT), 'NOT_OWNER');
    const { approval_id: id } = refusedWith(await operator.patch(PATH, ACCOUNT));
    assertProblem(await approve(administrator, id), 'NOT_OWNER');
    assertProblem(await operator.patch(PATH, ACCOUNT, withApproval(id)), 'GOVERNANCE_APPROVAL_REQUIRED');
    assertStatus(await administrator.post(`/v1/governance/approvals/${id}/reject`), 200);
    assert.equal(await accountOf(operator), null);
  });

  it('cannot be changed by a member, nor can the rest', async () => {
    const operator = await buildOperator({ tier: 'pro' });
    for (const member of [await buildMemberKey(operator), await buildPerson(operator, 'member')]) {
      assertProblem(await member.patch(PATH, ACCOUNT), 'ADMIN_REQUIRED');
      assertProblem(await member.patch(PATH, { name: 'Renamed', ...ACCOUNT }), 'ADMIN_REQUIRED');
      assertProblem(await member.patch(PATH, { name: 'By a member' }), 'ADMIN_REQUIRED');
    }
    assert.equal(await accountOf(operator), null);
  });

  it('is in the audit trail with the account', async () => {
    const operator = await buildOperator();
    assertStatus(await (await signIn(operator.email)).patch(PATH, ACCOUNT), 200);
    const { audit_events: events } = assertStatus(
      await operator.get<{ audit_events: { action: string; detail: object }[] }>('/v1/audit-events'),
      200,
    );
    const updated = events.find(({ action }) => action === 'operator.updated');
    assert.deepEqual(updated?.detail, { changed: ['payout_account'], ...ACCOUNT });
  });

  for (const account of ['', 'acct_', 'acct_with space', 'cus_123', `acct_${'x'.repeat(65)}`, 5, ['acct_1']]) {
    it(`refuses ${JSON.stringify(account)}`, async () => {
      const owner = await signIn((await buildOperator()).email);
      assertProblem(await owner.patch(PATH, { payout_account: account }), 'VALIDATION_ERROR', 'payout_account');
    });
  }
});
