import assert from 'node:assert/strict';
import type { Member } from '../../../src/accounts/members/schema.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  unique,
  type TestOperator,
} from '../../support/factories.ts';
import { approve, approveByHand, refusedWith, withApproval } from '../../governance/support.ts';
import { buildPerson, insertMember, signIn, type Person } from '../../support/people.ts';
import {
  anonymous,
  assertProblem,
  assertStatus,
  platform,
  requester,
  service,
  type Reply,
} from '../../support/service.ts';

interface Members {
  members: Member[];
  total: number;
}

const address = (): string => `${unique('person')}@example.test`;
const add = (operator: TestOperator, email = address(), role = 'member'): Promise<Reply<Member>> =>
  operator.post<Member>('/v1/members', { email, role });
const membersOf = async (operator: TestOperator): Promise<Member[]> =>
  assertStatus(await operator.get<Members>('/v1/members'), 200).members;

describe('The first member', () => {
  it('of a new operator is the holder of its e-mail address, as owner', async () => {
    const operator = await buildOperator();
    const [owner, ...others] = await membersOf(operator);
    assert.deepEqual(others, []);
    assert.match(owner?.id ?? '', /^mem_[0-9A-Z]{26}$/);
    assert.deepEqual(
      { email: owner?.email, role: owner?.role, operator_id: owner?.operator_id },
      { email: operator.email, role: 'owner', operator_id: operator.operatorId },
    );
  });

  it('of the demo publisher is the address in credentials.json', async () => {
    const { api_key: key, email } = service().credentials;
    const { members } = assertStatus(await requester(key).get<Members>('/v1/members'), 200);
    assert(members.some((member) => member.email === email && member.role === 'owner'));
  });

  it('of the platform is the owner whom PLATFORM_OWNER_EMAIL names', async () => {
    const { members } = assertStatus(await platform().get<Members>('/v1/members'), 200);
    const { email, role } = members.at(-1) ?? assert.fail('the platform has no member');
    assert.deepEqual([email, role], ['platform@carnet.invalid', 'owner']);
  });
});

