import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import { notificationRoutes } from '../../../src/notifications/routes.ts';
import { tablesHolding } from '../../accounts/api-keys/secrets.ts';
import { newAdmin, openShell } from '../../http/support/shell.ts';
import { eventually } from '../../support/eventually.ts';
import { approve, refusedWith, withApproval } from '../../governance/support.ts';
import { buildAgent, buildAgentKey, buildMemberKey, buildOperator, unique } from '../../support/factories.ts';
import { mailsTo, signIn } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, platform } from '../../support/service.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import {
  anotherKey,
  buildWatched,
  codesAge,
  codeTo,
  create,
  DESTINATIONS,
  enter,
  execute,
  made,
  newAddress,
  newNumber,
  shown,
  type Watched,
} from '../support/operators.ts';

describe('POST /v1/notifications/destinations', () => {
  let watched: Watched;
  let receiver: Receiver;
  before(async () => {
    watched = await buildWatched();
    receiver = await startReceiver();
  });
  after(() => receiver.stop());

  it('verifies the registered e-mail address immediately, in any case, and sends no code to it', async () => {
    const { operator, owner } = await buildWatched('free');
    const before = (await mailsTo(operator.email)).length;
    const destination = await made(owner, 'email', operator.email.toUpperCase());
    assert.deepEqual(
      [destination.verified, destination.code, destination.destination],
      [true, null, operator.email.toUpperCase()],
    );
    assert.equal((await mailsTo(operator.email)).length, before);
  });

  it('counts an address that PATCH /v1/operators/me names as registered only after a code that was sent to it was entered', async () => {
    const { operator, owner } = await buildWatched();
    const [first, second] = [operator.email, newAddress()];
    assertStatus(await operator.patch('/v1/operators/me', { email: second }), 200);
    const moved = await made(owner, 'email', second);
    assert.equal(moved.verified, false);
    assert.equal((await made(owner, 'email', first)).verified, false, 'it is the operator’s no more');
    assertStatus(await enter(owner, moved.id, await codeTo(second)), 200);
    assertStatus(await owner.delete(`${DESTINATIONS}/${moved.id}`), 200);
    assert.equal((await made(owner, 'email', second)).verified, true);
    assertStatus(await operator.patch('/v1/operators/me', { name: 'Renamed' }), 200);
    assertStatus(await owner.delete(`${DESTINATIONS}/${(await listed(owner, second)).id}`), 200);
    assert.equal((await made(owner, 'email', second)).verified, true, 'another change does not touch it');
  });

  it('has a registered address that another operator may have too', async () => {
    const first = await buildOperator();
    const second = await buildOperator({ email: first.email });
    const owner = await signIn(first.email, first.operatorId);
    assert.equal((await made(owner, 'email', second.email)).verified, true);
  });

  it('mails a code to any other address: it says what happened, where to enter it, and holds nothing that the operator wrote', async () => {
    const address = newAddress();
    const { id, ...destination } = await made(watched.owner, 'email', address);
    assert.match(id, /^dst_[0-9A-Z]{26}$/);
    assert.deepEqual(
      {
        verified: destination.verified,
        paused: destination.paused,
        code: destination.code?.status,
        secret: destination.webhook_secret,
      },
      { verified: false, paused: false, code: 'sent', secret: undefined },
    );
    const [mail] = await mailsTo(address);
    assert.match(mail?.text ?? '', /^\d{6}$/m);
    for (const part of [`${DESTINATIONS}/${id}/verify`, '10 minutes', 'without the code no notification is sent'])
      assert(mail?.text.includes(part), part);
    assert(!mail?.text.includes(watched.operator.name));
  });

  it('sends a code by SMS, in one message of 160 characters, to the number in E.164', async () => {
    const number = newNumber();
    const spelled = `${number.slice(0, 2)} (${number.slice(2, 5)}) ${number.slice(5, 8)}-${number.slice(8)}`;
    const destination = await made(watched.owner, 'sms', spelled);
    assert.equal(destination.destination, spelled);
    const [sms] = await eventually(`an SMS to ${number}`, async () => {
      const all = await mailsTo(number);
      return all.length > 0 && all;
    });
    assert.equal(sms?.channel, 'sms');
    assert.equal(sms?.subject, null);
    assert((sms?.text ?? '').length <= 160, sms?.text);
    assert.match(sms?.text ?? '', /^\d{6} is your code/);
    await eventually('it to be sent', async () => (await shown(watched.owner, destination.id)).code?.status === 'sent');
  });

  it('shows the secret of a webhook once: again for the same key and request, in no list, and readable in no table', async () => {
    const url = receiver.urlOf(unique('secret'));
    const headers = { 'idempotency-key': unique('key') };
    const first = assertStatus(await create(watched.owner, { channel: 'webhook', destination: url, headers }), 201);
    assert.match(first.webhook_secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
    const again = await create(watched.owner, { channel: 'webhook', destination: url, headers });
    assert.deepEqual(assertStatus(again, 201), first);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal('webhook_secret' in (await shown(watched.owner, first.id)), false);
    const list = await watched.owner.get(DESTINATIONS);
    assert(!list.text.includes('whsec_'), list.text);
    assert.deepEqual(await tablesHolding(first.webhook_secret ?? ''), []);
  });

  it('refuses an address that the operator has already, however it is spelled, and names it', async () => {
    const address = newAddress();
    const { id } = await made(watched.owner, 'email', address);
    const reply = await create(watched.owner, { channel: 'email', destination: address.toUpperCase() });
    assertProblem(reply, 'DESTINATION_EXISTS');
    assert.equal((reply.body as unknown as { destination_id: string }).destination_id, id);
    const url = receiver.urlOf(unique('twice'));
    await made(watched.owner, 'webhook', url);
    assertProblem(
      await create(watched.owner, { channel: 'webhook', destination: url.replace('/twice', '/./twice') }),
      'DESTINATION_EXISTS',
    );
    const another = await buildWatched();
    await made(another.owner, 'email', address);
  });

  for (const [what, channel, destination] of [
    ['an address without @', 'email', 'somebody'],
    ['an address with a display name', 'email', 'Ada <ada@example.test>'],
    ['two addresses', 'email', 'a@example.test,b@example.test'],
    ['an address with a line feed', 'email', 'ada@example.test\nBcc: b@example.test'],
    ['a number without the code of its country', 'sms', '5551234567'],
    ['a number with 00', 'sms', '0015551234567'],
    ['letters for a number', 'sms', '+1555CARNET'],
    ['a number of 16 digits', 'sms', '+1555123456789012'],
    ['no URL', 'webhook', 'somewhere'],
    ['a URL of another scheme', 'webhook', 'ftp://example.com/x'],
    ['a URL with a password', 'webhook', 'https://a:b@example.com/x'],
    ['a URL with a fragment', 'webhook', 'https://example.com/x#y'],
    ['a private address', 'webhook', 'https://10.0.0.1/x'],
    ['the metadata service of a cloud', 'webhook', 'https://169.254.169.254/latest'],
    ['a name of this machine’s network', 'webhook', 'https://printer.local/x'],
    ['a port that no receiver has', 'webhook', 'https://93.184.216.34:22/x'],
    ['an empty text', 'email', ''],
    ['a text of 2,049 characters', 'webhook', `https://example.com/${'x'.repeat(2_029)}`],
  ] as const) {
    it(`refuses ${what}`, async () => {
      assertProblem(await create(watched.owner, { channel, destination }), 'VALIDATION_ERROR', 'destination');
    });
  }

  for (const [what, body, path] of [
    ['another channel', { channel_type: 'pager', destination: 'x' }, 'channel_type'],
    ['no channel', { destination: 'a@example.test' }, 'channel_type'],
    ['no destination', { channel_type: 'email' }, 'destination'],
    ['a misspelt member', { channel_type: 'email', destination: 'a@example.test', verified: true }, 'verified'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      assertProblem(await watched.owner.post(DESTINATIONS, body), 'VALIDATION_ERROR', path);
    });
  }

  it('refuses SMS and webhooks on free before an approval is requested', async () => {
    const { operator, owner } = await buildWatched('free');
    for (const by of [operator, owner]) {
      assertProblem(await create(by, { channel: 'sms', destination: newNumber() }), 'TIER_LIMIT_EXCEEDED');
      assertProblem(
        await create(by, { channel: 'webhook', destination: receiver.urlOf('free') }),
        'TIER_LIMIT_EXCEEDED',
      );
    }
    assertProblem(
      await create(operator, { channel: 'email', destination: newAddress() }),
      'GOVERNANCE_APPROVAL_REQUIRED',
    );
  });

  it('needs the approval of a person for a key, which has the secret to itself then', async () => {
    const { operator, owner } = await buildWatched();
    const url = receiver.urlOf(unique('approved'));
    const refused = await create(operator, { channel: 'webhook', destination: url });
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    assert.deepEqual(receiver.callsAt(url), [], 'no code leaves before');
    const { approval_id: id } = refusedWith(refused);
    assertStatus(await approve(owner, id), 200);
    const elsewhere = await create(operator, {
      channel: 'webhook',
      destination: receiver.urlOf('elsewhere'),
      headers: withApproval(id),
    });
    assertProblem(elsewhere, 'GOVERNANCE_APPROVAL_REQUIRED');
    const another = await anotherKey(owner);
    assertProblem(
      await create(another, { channel: 'webhook', destination: url, headers: withApproval(id) }),
      'GOVERNANCE_APPROVAL_REQUIRED',
    );
    const destination = assertStatus(
      await create(operator, { channel: 'webhook', destination: url, headers: withApproval(id) }),
      201,
    );
    assert.match(destination.webhook_secret ?? '', /^whsec_/);
    assertStatus(await enter(operator, destination.id, await receiver.codeAt(url)), 200);
  });

  it('is for administrators: members, agents and strangers are refused, reading too', async () => {
    const { operator } = watched;
    const member = await buildMemberKey(operator);
    const agent = await buildAgentKey(operator, (await buildAgent(operator)).id);
    for (const [by, code] of [
      [member, 'ADMIN_REQUIRED'],
      [agent, 'AGENT_CREDENTIAL_FORBIDDEN'],
      [anonymous(), 'UNAUTHENTICATED'],
    ] as const) {
      assertProblem(await create(by, { channel: 'email', destination: newAddress() }), code);
      assertProblem(await by.get(DESTINATIONS), code);
    }
  });

  it('has 50 at most, and says so', async () => {
    const { operator, owner } = await buildWatched();
    await execute(sql.fragment`
      insert into destinations (id, operator_id, channel_type, destination, address, verified_at)
      select new_prefixed_id('dst'), ${operator.operatorId}, 'email', n || '@example.test', n || '@example.test', now()
      from generate_series(1, 50) n`);
    const reply = await create(owner, { channel: 'email', destination: newAddress() });
    assertProblem(reply, 'TIER_LIMIT_EXCEEDED');
    const { limit, used } = reply.body as unknown as { limit: number; used: number };
    assert.deepEqual({ limit, used }, { limit: 50, used: 50 });
  });

  it('does not get around the limits of codes by deleting and making again', async () => {
    const address = newAddress();
    const first = await made(watched.owner, 'email', address);
    assertStatus(await watched.owner.delete(`${DESTINATIONS}/${first.id}`), 200);
    const reply = await create(watched.owner, { channel: 'email', destination: address });
    assertProblem(reply, 'RATE_LIMITED');
    const wait = Number(reply.headers.get('retry-after'));
    assert(wait > 0 && wait <= 30, String(wait));
    assertProblem(await watched.owner.get(`${DESTINATIONS}/${first.id}`), 'NOT_FOUND');
    await codesAge(first.id, 31);
    await made(watched.owner, 'email', address);
  });

  const listed = async (by: Watched['owner'], destination: string) => {
    const { destinations } = assertStatus(
      await by.get<{ destinations: { id: string; destination: string }[] }>(DESTINATIONS),
      200,
    );
    return destinations.find((one) => one.destination === destination) ?? assert.fail('it is listed');
  };
});

describe('GET /v1/notifications/destinations', () => {
  it('lists those of the operator alone, newest first, by pages', async () => {
    const { owner } = await buildWatched();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await made(owner, 'email', newAddress())).id);
    const page = (query: string) =>
      owner.get<{ destinations: { id: string }[]; total: number; limit: number; offset: number }>(
        `${DESTINATIONS}${query}`,
      );
    const all = assertStatus(await page(''), 200);
    assert.deepEqual(
      all.destinations.map(({ id }) => id),
      ids,
    );
    assert.deepEqual([all.total, all.limit, all.offset], [3, 20, 0]);
    const second = assertStatus(await page('?limit=1&offset=1'), 200);
    assert.deepEqual(
      second.destinations.map(({ id }) => id),
      [ids[1]],
    );
  });

  it('shows after a change to free that SMS and webhooks are paused, and mail is not', async () => {
    const { operator, owner } = await buildWatched();
    const sms = await made(owner, 'sms', newNumber());
    const mail = await made(owner, 'email', newAddress());
    assertStatus(await platform().patch(`/v1/admin/operators/${operator.operatorId}`, { tier: 'free' }), 200);
    assert.deepEqual([(await shown(owner, sms.id)).paused, (await shown(owner, mail.id)).paused], [true, false]);
    await codesAge(sms.id, 60);
    assertProblem(await owner.post(`${DESTINATIONS}/${sms.id}/send-code`), 'TIER_LIMIT_EXCEEDED');
  });

  it('GET /:id is 404 for what is another operator’s', async () => {
    const [one, other] = [await buildWatched(), await buildWatched()];
    const { id } = await made(one.owner, 'email', newAddress());
    assertProblem(await other.owner.get(`${DESTINATIONS}/${id}`), 'NOT_FOUND');
    assertProblem(await other.operator.get(`${DESTINATIONS}/${id}`), 'NOT_FOUND');
  });
});

describe('A service without SMS', () => {
  it('refuses destinations by SMS', async () => {
    const shell = await openShell({ routes: notificationRoutes });
    try {
      shell.context.config.sms = undefined;
      const admin = await newAdmin(shell);
      await execute(sql.fragment`update operators set tier = 'pro' where id = ${admin.operatorId}`);
      assertProblem(await create(admin, { channel: 'sms', destination: newNumber() }), 'SMS_NOT_CONFIGURED');
    } finally {
      await shell.close();
    }
  });
});
