import assert from 'node:assert/strict';
import { tablesHolding } from '../accounts/api-keys/secrets.ts';
import { publicJwk } from '../authority/support.ts';
import { openShell, type Shell } from '../http/support/shell.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  buildPartner,
  unique,
  type TestOperator,
} from '../support/factories.ts';
import { buildPerson, signIn, type Person } from '../support/people.ts';
import { assertProblem, assertStatus, requester, type Reply, type Requester } from '../support/service.ts';
import {
  approve,
  expire,
  fillApprovals,
  governed,
  refusedWith,
  statusesOf,
  subject,
  timesDone,
  withApproval,
} from './support.ts';

describe('The governance gate', () => {
  let shell: Shell;
  let operator: TestOperator;
  let owner: Person;
  let bearer: Requester;
  before(async () => {
    shell = await openShell({ routes: governed });
  });
  after(() => shell.close());
  beforeEach(async () => {
    operator = await buildOperator({ tier: 'business' });
    owner = await signIn(operator.email);
    bearer = requester(operator.key, shell.baseUrl);
  });

  const refuse = (reply: Reply) => {
    assertProblem(reply, 'GOVERNANCE_APPROVAL_REQUIRED');
    return refusedWith(reply);
  };
  const requestApproval = async (body: unknown = { n: 1 }): Promise<string> =>
    refuse(await bearer.post('/v1/governed/a', body)).approval_id;
  const approved = async (body: unknown = { n: 1 }): Promise<string> => {
    const id = await requestApproval(body);
    assertStatus(await approve(owner, id), 200);
    return id;
  };

  it('refuses a bearer and makes a request that a person can approve', async () => {
    const reply = await bearer.post('/v1/governed/a', { n: 1 });
    const { approval_id: id, approval_url: url, expires_at: until, ...rest } = refuse(reply);
    assert.match(id, /^apr_[0-9A-Z]{26}$/);
    assert.equal(url, `${shell.context.config.publicBaseUrl}/dashboard/approvals/${id}`);
    const seconds = (Date.parse(until) - Date.now()) / 1_000;
    assert(seconds > 86_300 && seconds <= 86_400, `${seconds}`);
    assert.equal('approval_status' in rest, false, 'no approval was shown');
    assert.equal(await timesDone(operator.operatorId), 0);
  });

  it('gives the same request the same approval, of twenty in parallel too', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => bearer.post('/v1/governed/a', { n: 1, m: [2] })),
    );
    const ids = new Set(replies.map((reply) => refuse(reply).approval_id));
    assert.equal(ids.size, 1);
    const respelled = await bearer.post('/v1/governed/a', '{ "m": [2e0], "n":1.0 }');
    assert(ids.has(refuse(respelled).approval_id), 'the same JSON, spelled otherwise');
    const { total } = assertStatus(await owner.get<{ total: number }>('/v1/governance/approvals'), 200);
    assert.equal(total, 1);
  });

  it('takes a path that is spelled otherwise for the same request', async () => {
    const at = (path: string): Promise<Reply> => bearer.post(`/v1/governed/${path}`, { n: 1 });
    const id = refuse(await at('a_b~c')).approval_id;
    for (const path of ['a%5Fb~c', 'a_b%7Ec', '%61_b%7ec']) assert.equal(refuse(await at(path)).approval_id, id, path);
    const colon = refuse(await at('a:b')).approval_id;
    assert.equal(refuse(await at('a%3ab')).approval_id, colon);
    assert.notEqual(refuse(await at('a%2Fb')).approval_id, refuse(await at('a%252Fb')).approval_id);
    assertStatus(await approve(owner, id), 200);
    assertStatus(await bearer.post('/v1/governed/a%5Fb~c', { n: 1 }, withApproval(id)), 200);
    const key = { 'idempotency-key': unique('spelled') };
    assert.equal((await bearer.post('/v1/governed/%61', { n: 2 }, key)).status, 403);
    await bearer.post('/v1/governed/a', { n: 2 }, { ...key, ...withApproval(await approved({ n: 2 })) });
    const again = await bearer.post('/v1/governed/%61', { n: 2 }, key);
    assert.equal(assertStatus(again, 200).done, true);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  });

  it('lets the approved request pass once, and makes a new approval for the next', async () => {
    const id = await approved();
    assertStatus(await bearer.post('/v1/governed/a', { n: 1 }, withApproval(id)), 200);
    assert.equal(await timesDone(operator.operatorId), 1);
    const again = refuse(await bearer.post('/v1/governed/a', { n: 1 }, withApproval(id)));
    assert.equal(again.approval_status, 'consumed');
    assert.notEqual(again.approval_id, id);
    assert.equal(await timesDone(operator.operatorId), 1);
  });

  it('lets exactly one of twenty in parallel use an approval', async () => {
    const id = await approved();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => bearer.post('/v1/governed/a', { n: 1 }, withApproval(id))),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200))
      assert.equal(refuse(reply).approval_status, 'consumed');
    assert.equal(await timesDone(operator.operatorId), 1);
  });

  it('accepts the approval of this request only', async () => {
    const id = await approved({ text: 'abc' });
    const attempts: [what: string, reply: Reply][] = [
      ['one byte of the body', await bearer.post('/v1/governed/a', { text: 'abd' }, withApproval(id))],
      ['one member more', await bearer.post('/v1/governed/a', { text: 'abc', n: null }, withApproval(id))],
      ['another path', await bearer.post('/v1/governed/b', { text: 'abc' }, withApproval(id))],
      ['another method', await bearer.put('/v1/governed/a', { text: 'abc' }, withApproval(id))],
    ];
    for (const [what, reply] of attempts) {
      const refused = refuse(reply);
      assert.equal(refused.approval_status, 'other_request', what);
      assert.notEqual(refused.approval_id, id, what);
    }
    const stranger = requester((await buildOperator()).key, shell.baseUrl);
    const foreign = refuse(await stranger.post('/v1/governed/a', { text: 'abc' }, withApproval(id)));
    assert.equal(foreign.approval_status, 'unknown');
    assert.notEqual(foreign.approval_id, id);
    assertStatus(await bearer.post('/v1/governed/a', { text: 'abc' }, withApproval(id)), 200);
  });

  it('lets an approval lapse when what it is about changes after it was requested', async () => {
    const id = await approved();
    const shown = async (approval: string) =>
      assertStatus(await owner.get<{ status: string; subject?: unknown }>(`/v1/governance/approvals/${approval}`), 200);
    subject.state = 'otherwise';
    try {
      const refused = refuse(await bearer.post('/v1/governed/a', { n: 1 }, withApproval(id)));
      assert.equal(refused.approval_status, 'subject_changed');
      assert.notEqual(refused.approval_id, id, 'a person looks again');
      assert.equal(await timesDone(operator.operatorId), 0);
      assert.equal((await shown(id)).status, 'expired');
      assertStatus(await approve(owner, refused.approval_id), 200);
      assertStatus(await bearer.post('/v1/governed/a', { n: 1 }, withApproval(refused.approval_id)), 200);
    } finally {
      subject.state = 'as it was';
    }
  });

  it('keeps of requests that nobody has decided the newest that lapsed, and none that ended 90 days ago', async () => {
    const statuses = async (): Promise<string[]> => [...(await statusesOf(operator.operatorId))].toSorted();
    const decided = await approved({ n: 0 });
    try {
      for (const state of ['one', 'two', 'three', 'four']) {
        subject.state = state;
        await requestApproval({ n: 0 });
        await requestApproval({ n: 1 });
      }
      assert.deepEqual(await statuses(), ['lapsed', 'lapsed', 'lapsed', 'pending', 'pending']);
      assertStatus(await owner.get(`/v1/governance/approvals/${decided}`), 200);
      const old = await requestApproval({ n: 2 });
      await expire(old, 90 * 86_400);
      await requestApproval({ n: 3 });
      assertProblem(await owner.get(`/v1/governance/approvals/${old}`), 'NOT_FOUND');
      assert.equal((await statuses()).length, 6);
    } finally {
      subject.state = 'as it was';
    }
  });

  it('makes no more than 20 requests of one credential that wait for a person, and 100 of an operator', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.push(await requestApproval({ n }));
    const over = await bearer.post('/v1/governed/a', { n: 20 });
    assertProblem(over, 'RATE_LIMITED');
    const wait = Number(over.headers.get('retry-after'));
    assert(wait > 86_000 && wait <= 86_400, `${wait}`);
    assert.equal(await requestApproval({ n: 3 }), ids[3], 'one that waits is found as before');
    const other = requester((await buildMemberKey(owner)).key, shell.baseUrl);
    refuse(await other.post('/v1/governed/a', { n: 'another' }));
    assertStatus(await owner.post(`/v1/governance/approvals/${ids[0]}/reject`), 200);
    await requestApproval({ n: 20 });
    assertProblem(await bearer.post('/v1/governed/a', { n: 21 }), 'RATE_LIMITED');
    await expire(ids[1] ?? '');
    const both = await Promise.all([21, 22, 23].map((n) => bearer.post('/v1/governed/a', { n })));
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [403, 429, 429],
      'of three at once one',
    );
    const third = requester((await buildMemberKey(owner)).key, shell.baseUrl);
    const fill = { n: 'many' };
    await fillApprovals(operator.operatorId, 100);
    assertProblem(await third.post('/v1/governed/a', fill), 'RATE_LIMITED');
  });

  describe('gives each credential places for its requests', () => {
    const makeKey = async (by: Requester, role: 'admin' | 'member' = 'admin') => {
      const body = { name: unique('child'), kind: 'operator', role };
      return assertStatus(await by.post<{ id: string; key: string }>('/v1/api-keys', body), 201);
    };
    /** Each key makes the next one, which deletes it. @returns the last one */
    const replaced = async (first: { id: string; key: string }, times: number) => {
      let last = first;
      for (let nth = 0; nth < times; nth += 1) {
        const next = await makeKey(requester(last.key));
        assertStatus(await requester(next.key).delete(`/v1/api-keys/${last.id}`), 200);
        last = next;
      }
      return last;
    };
    /** Requests approvals until it is refused. @returns how many it got */
    const fill = async (ask: () => Promise<Reply>): Promise<number> => {
      for (let places = 0; places < 100; places += 1) {
        const reply = await ask();
        if (reply.status === 429) return places;
        refuse(reply);
      }
      return assert.fail('it has as many places as it likes');
    };
    const asks = (key: string | null) => {
      const by = requester(key, shell.baseUrl);
      return () => by.post('/v1/governed/a', { n: unique('n') });
    };
    /** A partner whose key ends, so that a public key of its agents needs a person. */
    const partnerAsks = async () => {
      const partner = await buildPartner(operator, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
      return () => partner.post('/v1/agents', { name: unique('agent'), public_jwk: publicJwk });
    };

    it('and one that fills them, by itself and by all that it makes, leaves some to its maker and to each other', async () => {
      const hostile = await makeKey(operator);
      const made: string[] = [];
      for (let nth = 0; nth < 6; nth += 1)
        made.push((await makeKey(nth % 2 === 0 ? requester(hostile.key) : requester(made.at(-1) ?? null))).key);
      const [member, partner] = [await makeKey(operator, 'member'), await partnerAsks()];
      let taken = 0;
      for (const key of [hostile.key, ...made]) taken += await fill(asks(key));
      assert(taken >= 10 && taken <= 20, `${taken} places`);
      for (const ask of [asks(operator.key), asks(member.key), partner]) refuse(await ask());
      assert((await fill(asks(operator.key))) >= 4);
      const sibling = await makeKey(operator);
      refuse(await asks(sibling.key)());
      refuse(await asks((await buildMemberKey(owner)).key)());
    });

    it('and a partner that fills them leaves some to who made its grant', async () => {
      const [hostile, honest] = [await partnerAsks(), await partnerAsks()];
      assert.equal(await fill(hostile), 20);
      refuse(await honest());
      assert((await fill(asks(operator.key))) >= 5);
      assertProblem(await hostile(), 'RATE_LIMITED');
    });

    it('and a maker that fills them leaves some to what it has made', async () => {
      const child = await makeKey(operator);
      const grandchild = await makeKey(requester(child.key), 'member');
      assert.equal(await fill(asks(operator.key)), 20);
      for (const { key } of [child, grandchild]) refuse(await asks(key)());
    });

    it('and a key that is replaced again and again by the one that it makes has as many as the first', async () => {
      const { key } = await replaced(await makeKey(operator), 8);
      assert.equal(await fill(asks(key)), 20);
      refuse(await asks(operator.key)());
    });

    it('and one that fills them leaves some to its maker and to each other, however often the maker was replaced before', async () => {
      const maker = await replaced(await makeKey(operator), 5);
      const [hostile, sibling] = [await makeKey(requester(maker.key)), await makeKey(requester(maker.key))];
      const made: string[] = [];
      for (let nth = 0; nth < 6; nth += 1) made.push((await makeKey(requester(hostile.key))).key);
      let taken = 0;
      for (const key of [hostile.key, ...made]) taken += await fill(asks(key));
      assert(taken >= 10 && taken <= 20, `${taken} places`);
      for (const { key } of [sibling, maker]) refuse(await asks(key)());
    });

    it('and one that deletes what made its keys has no more for that', async () => {
      const maker = await makeKey(operator);
      const [hostile, sibling] = [await makeKey(requester(maker.key)), await makeKey(requester(maker.key))];
      let makers = [hostile];
      for (let times = 0; times < 3; times += 1) {
        const made: typeof makers = [];
        for (const { key, id } of makers) {
          const next = requester(key);
          made.push(await makeKey(next), await makeKey(next));
          assertStatus(await requester(made.at(-1)?.key ?? null).delete(`/v1/api-keys/${id}`), 200);
        }
        makers = made;
      }
      for (const { key } of makers) await fill(asks(key));
      refuse(await asks(sibling.key)());
      refuse(await asks(maker.key)());
    });

    it('and members that it invites share them, also when it was deleted', async () => {
      const invite = async (by: Requester): Promise<() => Promise<Reply>> => {
        const email = `${unique('invited')}@example.test`;
        assertStatus(await by.post('/v1/members', { email, role: 'member' }), 201);
        const { cookie } = await signIn(email, operator.operatorId);
        const origin = new URL(shell.context.config.publicBaseUrl).origin;
        const plain = requester(null, shell.baseUrl);
        return () => plain.post('/v1/governed/a', { n: unique('n') }, { cookie, origin });
      };
      const child = await makeKey(operator);
      const members = [await invite(operator), await invite(operator), await invite(operator)];
      const [filling, waiting] = [await invite(requester(child.key)), await invite(requester(child.key))];
      assertStatus(await operator.delete(`/v1/api-keys/${child.id}`), 200);
      await fill(filling);
      refuse(await waiting());
      let taken = 0;
      for (const ask of [asks(operator.key), ...members]) taken += await fill(ask);
      assert(taken < 40, `${taken} places`);
      const made = await owner.post<{ key: string }>('/v1/api-keys', {
        name: 'of a person',
        kind: 'operator',
        role: 'admin',
      });
      assert.equal(await fill(asks(assertStatus(made, 201).key)), 20);
    });
  });

  it('refuses an approval that nobody has given, and points to the same one', async () => {
    const id = await requestApproval();
    const refused = refuse(await bearer.post('/v1/governed/a', { n: 1 }, withApproval(id)));
    assert.deepEqual([refused.approval_status, refused.approval_id], ['pending', id]);
    const none = refuse(await bearer.post('/v1/governed/a', { n: 1 }, withApproval('apr_none')));
    assert.deepEqual([none.approval_status, none.approval_id], ['unknown', id]);
  });

  it('refuses a rejected one and an expired one, and makes a new approval', async () => {
    const rejected = await requestApproval();
    assertStatus(await owner.post(`/v1/governance/approvals/${rejected}/reject`), 200);
    const afterRejection = refuse(await bearer.post('/v1/governed/a', { n: 1 }, withApproval(rejected)));
    assert.equal(afterRejection.approval_status, 'rejected');
    assert.notEqual(afterRejection.approval_id, rejected);
    const late = afterRejection.approval_id;
    assertStatus(await approve(owner, late), 200);
    await expire(late);
    const afterExpiry = refuse(await bearer.post('/v1/governed/a', { n: 1 }, withApproval(late)));
    assert.equal(afterExpiry.approval_status, 'expired');
    assert.notEqual(afterExpiry.approval_id, late);
  });

  it('names the approval that was given to a caller without the header', async () => {
    const id = await approved();
    const reply = await bearer.post('/v1/governed/a', { n: 1 });
    assert.equal(refuse(reply).approval_id, id);
    assert.match(String(reply.body.detail), /It is approved/);
  });

  it('never stores a refusal under an Idempotency-Key, but stores the answer', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const id = refuse(await bearer.post('/v1/governed/a', { n: 1 }, headers)).approval_id;
    assertStatus(await approve(owner, id), 200);
    assertStatus(await bearer.post('/v1/governed/a', { n: 1 }, { ...headers, ...withApproval(id) }), 200);
    const replay = await bearer.post('/v1/governed/a', { n: 1 }, { ...headers, ...withApproval(id) });
    assertStatus(replay, 200);
    assert.equal(replay.headers.get('idempotency-replayed'), 'true');
    assert.equal(await timesDone(operator.operatorId), 1);
  });

  it('is open to owners and administrators who are signed in, and to no member', async () => {
    const at = (person: Person) => {
      const plain = requester(null, shell.baseUrl);
      const origin = new URL(shell.context.config.publicBaseUrl).origin;
      return plain.post('/v1/governed/a', { n: 1 }, { cookie: person.cookie, origin });
    };
    assertStatus(await at(owner), 200);
    assertStatus(await at(await buildPerson(operator, 'admin')), 200);
    refuse(await at(await buildPerson(operator, 'member')));
  });

  it('holds for every bearer, regardless of its role', async () => {
    const member = await buildMemberKey(operator);
    refuse(await requester(member.key, shell.baseUrl).post('/v1/governed/a', { n: 1 }));
    refuse(await shell.platform.post('/v1/governed/a', { n: 1 }));
  });

  it('stores the body so that only those who decide can read it', async () => {
    const secret = unique('only-for-the-approver');
    const id = await requestApproval({ secret });
    assert.deepEqual(await tablesHolding(secret), []);
    assert(!JSON.stringify(shell.logged()).includes(secret));
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    for (const reader of [operator, await buildMemberKey(operator), agentKey]) {
      const shown = assertStatus(await reader.get(`/v1/governance/approvals/${id}`), 200);
      assert.equal('body' in shown, false);
    }
  });
});
