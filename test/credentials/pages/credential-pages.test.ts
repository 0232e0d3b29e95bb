import assert from 'node:assert/strict';
import { buildOperator } from '../../support/factories.ts';
import { PROVIDERS } from '../../support/model-providers.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus } from '../../support/service.ts';
import { browserOf } from '../../support/web-browser.ts';

const [PROVIDER] = PROVIDERS;
const PATH = '/dashboard/credentials';
const KEY = 'sk-secret-of-an-account-f3Qa';
const HOSTILE = `"><script>alert(1)</script>`;

describe('GET /dashboard/credentials', () => {
  it('enters a key, shows its last characters alone, replaces and deletes it', async () => {
    const owner = await buildOperator();
    const browser = browserOf(await buildPerson(owner));
    const empty = await browser.open(PATH);
    assert.match(empty.text, /No key is entered/);
    const typed = { provider: PROVIDER, api_key: KEY, label: HOSTILE };
    const refused = await empty.press('Save the key', { fields: { ...typed, api_key: 'secret with blanks' } });
    assert.equal(refused.status, 400);
    assert(!refused.html.includes('secret with blanks'), 'a refused key is not written into the page');
    assert.match(
      refused.html,
      /value="&quot;&gt;&lt;script[^]*class="fault"|class="fault"[^]*value="&quot;&gt;&lt;script/,
    );
    const saved = await refused.press('Save the key', { fields: typed });
    assert.match(saved.text, /The key is saved.*…f3Qa/);
    for (const page of [saved, await browser.open(PATH), await browser.open(`${PATH}?csv=credentials`)])
      assert(!page.html.includes(KEY), 'the key is on no page');
    assert.doesNotMatch(saved.html, /<script>alert/);
    const deleted = await saved.press('Delete', { fields: { sure: 'true' } });
    assert.match(deleted.text, /The key is deleted.*No key is entered/);
    const again = await browser.send(PATH, new URLSearchParams({ act: 'remove', provider: PROVIDER, sure: 'true' }));
    assert.equal(again.status, 404);
  });

  it('says to a member who can, and lets them do nothing', async () => {
    const owner = await buildOperator();
    assertStatus(await owner.put(`/v1/credentials/${PROVIDER}`, { api_key: KEY, label: 'theirs' }), 200);
    const browser = browserOf(await buildPerson(owner, 'member'));
    const page = await browser.open(PATH);
    assert.match(page.text, /Owners and administrators see and change them/);
    assert(!page.html.includes('theirs'));
    assert.deepEqual(
      page.buttons().filter((label) => label !== 'Sign out'),
      [],
    );
    const forced = await browser.send(PATH, new URLSearchParams({ act: 'remove', provider: PROVIDER, sure: 'true' }));
    assert.equal(forced.status, 403);
    assert.equal(assertStatus(await owner.get<{ total: number }>('/v1/credentials'), 200).total, 1);
  });
});
