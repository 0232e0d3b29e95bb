import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { briefedEventTypes, eventDefinitions } from '../../../src/events/types.ts';
import { purgeInvitationMails } from '../../../src/notifications/index.ts';
import { refusedWith } from '../../governance/support.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { insertDestination } from '../support/operators.ts';
import { eventually } from '../../support/eventually.ts';
import { buildAgent, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { buildPerson, codeFor, mailsTo, signIn, unblock, type Message } from '../../support/people.ts';
import { assertProblem, assertStatus, database, requester, service, type Requester } from '../../support/service.ts';
import { browserOf, WebBrowser } from '../../support/web-browser.ts';

/** A change that a key may make only with a person's approval. @returns the approval */
async function ask(operator: Requester): Promise<string> {
  const { id } = await buildAgent(operator, { accountability: 'enforced' });
  const reply = await operator.patch(`/v1/agents/${id}`, { accountability: 'logged' });
  assertProblem(reply, 'GOVERNANCE_APPROVAL_REQUIRED');
  return refusedWith(reply).approval_id;
}

/** The mails to an address that say this, newest first. */
const mailsThatSay = async (email: string, part: string): Promise<Message[]> =>
  (await mailsTo(email)).filter(({ subject, text }) => `${subject}\n${text}`.includes(part));

const mailThatSays = (email: string, part: string): Promise<Message> =>
  eventually(`a mail to ${email} about ${part}`, async () => (await mailsThatSay(email, part))[0]);

/** Everything that came is mailed, or left out. */
const allIsTold = async ({ operatorId }: TestOperator): Promise<void> => {
  const pool = await database();
  await eventually('nothing to wait for the next mail', async () => {
    const waiting = await pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) from briefing_items where operator_id = ${operatorId} and class <> 'deadline'`);
    return waiting === 0;
  });
};

/** Puts the mails that were sent so many seconds into the past, and looks. */
const passTime = async ({ operatorId }: TestOperator, seconds: number): Promise<void> => {
  const pool = await database();
  const earlier = sql.fragment`make_interval(secs => ${seconds})`;
  await run(
    pool,
    sql.fragment`
    update briefing_rounds set mailed_at = mailed_at - ${earlier}, previous_at = previous_at - ${earlier}
    where operator_id = ${operatorId}`,
  );
  await run(pool, sql.fragment`select wake_life('briefing:' || ${operatorId})`);
};

/** Lets the pause between two mails be over, the long one too. */
const passPause = (operator: TestOperator): Promise<void> => passTime(operator, 300);

/** Seconds until work that comes now would be mailed. */
const secondsOfPause = async ({ operatorId }: TestOperator): Promise<number> =>
  (await database()).oneFirst(sql.type(z.object({ seconds: z.number() }))`
    select extract(epoch from briefing_pause(mailed_at, previous_at))::int as seconds
    from briefing_rounds where operator_id = ${operatorId} and class = 'work'`);

/** The path of the page that a mail leads to. */
const pathIn = ({ text }: Message, part: string): string => {
  const line = text.split('\n').find((one) => one.startsWith(`${service().baseUrl}${part}`));
  assert(line !== undefined, text);
  return new URL(line).pathname;
};

describe('Mails to people', () => {
  let operator: TestOperator;
  beforeEach(async () => {
    operator = await buildOperator({ tier: 'pro' });
  });

  it('tell an owner and an administrator that an agent waits, with the page that decides', async () => {
    const admin = await buildPerson(operator);
    const member = await buildPerson(operator, 'member');
    const approvalId = await ask(operator);
    const mail = await mailThatSays(operator.email, approvalId);
    assert.equal(mail.subject, 'Carnet: A decision waits for you');
    await mailThatSays(admin.email, approvalId);
    assert.deepEqual(await mailsThatSay(member.email, approvalId), []);
    const path = pathIn(mail, '/dashboard/approvals/');
    const stranger = await new WebBrowser().open(path);
    assert.match(stranger.path, /^\/dashboard\/sign-in\?next=/);
    assert.match(stranger.html, new RegExp(`name="next" value="${path}"`));
    const page = await browserOf(await signIn(operator.email)).open(path);
    const decided = await page.press('Reject');
    assert.match(decided.text, /Rejected/);
  });

  it('tell of a review that waits, with its page', async () => {
    const agentId = (await buildAgent(operator, { accountability: 'enforced' })).id;
    const { jti } = assertStatus(
      await operator.post<{ jti: string }>('/v1/passports/issue', { agent_id: agentId }),
      201,
    );
    const report = { services_used: [], actions_count: 0 };
    const sent = await operator.post<{ checkout: { id: string } }>(`/v1/passports/${jti}/checkout`, report);
    const { checkout } = assertStatus(sent, 201);
    const mail = await mailThatSays(operator.email, agentId);
    assert.equal(pathIn(mail, '/dashboard/reviews/'), `/dashboard/reviews/${checkout.id}`);
  });

  it('are one for all that came since the last, without what was decided', async () => {
    const first = await ask(operator);
    await mailThatSays(operator.email, first);
    const others = [await ask(operator), await ask(operator), await ask(operator)];
    const person = await signIn(operator.email);
    assertStatus(await person.post(`/v1/governance/approvals/${others[0]}/reject`), 200);
    assert.equal((await mailsThatSay(operator.email, '/dashboard/approvals/')).length, 1, 'in the pause there is none');
    await passPause(operator);
    const mail = await mailThatSays(operator.email, others[1] ?? '');
    assert.equal(mail.subject, 'Carnet: 2 decisions wait for you');
    assert(mail.text.includes(others[2] ?? ''));
    assert(!mail.text.includes(others[0] ?? ''));
    assert.equal((await mailsThatSay(operator.email, '/dashboard/approvals/')).length, 2);
  });

  it('are a minute apart after a quiet time, and five while more comes', async () => {
    const tell = async (): Promise<number> => {
      await mailThatSays(operator.email, await ask(operator));
      return await secondsOfPause(operator);
    };
    assert.equal(await tell(), 60);
    await passTime(operator, 60);
    assert.equal(await tell(), 300, 'two within a minute');
    await passTime(operator, 300);
    assert.equal(await tell(), 300, 'it goes on');
    await passTime(operator, 360);
    assert.equal(await tell(), 60, 'a quiet time was between them');
  });

  it('say that a request lapses soon, where nobody has decided it', async () => {
    const [decided, open] = [await ask(operator), await ask(operator)];
    await mailThatSays(operator.email, decided);
    assertStatus(await (await signIn(operator.email)).post(`/v1/governance/approvals/${decided}/reject`), 200);
    const pool = await database();
    await run(
      pool,
      sql.fragment`update briefing_items set due_at = clock_timestamp() where operator_id = ${operator.operatorId}`,
    );
    await passPause(operator);
    const mail = await mailThatSays(operator.email, 'it lapses at');
    assert(mail.text.includes(open) && !mail.text.includes(decided));
  });

  it('tell of keys, invitations, another address and agents that were unblocked', async () => {
    const person = await buildPerson(operator, 'owner');
    const key = assertStatus(
      await operator.post<{ id: string }>('/v1/api-keys', { kind: 'operator', name: 'new' }),
      201,
    );
    const told = await mailThatSays(person.email, key.id);
    assert.equal(told.subject, 'Carnet: A change at your operator');
    const page = await browserOf(person).open(pathIn(told, '/dashboard/keys/'));
    await page.press('Delete the key', { fields: { sure: 'true' } });
    assertProblem(await operator.get(`/v1/api-keys/${key.id}`), 'NOT_FOUND');

    await passPause(operator);
    const email = `${unique('new')}@example.test`;
    const invited = assertStatus(await operator.post<{ id: string }>('/v1/members', { email, role: 'member' }), 201);
    const invitation = await mailThatSays(person.email, invited.id);
    assert.match((await browserOf(person).open(pathIn(invitation, '/dashboard/members/'))).text, new RegExp(email));

    await passPause(operator);
    assertStatus(await operator.patch('/v1/operators/me', { email: `${unique('other')}@example.test` }), 200);
    const changed = await mailThatSays(person.email, 'has changed the e-mail address');
    assert.equal((await browserOf(person).open(pathIn(changed, '/dashboard/operator'))).status, 200);

    await passPause(operator);
    const agent = await buildAgent(operator);
    assertStatus(await operator.post(`/v1/agents/${agent.id}/block`, {}), 200);
    assertStatus(await unblock(person, agent.id), 200);
    await mailThatSays(person.email, `has unblocked agent ${agent.id}`);
  });

  it('invite who is invited, once a day, with where to join', async () => {
    const email = `${unique('guest')}@example.test`;
    const invite = async () => {
      const reply = await operator.post<{ id: string }>('/v1/members', { email, role: 'member' });
      return assertStatus(reply, 201).id;
    };
    const id = await invite();
    const mail = await mailThatSays(email, 'You are invited');
    assert(mail.text.includes(`/dashboard/sign-in?operator_id=${operator.operatorId}`));
    assert(!mail.text.includes(operator.name), 'a name is what somebody wrote');
    assertStatus(await operator.delete(`/v1/members/${id}`), 200);
    await invite();
    await passPause(operator);
    await allIsTold(operator);
    assert.equal((await mailsThatSay(email, 'You are invited')).length, 1);
  });

  it('are about the events that are defined so, and no others', async () => {
    const pool = await database();
    // Looked at in the transaction: what is committed is mailed, and is no longer there.
    const noted = await pool.transaction(async (connection) => {
      for (const [type, { severities, sample }] of Object.entries(eventDefinitions))
        await run(
          connection,
          sql.fragment`
          select record_service_event(${operator.operatorId}, ${type}, ${severities[0]}, ${JSON.stringify(sample)}::json)`,
        );
      return await connection.anyFirst(sql.type(z.object({ event_type: z.string() }))`
        select distinct e.event_type from briefing_items i join service_events e on e.id = i.event_id
        where i.operator_id = ${operator.operatorId} order by e.event_type`);
    });
    assert.deepEqual(noted, briefedEventTypes.toSorted());
  });

  it('keep no address of an invitation longer than the limits count it', async () => {
    const pool = await database();
    const addresses = [unique('old'), unique('new')] as const;
    for (const [nth, address] of addresses.entries())
      await run(
        pool,
        sql.fragment`
        insert into invitation_mails (operator_id, address, mailed_at)
        values (${operator.operatorId}, ${address}, clock_timestamp() - make_interval(hours => ${nth === 0 ? 25 : 23}))`,
      );
    await purgeInvitationMails(pool);
    const kept = await pool.anyFirst(sql.type(z.object({ address: z.string() }))`
      select address from invitation_mails where operator_id = ${operator.operatorId}`);
    assert.deepEqual(kept, [addresses[1]]);
  });
});

describe('/unsubscribe/:token', () => {
  /** The audit events about something, newest first. */
  const trailOf = async ({ operatorId }: TestOperator, target: string): Promise<object[]> => [
    ...(await (
      await database()
    ).any(sql.type(z.object({ action: z.string(), actor: z.string() }))`
      select action, actor from audit_events where operator_id = ${operatorId} and target = ${target} order by id desc`)),
  ];
  const oneClick = async (path: string): Promise<Response> =>
    await fetch(`${service().baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
  const oneClickInParts = async (path: string): Promise<Response> => {
    const body = new FormData();
    body.set('List-Unsubscribe', 'One-Click');
    return await fetch(`${service().baseUrl}${path}`, { method: 'POST', body });
  };

  it('ends mails about work by one click, and no others; opening it ends nothing', async () => {
    const operator = await buildOperator();
    const first = await mailThatSays(operator.email, await ask(operator));
    const path = pathIn(first, '/unsubscribe/');
    assert.match((await new WebBrowser().open(path)).text, /End these mails\?/);
    await passPause(operator);
    await mailThatSays(operator.email, await ask(operator));

    assert.equal((await oneClickInParts(path)).status, 200);
    assert.equal((await oneClick(path)).status, 200);
    const memberId = /mem_\w+/.exec(path)?.[0] ?? '';
    const ended = { action: 'member.mails_off', actor: 'unsubscribe-link' };
    const isAboutMails = (one: object): boolean => 'action' in one && String(one.action).startsWith('member.mails_');
    const trail = async (): Promise<object[]> => (await trailOf(operator, memberId)).filter(isAboutMails);
    assert.deepEqual(await trail(), [ended], 'a repetition ends nothing');
    await passPause(operator);
    const unheard = await ask(operator);
    await allIsTold(operator);
    const key = assertStatus(
      await operator.post<{ id: string }>('/v1/api-keys', { kind: 'operator', name: 'new' }),
      201,
    );
    await mailThatSays(operator.email, key.id);
    assert.deepEqual(await mailsThatSay(operator.email, unheard), []);

    const page = await browserOf(await signIn(operator.email)).open('/dashboard/mails');
    await page.press('Turn them on');
    assert.deepEqual(await trail(), [{ action: 'member.mails_on', actor: memberId }, ended]);
    await passPause(operator);
    await mailThatSays(operator.email, await ask(operator));
  });

  it('ends what is sent to an e-mail destination, until its holder enters a new code', async () => {
    const operator = await buildOperator();
    const owner = await signIn(operator.email);
    const made = await owner.post<{ id: string }>('/v1/notifications/destinations', {
      channel_type: 'email',
      destination: operator.email,
    });
    const { id } = assertStatus(made, 201);
    const test = await owner.post(`/v1/notifications/destinations/${id}/test`);
    assertStatus(test, 200);
    const path = pathIn(await mailThatSays(operator.email, 'This is a test'), '/unsubscribe/');
    assert.equal((await oneClick(path)).status, 200);
    const shown = assertStatus(await owner.get(`/v1/notifications/destinations/${id}`), 200);
    assert.deepEqual([shown['verified'], shown['disabled_reason']], [false, 'unsubscribed']);
    assert.deepEqual((await trailOf(operator, id))[0], {
      action: 'destination.unsubscribed',
      actor: 'unsubscribe-link',
    });

    const again = { channel_type: 'email', destination: operator.email };
    assertStatus(await owner.delete(`/v1/notifications/destinations/${id}`), 200);
    const other = assertStatus(
      await owner.post<{ id: string; verified: boolean }>('/v1/notifications/destinations', again),
      201,
    );
    assert.equal(other.verified, false, 'made again, the registered address needs a code');
    const enter = { code: await codeFor(operator.email) };
    assertStatus(await owner.post(`/v1/notifications/destinations/${other.id}/verify`, enter), 200);
    assertStatus(await owner.delete(`/v1/notifications/destinations/${other.id}`), 200);
    const proven = await owner.post<{ verified: boolean }>('/v1/notifications/destinations', again);
    assert.equal(assertStatus(proven, 201).verified, true, 'after the code it is proven again');
  });

  it('tells the registered address that another one was ended', async () => {
    const operator = await buildOperator();
    const owner = await signIn(operator.email);
    const id = await insertDestination(operator.operatorId);
    assertStatus(await owner.post(`/v1/notifications/destinations/${id}/test`), 200);
    const { destination } = assertStatus(
      await owner.get<{ destination: string }>(`/v1/notifications/destinations/${id}`),
      200,
    );
    const path = pathIn(await mailThatSays(destination, 'This is a test'), '/unsubscribe/');
    assert.equal((await oneClick(path)).status, 200);
    await mailThatSays(operator.email, `Your email ${id} was ended by its recipient`);
  });

  it('is nothing for a token that the service has not made', async () => {
    for (const token of ['mem_1', `mem_1.${'A'.repeat(43)}`, 'mem_1.']) {
      assertStatus(await requester(null).get(`/unsubscribe/${token}`), 404);
      assert.equal((await oneClick(`/unsubscribe/${token}`)).status, 404);
    }
  });
});
