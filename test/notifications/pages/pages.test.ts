import assert from 'node:assert/strict';
import { NODE, PYTHON } from '../../../src/notifications/pages/receiver.ts';
import { newId } from '../../../src/ids/ids.ts';
import { unique } from '../../support/factories.ts';
import { blockOf } from '../../support/pasted.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus } from '../../support/service.ts';
import { browserOf, type WebBrowser, type WebPage } from '../../support/web-browser.ts';
import {
  buildRule,
  buildWatched,
  codeTo,
  execute,
  insertDestination,
  made,
  newAddress,
  otherThan,
  verifyByHand,
  type Watched,
} from '../support/operators.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { sql } from '../../../src/database/pool.ts';

const HOME = '/dashboard';

describe('The pages of notifications', function () {
  this.timeout(180_000);
  let watched: Watched;
  let browser: WebBrowser;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    watched = await buildWatched();
    browser = browserOf(watched.owner);
  });
  after(() => receiver.stop());

  const open = async (path: string, status = 200): Promise<WebPage> => {
    const page = await browser.open(`${HOME}${path}`);
    assert.equal(page.status, status, page.text);
    return page;
  };
  const webhook = async (): Promise<{ id: string; url: string }> => {
    const url = receiver.urlOf(unique('hook'));
    const { id } = await made(watched.owner, 'webhook', url);
    await verifyByHand(id);
    return { id, url };
  };

  it('say how the first comes about', async () => {
    const empty = browserOf((await buildWatched()).owner);
    for (const [path, words] of [
      ['destinations', 'Add a destination'],
      ['rules', 'Make a rule'],
      ['deliveries', 'Nothing was sent'],
      ['rules/new', 'No destination is verified'],
    ] as const)
      assert((await empty.open(`${HOME}/${path}`)).text.includes(words), path);
  });

  it('add a destination of each kind, and verify it by its code', async () => {
    const address = newAddress();
    const form = await open('/destinations/new?kind=email');
    const refused = await form.press('Add it', { fields: { destination: 'no <b>address' } });
    assert.equal(refused.status, 400);
    assert(refused.html.includes('value="no &lt;b&gt;address"'), 'what was typed is kept');
    assert(refused.text.includes('must be an e-mail address'));
    const page = await refused.press('Add it', { fields: { destination: address } });
    assert.equal(page.title, address);
    assert(page.text.includes('not verified'));
    const code = await codeTo(address);
    const wrong = await page.press('Verify', { fields: { code: otherThan(code) } });
    assert.equal(wrong.status, 400);
    assert(wrong.buttons().includes('Send another code'));
    const early = await wrong.press('Send another code');
    assert.equal(early.status, 429);
    const verified = await early.press('Verify', { fields: { code } });
    assert(
      verified.notices.some((notice) => notice.includes('is verified')),
      verified.text,
    );
    assert(!verified.buttons().includes('Verify'));
  });

  it('show the secret of a webhook once, and another when it is replaced', async () => {
    const url = receiver.urlOf(unique('hook'));
    const added = await (await open('/destinations/new')).press('Add it', { fields: { destination: url } });
    const [secret] = /whsec_[\w+/=]+/.exec(added.html) ?? assert.fail('no secret');
    const page = await added.follow('Enter the code that it got');
    assert.equal(page.title, url);
    assert(!page.html.includes(secret));
    assert((await page.press('Verify', { fields: { code: await receiver.codeAt(url) } })).text.includes('verified'));
    const rotated = await page.press('Replace the secret');
    const [other] = /whsec_[\w+/=]+/.exec(rotated.html) ?? assert.fail('no secret');
    assert.notEqual(other, secret);
    assert(!(await open(`/destinations/${page.path.split('/').at(-1)?.split('?')[0]}`)).html.includes(other));
  });

  it('send a test, show its outcome and payload, and send it again', async () => {
    const { id, url } = await webhook();
    const { action, values } = (await open(`/destinations/${id}`)).formOf('Send a test');
    // A busy machine may need longer than the call waits: the same form goes on waiting, and sends nothing twice.
    let delivery = await browser.send(action, values);
    for (let tries = 1; tries < 5 && delivery.status === 503; tries++) delivery = await browser.send(action, values);
    assert.equal(delivery.title, 'Delivery');
    assert.match(delivery.text, /delivered/);
    assert.match(delivery.text, /The receiver answered 200/);
    assert(delivery.html.includes('notification.test'));
    assert(delivery.html.includes(`&quot;destination_id&quot;: &quot;${id}&quot;`), 'the payload is readable');
    const again = await delivery.press('Send it again');
    assert(again.notices.some((notice) => notice.includes('new delivery')));
    assert.notEqual(again.path.split('?')[0], delivery.path.split('?')[0]);
    assert.match(again.text, /Attempt ?2/);
    assert(receiver.callsAt(url).length >= 1);
    const log = await open(`/deliveries?destination_id=${id}&event_type=notification.test`);
    assert.equal(log.links().filter(({ href }) => /\/deliveries\/dlv_/.test(href)).length, 2);
    assert((await open(`/deliveries?destination_id=${id}&status=unknown`)).text.includes('Nothing fits'));
    const csv = await browser.open(`${HOME}/deliveries?destination_id=${id}&csv=deliveries`);
    assert.equal(csv.html.trim().split('\r\n').length, 3);
  });

  it('enable a destination that was stopped', async () => {
    const { id } = await webhook();
    await execute(sql.fragment`
      update destinations set disabled_at = now(), disabled_reason = 'It <i>failed' where id = ${id}`);
    const page = await open(`/destinations/${id}`);
    assert(page.text.includes('stopped') && page.html.includes('It &lt;i&gt;failed'));
    const enabled = await page.press('Send here again');
    assert(!enabled.text.includes('stopped'), enabled.text);
  });

  it('make, change and delete a rule', async () => {
    const id = await insertDestination(watched.operator.operatorId);
    const form = await (await open(`/destinations/${id}`)).follow('Make a rule');
    const none = await form.press('Make the rule', { fields: { events: [] } });
    assert.equal(none.status, 400);
    const { values } = none.formOf('Make the rule');
    assert.deepEqual([values.get('events'), values.get('destination_ids')], [null, id], 'what was chosen is kept');
    const rule = await none.press('Make the rule', {
      fields: { events: ['invocation.*', 'passport.flagged'], min_severity: 'warning' },
    });
    assert(rule.notices.some((notice) => notice.includes('saved')));
    const kept = rule.formOf('Save the rule').values;
    assert.deepEqual(kept.getAll('events').toSorted(), ['invocation.*', 'passport.flagged']);
    assert.equal(kept.get('min_severity'), 'warning');
    const changed = await rule.press('Save the rule', { fields: { events: ['agent.*'], min_severity: 'info' } });
    assert.deepEqual(changed.formOf('Save the rule').values.getAll('events'), ['agent.*']);
    assert((await open(`/destinations/${id}`)).text.includes('agent.*'));
    assert((await open('/rules')).text.includes('agent.*'));
    const gone = await changed.press('Delete the rule', { fields: { sure: 'true' } });
    assert(gone.path.startsWith(`${HOME}/rules?`));
    assert(gone.notices.some((notice) => notice.includes('deleted')));
    assert((await open(`/destinations/${id}`)).text.includes('No rule sends events here'));
  });

  it('delete a destination once its box is ticked', async () => {
    const id = await insertDestination(watched.operator.operatorId);
    const page = await open(`/destinations/${id}`);
    assert.throws(() => page.formOf('Delete the destination'), /sure is to be filled in/);
    const gone = await page.press('Delete the destination', { fields: { sure: 'true' } });
    assert(gone.notices.some((notice) => notice.includes('is deleted')));
    await open(`/destinations/${id}`, 404);
  });

  it('send again what was not delivered in a time', async () => {
    const { id } = await webhook();
    const event = newId('evt');
    const { operatorId } = watched.operator;
    await execute(sql.fragment`
      insert into service_events (id, operator_id, event_type, severity, payload)
      values (${event}, ${operatorId}, 'passport.flagged', 'warning', '{"note":"<script>"}')`);
    await execute(sql.fragment`
      insert into deliveries (id, operator_id, event_id, destination_id, channel_type, event_type, status, reason, error, started_at, ended_at)
      values (${newId('dlv')}, ${operatorId}, ${event}, ${id}, 'webhook', 'passport.flagged', 'failed', 'http_status', 'It said <b>no</b>.', now(), now())`);
    const log = await open(`/deliveries?event_id=${event}`);
    assert(log.html.includes(`<option value="${event}" selected>`), 'few events are chosen from');
    const shown = await log.follow(/dlv_\w{26}/.exec(log.text)?.[0] ?? '');
    assert(shown.html.includes('It said &lt;b&gt;no&lt;/b&gt;.') && shown.html.includes('&lt;script&gt;'));
    const bad = await log.press('Send again', { fields: { destination_id: id, since: '2100-01-01T00:00' } });
    assert.equal(bad.status, 400);
    assert.equal(bad.formOf('Send again').values.get('since'), '2100-01-01T00:00', 'what was typed is kept');
    const until = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16);
    const done = await (await open('/deliveries')).press('Send again', { fields: { destination_id: id, until } });
    assert(done.text.includes('1 delivery was made'), done.text);
  });

  it('escape addresses, and link what they name', async () => {
    const url = receiver.urlOf(`${unique('hook')}?a=%22%3E<b>`);
    const { id } = await made(watched.owner, 'webhook', url);
    const { id: rule } = await buildRule(watched.owner, watched.operator);
    for (const page of [await open(`/destinations/${id}`), await open('/destinations'), await open('/deliveries')])
      assert.doesNotMatch(page.html, /<b>/);
    assert.equal((await browser.open(`${HOME}/search?q=${rule}`)).title, 'Rule');
  });

  it('are of the own operator, and of owners and administrators', async () => {
    const other = await buildWatched();
    const id = await insertDestination(other.operator.operatorId);
    const { id: rule } = await buildRule(other.owner, other.operator);
    for (const path of [`destinations/${id}`, `rules/${rule}`, `deliveries/${newId('dlv')}`])
      await open(`/${path}`, 404);
    const own = await insertDestination(watched.operator.operatorId);
    const member = browserOf(await buildPerson(watched.operator, 'member'));
    for (const path of [
      'destinations',
      'destinations/new',
      `destinations/${own}`,
      'rules',
      'rules/new',
      'deliveries',
    ]) {
      const page = await member.open(`${HOME}/${path}`);
      assert.equal(page.status, 200, path);
      assert(page.text.includes('Owners and administrators'), path);
      assert.deepEqual(
        page.buttons().filter((button) => button !== 'Sign out' && button !== ''),
        [],
        path,
      );
    }
    const page = await member.send(
      `${HOME}/destinations`,
      new URLSearchParams({ act: 'remove', id: own, sure: 'true' }),
    );
    assert.equal(page.status, 403);
    assertStatus(await watched.owner.get(`/v1/notifications/destinations/${own}`), 200);
  });

  it('have the lines of docs/receiving-webhooks.md', async () => {
    for (const [name, lines] of [
      ['typescript', NODE],
      ['python', PYTHON],
    ] as const) {
      const { code } = await blockOf('docs/receiving-webhooks.md', name);
      assert(code.startsWith(lines.trim()), name);
    }
  });
});
