import assert from 'node:assert/strict';
import { openIssuer, openShellFor, type Issuer } from '../http/auth/support/issuer.ts';
import type { Shell } from '../http/support/shell.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { buildPerson, signIn, type Person } from '../support/people.ts';
import { assertProblem, assertStatus } from '../support/service.ts';
import { approve, governed, refusedWith } from './support.ts';

describe('Approvals of what access tokens request', () => {
  let issuer: Issuer;
  let shell: Shell;
  let operator: TestOperator;
  let owner: Person;
  let second: Person & { memberId: string; email: string };
  before(async () => {
    issuer = await openIssuer();
    shell = await openShellFor(issuer, governed);
  });
  after(async () => {
    await shell.close();
    await issuer.close();
  });
  beforeEach(async () => {
    operator = await buildOperator({ tier: 'business' });
    [owner, second] = [await signIn(operator.email), await buildPerson(operator, 'admin')];
  });

  const requestBy = async (sub: string): Promise<string> => {
    const token = await issuer.token({ operator_id: operator.operatorId, scope: 'admin', sub });
    const refused = await shell.as(token).post('/v1/governed/a', { sub });
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    return refusedWith(refused).approval_id;
  };

  it('are another administrator’s where the subject is the id or the address of one, in upper or lower case', async () => {
    for (const sub of [second.memberId, second.email, second.email.toUpperCase()]) {
      const id = await requestBy(sub);
      assertProblem(await approve(second, id), 'ADMIN_REQUIRED');
      assertStatus(await approve(owner, id), 200);
    }
  });

  it('are nobody’s where the subject is opaque and there are two administrators', async () => {
    const id = await requestBy('auth0|4711');
    for (const person of [owner, second]) assertProblem(await approve(person, id), 'ADMIN_REQUIRED');
    assertStatus(await owner.delete(`/v1/members/${second.memberId}`), 200);
    assert.equal(assertStatus(await approve(owner, id), 200).status, 'approved');
  });
});