describe('POST /v1/members', () => {
  let operator: TestOperator;
  let owner: Person;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    owner = await signIn(operator.email);
  });

  for (const role of ['owner', 'admin', 'member']) {
    it(`adds a person as ${role}`, async () => {
      const email = address();
      const reply = await owner.post<Member>('/v1/members', { email, role });
      const member = assertStatus(reply, 201);
      assert.deepEqual({ email: member.email, role: member.role }, { email, role });
      const location = reply.headers.get('location') ?? '';
      assert.equal(location, `/v1/members/${member.id}`);
      assert.deepEqual(assertStatus(await operator.get(location), 200), member);
    });
  }

  for (const role of ['owner', 'admin'] as const) {
    it(`needs a person for one more ${role}, since they decide what keys ask for`, async () => {
      const body = { email: address(), role };
      const refused = await operator.post('/v1/members', body);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      const { approval_id: id } = refusedWith(refused);
      assertProblem(await operator.post('/v1/members', body, withApproval(id)), 'GOVERNANCE_APPROVAL_REQUIRED');
      assert(!(await membersOf(operator)).some(({ email }) => email === body.email));
      await approveByHand(id);
      const other = { ...body, email: address() };
      assertProblem(await operator.post('/v1/members', other, withApproval(id)), 'GOVERNANCE_APPROVAL_REQUIRED');
      const member = assertStatus(await operator.post<Member>('/v1/members', body, withApproval(id)), 201);
      assert.deepEqual([member.email, member.role], [body.email, role]);
    });
  }

  it('adds an owner by an owner alone, in person or by approval', async () => {
    const administrator = await buildPerson(operator, 'admin');
    const body = { email: address(), role: 'owner' };
    assertProblem(await administrator.post('/v1/members', body), 'NOT_OWNER');
    const { approval_id: id } = refusedWith(await operator.post('/v1/members', body));
    assertProblem(await approve(administrator, id), 'NOT_OWNER');
    assertStatus(await administrator.post('/v1/members', { email: address(), role: 'admin' }), 201);
    assert(!(await membersOf(operator)).some(({ email }) => email === body.email));
  });

  it('refuses the address of a member, regardless of its case, and accepts it for another operator', async () => {
    const email = address();
    assertStatus(await add(operator, email), 201);
    assertProblem(await add(operator, email, 'admin'), 'CONFLICT');
    assertProblem(await add(operator, email.toUpperCase()), 'CONFLICT');
    assertStatus(await add(await buildOperator(), email), 201);
  });

  for (const [tier, seats] of [
    ['free', 2],
    ['developer', 3],
    ['pro', 5],
    ['business', 25],
  ] as const) {
    it(`has ${seats} seats on tier ${tier}, the owner included`, async () => {
      const full = await buildOperator({ tier });
      for (let seat = 1; seat < seats; seat += 1) assertStatus(await add(full), 201);
      const refused = await add(full);
      assertProblem(refused, 'TIER_LIMIT_EXCEEDED');
      assert.deepEqual([refused.body['limit' as never], refused.body['used' as never]], [seats, seats]);
      assert.equal((await membersOf(full)).length, Math.min(20, seats));
    });
  }

  it('has no limit on tier enterprise, and people stay above the limit of a smaller tier', async () => {
    const large = await buildOperator({ tier: 'enterprise' });
    for (let person = 0; person < 5; person += 1) assertStatus(await add(large), 201);
    assertStatus(await platform().patch(`/v1/admin/operators/${large.operatorId}`, { tier: 'free' }), 200);
    assertProblem(await add(large), 'TIER_LIMIT_EXCEEDED');
    assert.equal((await membersOf(large)).length, 6);
  });

  it('gives the last seat to exactly one of ten in parallel', async () => {
    const free = await buildOperator();
    const replies = await Promise.all(Array.from({ length: 10 }, () => add(free)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 201)) assertProblem(reply, 'TIER_LIMIT_EXCEEDED');
    assert.equal((await membersOf(free)).length, 2);
  });

  it('adds one address once, of ten in parallel', async () => {
    const [shared, email] = [await buildOperator({ tier: 'business' }), address()];
    const replies = await Promise.all(Array.from({ length: 10 }, () => add(shared, email)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 201)) assertProblem(reply, 'CONFLICT');
  });

  for (const [fault, body, path] of [
    ['no e-mail', { role: 'admin' }, 'email'],
    ['an e-mail that is none', { email: 'ada', role: 'admin' }, 'email'],
    ['two addresses', { email: 'a@example.test, b@example.test', role: 'admin' }, 'email'],
    ['no role', { email: 'ada@example.test' }, 'role'],
    ['an unknown role', { email: 'ada@example.test', role: 'root' }, 'role'],
    ['an unknown property', { email: 'ada@example.test', role: 'admin', name: 'Ada' }, 'name'],
  ] as const) {
    it(`refuses ${fault}`, async () => {
      assertProblem(await operator.post('/v1/members', body), 'VALIDATION_ERROR', path);
    });
  }

  it('is for administrators', async () => {
    const body = { email: address(), role: 'member' };
    assertProblem(await anonymous().post('/v1/members', body), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).post('/v1/members', body), 'ADMIN_REQUIRED');
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    assertProblem(await agentKey.post('/v1/members', body), 'AGENT_CREDENTIAL_FORBIDDEN');
  });
});

describe('GET /v1/members', () => {
  it('lists the newest first, a page at a time', async () => {
    const operator = await buildOperator({ tier: 'pro' });
    const added = [assertStatus(await add(operator), 201), assertStatus(await add(operator), 201)];
    const page = assertStatus(await operator.get<Members>('/v1/members?limit=2'), 200);
    assert.deepEqual(
      page.members.map(({ id }) => id),
      added.map(({ id }) => id).toReversed(),
    );
    assert.equal(page.total, 3);
  });

  it('is for administrators', async () => {
    const operator = await buildOperator();
    assertProblem(await anonymous().get('/v1/members'), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).get('/v1/members'), 'ADMIN_REQUIRED');
  });
});

