import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn, type Person } from '../../support/people.ts';
import { database } from '../../support/service.ts';
import { browserOf, type WebBrowser, type WebPage } from '../../support/web-browser.ts';
import { auditOf, buildEndpoint } from '../endpoints/support.ts';
import { HOSTILE } from '../support/endpoints.ts';
import { buildHeldMail } from '../support/held-mails.ts';

const HOME = '/dashboard';

describe('The pages of inbound endpoints', function () {
  this.timeout(60_000);
  let operator: TestOperator;
  let person: Person;
  let browser: WebBrowser;
  let member: WebBrowser;
  let agentId: string;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    person = await signIn(operator.email);
    browser = browserOf(person);
    member = browserOf(await buildPerson(operator, 'member'));
  });

  const open = async (path: string, status = 200): Promise<WebPage> => {
    const page = await browser.open(`${HOME}${path}`);
    assert.equal(page.status, status, page.text);
    return page;
  };
  const acts = async (id: string): Promise<string[]> => (await auditOf(id)).map(({ action }) => action);
  /** An event of an endpoint that has ended, by SQL alone: no scan has to come to its turn. */
  const insertEvent = async (endpoint: string, status: 'blocked' | 'recorded'): Promise<string> => {
    const id = newId('iev');
    await (
      await database()
    ).query(sql.type(z.object({}))`
      insert into inbound_events (id, endpoint_id, operator_id, agent_id, provider, key_hash, key_from, body_hash, scheme, body_authenticated, size, status, ended_at)
      values (${id}, ${endpoint}, ${operator.operatorId}, ${agentId}, 'generic', sha256(${id}::bytea), 'body', sha256(${id}::bytea), 'hex', true, 2, ${status}, now())`);
    return id;
  };

  it('say how the first comes about', async () => {
    assert.match((await open('/inbound')).text, /Make an endpoint, and give its address and secret/);
    assert.match((await open('/inbound/new')).text, /there is none yet/);
    ({ id: agentId } = await buildAgent(operator));
  });

  it('make an endpoint of each provider, whose secret is shown once', async () => {
    const form = await open('/inbound/new?provider=generic');
    assert.deepEqual(
      form.links().flatMap(({ href }) => /provider=(\w+)$/.exec(href)?.[1] ?? []),
      ['mail_provider', 'generic', 'github'],
    );
    const refused = await form.press('Make the endpoint', {
      fields: { agent_id: agentId, name: '<b>post', forward_url: 'ftp://x.example' },
    });
    assert(refused.status >= 400 && refused.status < 500);
    assert.equal(refused.formOf('Make the endpoint').values.get('name'), '<b>post', 'what was typed is kept');
    const made = await refused.press('Make the endpoint', { fields: { forward_url: '' } });
    const [secret] = /whsec_[\w+/=]+/.exec(made.html) ?? assert.fail('no secret');
    assert(made.html.includes('/v1/inbound/generic/'));
    const page = await made.follow('Open the endpoint, and try it with a sample');
    assert(page.html.includes('<h1>&lt;b&gt;post</h1>'));
    assert(!page.html.includes(secret));
    assert((await open('/inbound')).html.includes('&lt;b&gt;post'));
  });

  it('draw what came, list events by state, and send a sample', async () => {
    const { id } = await buildEndpoint(operator, { agent_id: agentId });
    const [calm, held] = [await insertEvent(id, 'recorded'), await insertEvent(id, 'blocked')];
    await (
      await database()
    ).query(sql.type(z.object({}))`
      update inbound_counters set received = 2, clean = 1, malicious = 1, blocked = 1 where endpoint_id = ${id}`);
    const page = await open(`/inbound/${id}`);
    assert.match(page.html, /<dt>Held<\/dt><dd>1<svg/, 'counters are drawn');
    assert(page.text.includes(calm) && page.text.includes(held));
    const filtered = await open(`/inbound/${id}?status=blocked`);
    assert(filtered.text.includes(held) && !filtered.text.includes(calm));
    const sample = await page.press('Make a sample', { fields: { kind: 'hostile' } });
    assert.match(sample.text, /curl -sS -X POST/);
    assert(sample.html.includes('Ignore all previous instructions'));
    const list = await open('/inbound');
    assert(list.html.includes('class="share warning"'), 'counters are drawn');
  });

  it('change an endpoint, replace its secret and revoke it', async () => {
    const { id } = await buildEndpoint(operator, { agent_id: agentId, name: 'post' });
    const changed = await (
      await open(`/inbound/${id}`)
    ).press('Save', {
      fields: { name: '', 'policy.block_at': 'low' },
    });
    assert(changed.notices.some((notice) => notice.includes('It is changed')));
    assert.equal(changed.title, 'Any webhook', 'an empty name is cleared');
    assert.match(changed.text, /from low on/);
    const rotated = await changed.press('Replace the secret', { fields: { immediate: 'true' } });
    assert.match(rotated.html, /whsec_/);
    assert.throws(() => changed.formOf('Revoke the endpoint'), /sure is to be filled in/);
    const { action, values } = changed.formOf('Revoke the endpoint', { fields: { sure: 'true' } });
    values.delete('sure');
    const unsure = await browser.send(action, values);
    assert.deepEqual(
      [unsure.status, /tick the box/.test(unsure.text)],
      [400, true],
      'also where a browser does not ask',
    );
    const revoked = await changed.press('Revoke the endpoint', { fields: { sure: 'true' } });
    assert.match(revoked.text, /revoked for good/);
    assert.deepEqual(
      revoked.buttons().filter((button) => /Revoke|Save|sample/.test(button)),
      [],
    );
  });

  it('show what came only to who asks for it, with its trace, and nothing of it is alive', async () => {
    const mail = {
      from: 'Eve <eve@example.com>\u202e',
      subject: '<b>Invoice</b>\u200b',
      text: `<img src="https://evil.example/p.png"> <script>alert(1)</script> https://evil.example\n${HOSTILE}`,
    };
    const { id } = await buildHeldMail(operator, mail);
    const page = await open(`/inbound-events/${id}`);
    assert.doesNotMatch(page.html, /evil\.example|Invoice/);
    assert.deepEqual(await acts(id), [], 'the page of an event reads no content');
    assert(!page.buttons().includes('Replay it'), 'nobody replays what is held without having read it');
    const read = await eventually('the content with its marks', async () => {
      const shown = await page.follow('Read what came');
      return shown.html.includes('<mark>') ? shown : undefined; // a scanner that is busy marks nothing
    });
    assert.deepEqual([...new Set(await acts(id))], ['inbound_event.content_read']);
    const plain = read.html.replaceAll(/<\/?mark>|<sup>[^<]*<\/sup>/g, '');
    for (const part of [
      'Eve &lt;eve@example.com&gt;[U+202E]',
      '&lt;b&gt;Invoice&lt;/b&gt;[U+200B]',
      '&lt;img src=&quot;https://evil.example/p.png&quot;&gt;',
    ])
      assert(plain.includes(part), part);
    assert.match(read.html, /<mark>[^<]*Ignore all previous instructions/);
    const main = read.html.slice(read.html.indexOf('<main'));
    assert.doesNotMatch(main, /<img|<script>|<b>|\u202e|\u200b|href="https:\/\/evil/);
    assert.doesNotMatch(read.html, /data-stream/, 'a page with content does not look again by itself');
  });

  it('let a person who has read it mark findings and replay', async () => {
    const { id, endpoint } = await buildHeldMail(operator, { subject: 'Hello', text: HOSTILE });
    const read = await browser.open(`${HOME}/inbound-events/${id}?endpoint=${endpoint}&content`);
    const marked = await read.press('It is harmless');
    assert(
      marked.notices.some((notice) => notice.includes('marked as harmless')),
      marked.text,
    );
    const replayed = await read.press('Replay it');
    assert(replayed.notices.some((notice) => notice.includes('Another attempt')));
    assert.match(replayed.text, /Attempt ?2/);
    const trace = await acts(id);
    for (const act of ['inbound_finding.marked_harmless', 'inbound_event.replayed']) assert(trace.includes(act), act);
  });

  it('list what is held at all endpoints, with senders and subjects for who decides', async () => {
    const other = await buildOperator();
    const decider = browserOf(await signIn(other.email));
    assert.match((await decider.open(`${HOME}/held`)).text, /Nothing is held/);
    assert.doesNotMatch((await decider.open(HOME)).text, /from outside/);
    const first = await buildHeldMail(other, { subject: '<b>Invoice</b>\u200b', text: HOSTILE });
    const second = await buildHeldMail(other, { subject: 'x'.repeat(500), text: HOSTILE });
    const page = await eventually('the lines of mails', async () => {
      const shown = await decider.open(`${HOME}/held`);
      return shown.text.includes('eve@example.com') ? shown : undefined; // a reader that is busy reads nothing
    });
    assert.match(page.html, /&lt;b&gt;Invoice&lt;\/b&gt;\[U\+200B\]/);
    assert.doesNotMatch(page.html, /<b>|x{300}|data-stream/);
    assert(page.text.indexOf(second.id) < page.text.indexOf(first.id), 'the newest first');
    assert(
      page.links().some(({ text, href }) => text.includes('Invoice') && href.includes(first.id)),
      'by its subject',
    );
    assert.match(page.text, /instruction/i, 'findings are named');
    const trace = await auditOf(other.operatorId);
    assert(trace.some(({ action }) => action === 'inbound_event.held_read'));
    const home = await decider.open(HOME);
    assert.match(home.text, /2 events from outside are held/);
    assert.equal((await (await home.follow('Show them')).follow(first.id)).status, 200);
    const csv = await decider.open(`${HOME}/held?csv=held`);
    assert(csv.html.includes(`"${first.id}"`) && !csv.html.includes('eve@example.com'));
    const older = await decider.open(`${HOME}/held?limit=1`);
    assert((await older.follow('Older')).text.includes(first.id));
    const seen = await browserOf(await buildPerson(other, 'member')).open(`${HOME}/held`);
    assert(seen.text.includes(first.id) && !seen.text.includes('eve@example.com'));
    assert(!(await open('/held')).text.includes(first.id), 'of the own operator alone');
  });

  it('show forwards with their outcomes', async () => {
    const { id, endpoint } = await buildHeldMail(operator, { subject: 'Hello', text: 'Two boxes.' });
    await (
      await database()
    ).query(sql.type(z.object({}))`
      insert into inbound_forwards (id, event_id, endpoint_id, operator_id, attempt, status, reason, status_code, error, ended_at)
      values (${newId('ifw')}, ${id}, ${endpoint}, ${operator.operatorId}, 1, 'failed', 'http_status', 500, 'It said <b>no</b>.', now())`);
    const page = await open(`/inbound-events/${id}`);
    assert(page.html.includes('500, It said &lt;b&gt;no&lt;/b&gt;.'), page.html);
  });

  it('are of the own operator', async () => {
    const other = await buildOperator();
    const { id, endpoint } = await buildHeldMail(other, { text: HOSTILE });
    for (const path of [
      `inbound/${endpoint}`,
      `inbound-events/${id}`,
      `inbound-events/${id}?endpoint=${endpoint}`,
      `inbound-events/${id}?endpoint=${endpoint}&content`,
      `inbound-events/${newId('iev')}`,
    ])
      await open(`/${path}`, 404);
    const forged = new URLSearchParams({ act: 'replay', endpoint });
    assert.equal((await browser.send(`${HOME}/inbound-events/${id}`, forged)).status, 404);
    assert.deepEqual(await acts(id), []);
  });

  it('show members no content and no button that they may not use', async () => {
    const { id, endpoint } = await buildHeldMail(operator, { subject: 'Hello', text: HOSTILE });
    const page = await member.open(`${HOME}/inbound-events/${id}?endpoint=${endpoint}&content`);
    assert.equal(page.status, 200);
    assert.match(page.text, /Owners and administrators read what came/);
    assert.doesNotMatch(page.html, /Ignore all previous/);
    assert.deepEqual(await acts(id), []);
    const buttons = [page, await member.open(`${HOME}/inbound/${endpoint}`), await member.open(`${HOME}/inbound/new`)]
      .flatMap((one) => one.buttons())
      .filter((button) => !['Sign out', 'Filter'].includes(button));
    assert.deepEqual(buttons, ['Revoke the endpoint']);
  });
});
