import assert from 'node:assert/strict';
import { buildOperator, buildSkill, unique } from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';
import { postRequest } from '../support.ts';

const HOSTILE = `"><script>alert(1)</script>`;

describe('Pages of the request board', () => {
  let owner: Awaited<ReturnType<typeof buildOperator>>;
  let browser: WebBrowser;
  before(async () => {
    owner = await buildOperator();
    browser = browserOf(await buildPerson(owner, 'member'));
  });

  it('post a request from a form, which keeps what was typed, and show the skills that fit', async () => {
    const tag = unique('tag');
    const { id: skillId, name } = await buildSkill(await buildOperator(), {
      tags: [tag],
      description: HOSTILE,
      price_per_invocation: 25,
    });
    const form = await (await browser.open('/dashboard/requests')).follow('Post a request');
    const typed = { description: `wanted ${HOSTILE}`, tags: tag, max_price_cents: '0.50' };
    const refused = await form.press('Post it', { fields: { ...typed, desired_input_schema: '{"type": 1}' } });
    assert.equal(refused.status, 400);
    assert.match(refused.html, /wanted &quot;[^]*\{&quot;type&quot;: 1\}[^]*class="fault"/);
    const page = await refused.press('Post it', {
      fields: { desired_input_schema: '{"type": "object", "properties": {"text": {"title": "<b>"}}}' },
    });
    assert.match(page.path, /^\/dashboard\/requests\/rqt_/);
    assert.match(page.text, new RegExp(`wanted.*open.*\\$0\\.50 a run.*Skills that fit.*${name}.*\\$0\\.25.*%`));
    assert.doesNotMatch(page.html, /<script>alert|<b>/);
    assert(page.links().some(({ href }) => href === `/dashboard/market/${skillId}`));
    const board = await browser.open('/dashboard/requests');
    assert.match(board.text, /wanted.*open.*\$0\.50/);
    assert.doesNotMatch(board.html, /<script>alert/);
    assert.match((await browser.open('/dashboard/requests?csv=requests')).html, new RegExp(`"wanted ""><script>`));
  });

  it('change, close and open one’s own, and have no button on those of others', async () => {
    const { id } = await postRequest(owner);
    const page = await browser.open(`/dashboard/requests/${id}`);
    const refused = await page.press('Change it', { fields: { description: 'x'.repeat(2_001) } });
    assert.equal(refused.status, 400);
    assert.match(refused.html, /x{2001}[^]*class="fault"/);
    const changed = await refused.press('Change it', { fields: { description: 'said better' } });
    assert.match(changed.text, /It is changed.*said better/);
    const fulfilled = await changed.press('It is fulfilled');
    assert.match(fulfilled.text, /said better.*fulfilled/);
    const open = await fulfilled.press('Open it again');
    const closed = await open.press('Close it');
    assert.match(closed.text, /said better closed/);
    const stranger = browserOf(await buildPerson(await buildOperator()));
    const seen = await stranger.open(`/dashboard/requests/${id}`);
    assert.equal(seen.status, 200);
    assert.match(seen.text, new RegExp(`By ?${owner.name} ${owner.operatorId}`));
    assert(
      (await stranger.open('/dashboard/requests')).html.includes(`<span title="${owner.operatorId}">${owner.name}<`),
    );
    assert.deepEqual(
      seen.buttons().filter((label) => label !== 'Sign out'),
      [],
    );
    const forced = await stranger.send(`/dashboard/requests/${id}`, new URLSearchParams({ act: 'close' }));
    assert.equal(forced.status, 403);
    assert.equal((await stranger.open('/dashboard/requests/rqt_01K0000000000000000000000A')).status, 404);
  });
});