describe('GET /v1/members/:id', () => {
  it('is 404 for another operator and for what does not exist', async () => {
    const [operator, stranger] = [await buildOperator(), await buildOperator()];
    const [owner] = await membersOf(operator);
    assertProblem(await stranger.get(`/v1/members/${owner?.id}`), 'NOT_FOUND');
    assertProblem(await operator.get('/v1/members/mem_unknown'), 'NOT_FOUND');
    assertProblem(await anonymous().get(`/v1/members/${owner?.id}`), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).get(`/v1/members/${owner?.id}`), 'ADMIN_REQUIRED');
  });
});

describe('DELETE /v1/members/:id', () => {
  it('removes a person and frees the seat', async () => {
    const operator = await buildOperator();
    const member = assertStatus(await add(operator), 201);
    assert.deepEqual(assertStatus(await operator.delete(`/v1/members/${member.id}`), 200), { deleted: true });
    assertProblem(await operator.get(`/v1/members/${member.id}`), 'NOT_FOUND');
    assertProblem(await operator.delete(`/v1/members/${member.id}`), 'NOT_FOUND');
    assertStatus(await add(operator), 201);
  });

  it('keeps the last owner, even when both of two are deleted together', async () => {
    const operator = await buildOperator();
    const [first] = await membersOf(operator);
    assertProblem(await operator.delete(`/v1/members/${first?.id}`), 'INVALID_STATE');
    const second = { id: await insertMember(operator.operatorId, { email: address(), role: 'owner' }) };
    const deleting = async (owner: { id: string } | undefined): Promise<() => Promise<Reply>> => {
      const path = `/v1/members/${owner?.id}`;
      const refused = await operator.delete(path);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      await approveByHand(refusedWith(refused).approval_id);
      return () => operator.delete(path, withApproval(refusedWith(refused).approval_id));
    };
    const both = [await deleting(first), await deleting(second)];
    const replies = await Promise.all(both.map((send) => send()));
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    assert.deepEqual(
      (await membersOf(operator)).map(({ role }) => role),
      ['owner'],
    );
  });

  it('needs a person for an administrator, and an owner for an owner', async () => {
    const operator = await buildOperator({ tier: 'business' });
    const [owner, administrator] = [await signIn(operator.email), await buildPerson(operator, 'admin')];
    const [another, second] = [await buildPerson(operator, 'admin'), await buildPerson(operator, 'owner')];
    for (const { memberId } of [another, second])
      assertProblem(await operator.delete(`/v1/members/${memberId}`), 'GOVERNANCE_APPROVAL_REQUIRED');
    assertProblem(await administrator.delete(`/v1/members/${second.memberId}`), 'NOT_OWNER');
    const { approval_id: id } = refusedWith(await operator.delete(`/v1/members/${second.memberId}`));
    assertProblem(await approve(administrator, id), 'NOT_OWNER');
    assert.equal((await membersOf(operator)).length, 4);
    assertStatus(await administrator.delete(`/v1/members/${another.memberId}`), 200);
    assertStatus(await owner.delete(`/v1/members/${second.memberId}`), 200);
  });

  it('is 404 for another operator and for administrators only', async () => {
    const [operator, stranger] = [await buildOperator(), await buildOperator()];
    const member = assertStatus(await add(operator), 201);
    assertProblem(await stranger.delete(`/v1/members/${member.id}`), 'NOT_FOUND');
    assertProblem(await anonymous().delete(`/v1/members/${member.id}`), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).delete(`/v1/members/${member.id}`), 'ADMIN_REQUIRED');
    assertStatus(await operator.get(`/v1/members/${member.id}`), 200);
  });
});
