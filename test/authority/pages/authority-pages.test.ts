import assert from 'node:assert/strict';
import type { Grant } from '../../../src/authority/grants/schema.ts';
import type { ServiceConnection } from '../../../src/authority/connections/schema.ts';
import { buildAgent, buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertStatus } from '../../support/service.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';
import { buildConnection, grant, inSeconds, made, publicJwk } from '../support.ts';

const MARKUP = '<img src=x onerror=alert(1)>';

describe('The pages of what agents may', () => {
  let operator: TestOperator;
  let browser: WebBrowser;
  let stranger: WebBrowser;
  before(async () => {
    operator = await buildOperator();
    browser = browserOf(await signIn(operator.email));
    stranger = browserOf(await signIn((await buildOperator()).email));
  });

  it('connect a service, change it, disable it and delete it', async () => {
    const empty = await stranger.open('/dashboard/connections');
    assert.match(empty.text, /No service is connected yet/);
    const name = unique('service');
    const fields = { service_id: MARKUP, service_name: name, scopes: 'read\r\nwrite' };
    const connected = await (await browser.open('/dashboard/connections')).press('Connect it', { fields });
    assert.match(connected.notices[0] ?? '', /^It is connected/);
    assert(connected.text.includes(MARKUP) && !connected.html.includes(MARKUP));
    const taken = await connected.press('Connect it', { fields });
    assert.equal(taken.status, 409);
    assert.match(taken.html, new RegExp(`name="service_name" value="${name}"`));

    const page = await connected.follow(name);
    const changed = await page.press('Save', { fields: { scopes: 'read', credential_ref: 'vault:one' } });
    assert.match(changed.text, /Scopesread Credentialvault:one/);
    const cleared = await changed.press('Save', { fields: { credential_ref: '' } });
    assert.doesNotMatch(cleared.text, /vault:one/);
    const disabled = await cleared.press('Disable it');
    assert.match(disabled.text, /disabled/);
    assert.match((await disabled.press('Enable it')).text, /active again/);
    assert.equal((await stranger.open(page.path)).status, 404);
    const gone = await disabled.press('Delete the connection', { fields: { sure: 'true' } });
    assert.match(gone.notices[0] ?? '', /deleted, and its grants/);
    assert.equal((await browser.open(page.path)).status, 404);
  });

  it('say what an agent may use, with the scopes of the connection to choose from', async () => {
    const { id: agentId } = await buildAgent(operator);
    const connection = await buildConnection(operator);
    const none = await browser.open(`/dashboard/grants?agent_id=${agentId}`);
    assert.match(none.text, /may use nothing yet/);
    assert(none.html.includes(`<option value="${connection.id}">`));
    const form = await browser.open(`/dashboard/grants?agent_id=${agentId}&connection_id=${connection.id}`);
    const constraints = JSON.stringify([{ param: 'path', op: 'prefix', value: MARKUP }]);
    const bad = await form.press('Save the grant', { fields: { scopes: 'read', constraints: '{' } });
    assert.equal(bad.status, 400);
    assert.match(bad.html, /value="read" checked/);
    const saved = await form.press('Save the grant', {
      fields: { scopes: 'read', constraints, allow_data_from: 'mail\r\nchat' },
    });
    assert.match(saved.notices[0] ?? '', /^The grant is saved/);
    assert(saved.text.includes(MARKUP) && !saved.html.includes(MARKUP));
    const path = `/v1/agents/${agentId}/grants/${connection.id}`;
    const { scopes, allow_data_from: from } = assertStatus(await operator.get<Grant>(path), 200);
    assert.deepEqual([scopes, from], [['read'], ['mail', 'chat']]);
    for (const at of [`?agent_id=${agentId}`, `?agent_id=${agentId}&connection_id=${connection.id}`])
      assert.equal((await stranger.open(`/dashboard/grants${at}`)).status, 404);
    const again = await saved.follow('Change');
    const deleted = await again.press('Delete the grant', { fields: { sure: 'true' } });
    assert.match(deleted.notices[0] ?? '', /^The grant is deleted/);
    assert.match((await browser.open('/dashboard/grants')).text, /Choose it among/);
  });

  it('declare a mission and complete it', async () => {
    const list = await browser.open('/dashboard/missions');
    const wrong = await list.press('Declare it', { fields: { declared_intent: MARKUP, expires_at: 'soon' } });
    assert.equal(wrong.status, 400);
    assert(wrong.html.includes('value="soon"'));
    const mission = await list.press('Declare it', { fields: { declared_intent: MARKUP } });
    assert.match(mission.notices[0] ?? '', /^It is declared/);
    assert(mission.text.includes(MARKUP) && !mission.html.includes(MARKUP));
    const [path = ''] = mission.path.split('?');
    assert.equal((await stranger.open(path)).status, 404);
    const completed = await mission.press('Complete the mission', { fields: { sure: 'true' } });
    assert.match(completed.notices[0] ?? '', /^It is completed/);
    assert(!completed.buttons().includes('Complete the mission'));
  });

  it('bind an agent to a receiver and revoke that', async () => {
    const agent = await buildAgent(operator, { public_jwk: publicJwk });
    const list = await browser.open('/dashboard/bindings');
    const bound = await list.press('Bind it', {
      fields: {
        agent_id: agent.id,
        receiver_id: MARKUP,
        receiver_profile_version_id: 'v1',
        expires_at: inSeconds(3_600),
        document: '{"limit": 5}',
      },
    });
    assert.equal(bound.title, MARKUP);
    assert(!bound.html.includes(MARKUP) && bound.text.includes('"limit": 5'));
    assert.equal((await stranger.open(bound.path)).status, 404);
    const revoked = await bound.press('Revoke the binding', { fields: { sure: 'true' } });
    assert.match(revoked.notices[0] ?? '', /^It is revoked/);
    assert(!revoked.buttons().includes('Revoke the binding'));
  });

  it('are for members too, as the calls are', async () => {
    const member = browserOf(await buildPerson(operator, 'member'));
    const connection: ServiceConnection = await buildConnection(operator);
    const agent = await buildAgent(operator);
    await grant(operator, { agentId: agent.id, connectionId: connection.id });
    const mission = await made(operator.post('/v1/missions', { declared_intent: 'x' }));
    for (const path of [
      'connections',
      `connections/${connection.id}`,
      `grants?agent_id=${agent.id}`,
      'missions',
      `missions/${mission.id}`,
      'bindings',
      'identity-claims',
    ])
      assert.equal((await member.open(`/dashboard/${path}`)).status, 200, path);
  });
});
