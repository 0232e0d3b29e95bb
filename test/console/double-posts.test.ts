import assert from 'node:assert/strict';
import { buildConnection, grant } from '../authority/support.ts';
import { buildRule, codeTo, insertDestination, made, newAddress } from '../notifications/support/operators.ts';
import { requestApproval, requestReview } from '../dashboard/browser/scene.ts';
import {
  buildAgent,
  buildInvocation,
  buildOperator,
  buildPartner,
  buildSkill,
  credit,
  unique,
  type TestOperator,
} from '../support/factories.ts';
import { PATIENCE_MS } from '../support/pasted.ts';
import { buildPerson, signIn, type Person } from '../support/people.ts';
import { assertStatus, type Reply } from '../support/service.ts';
import { browserOf, type WebBrowser, type WebPage } from '../support/web-browser.ts';

interface Scene {
  operator: TestOperator;
  owner: Person;
  browser: WebBrowser;
}

/** A form: the page it stands on, its button, and what is typed. */
interface Filled {
  at: string;
  button: string;
  fields?: Record<string, string | readonly string[]>;
}

const SURE = { sure: 'true' };

const idOf = async (answer: Promise<Reply<{ id: string }>>): Promise<string> => assertStatus(await answer, 201).id;

/** An invocation that waits, at its provider and at its consumer. */
async function waiting({ operator }: Scene, side: 'provider' | 'consumer'): Promise<string> {
  await credit(operator.operatorId, 100);
  const other = await buildOperator({ cents: 100 });
  const { id: skillId } = await buildSkill(side === 'provider' ? operator : other, { price_per_invocation: 5 });
  return `/dashboard/invocations/${(await buildInvocation(side === 'provider' ? other : operator, skillId)).id}`;
}

/** A form of each kind: what it does is done by SQL alone, by a command, after a call to somebody else, without a body, or shows a secret. */
const forms: Readonly<Record<string, (scene: Scene) => Promise<Filled>>> = {
  'claims an invocation': async (scene) => ({ at: await waiting(scene, 'provider'), button: 'Claim it' }),
  'withdraws an invocation': async (scene) => ({
    at: await waiting(scene, 'consumer'),
    button: 'Withdraw it',
    fields: SURE,
  }),
  'runs a skill': async ({ operator }) => ({
    at: `/dashboard/market/${(await buildSkill(operator)).id}`,
    button: 'Run it',
    fields: { 'input.text': 'hello' },
  }),
  'publishes a skill': async () => ({
    at: '/dashboard/skills/new',
    button: 'Publish it',
    fields: { name: unique('twice'), description: 'It echoes.' },
  }),
  'makes a key, which is shown': async () => ({
    at: '/dashboard/keys',
    button: 'Make the key',
    fields: { name: unique('twice'), role: 'member' },
  }),
  'deletes a key': async ({ operator }) => {
    const key = { name: unique('twice'), kind: 'operator', role: 'member' };
    return {
      at: `/dashboard/keys/${await idOf(operator.post('/v1/api-keys', key))}`,
      button: 'Delete the key',
      fields: SURE,
    };
  },
  'invites a person': async () => ({
    at: '/dashboard/members',
    button: 'Invite them',
    fields: { email: `${unique('twice')}@example.test`, role: 'member' },
  }),
  'deletes a member': async ({ operator }) => {
    const invited = { email: `${unique('twice')}@example.test`, role: 'member' };
    return {
      at: `/dashboard/members/${await idOf(operator.post('/v1/members', invited))}`,
      button: 'Withdraw the invitation',
      fields: SURE,
    };
  },
  'ends other sessions': async ({ operator }) => {
    await signIn(operator.email);
    return { at: '/dashboard/sessions', button: 'End' };
  },
  'registers an agent': async () => ({
    at: '/dashboard/agents',
    button: 'Register it',
    fields: { name: unique('twice') },
  }),
  'retires an agent': async ({ operator }) => ({
    at: `/dashboard/agents/${(await buildAgent(operator)).id}`,
    button: 'Retire it',
    fields: SURE,
  }),
  'issues a passport': async ({ operator }) => ({
    at: `/dashboard/passports/issue?agent_id=${(await buildAgent(operator)).id}`,
    button: 'Issue it',
  }),
  'deletes a partner': async ({ owner }) => ({
    at: `/dashboard/partners/${(await buildPartner(owner)).grantId}`,
    button: 'Delete the grant',
    fields: SURE,
  }),
  'deletes a connection': async ({ operator }) => ({
    at: `/dashboard/connections/${(await buildConnection(operator)).id}`,
    button: 'Delete the connection',
    fields: SURE,
  }),
  'deletes a grant': async ({ operator }) => {
    const { id: agentId } = await buildAgent(operator);
    const { id: connectionId } = await buildConnection(operator);
    await grant(operator, { agentId, connectionId });
    return {
      at: `/dashboard/grants?agent_id=${agentId}&connection_id=${connectionId}`,
      button: 'Delete the grant',
      fields: SURE,
    };
  },
  'adds a destination': async () => ({
    at: '/dashboard/destinations/new?kind=email',
    button: 'Add it',
    fields: { destination: `${unique('twice')}@example.test` },
  }),
  'verifies a destination by its code': async ({ owner }) => {
    const address = newAddress();
    const { id } = await made(owner, 'email', address);
    return { at: `/dashboard/destinations/${id}`, button: 'Verify', fields: { code: await codeTo(address) } };
  },
  'deletes a destination': async ({ operator }) => ({
    at: `/dashboard/destinations/${await insertDestination(operator.operatorId)}`,
    button: 'Delete the destination',
    fields: SURE,
  }),
  'deletes a rule': async ({ operator, owner }) => {
    const destination = await insertDestination(operator.operatorId);
    const { id } = await buildRule(owner, operator, { destination_ids: [destination] });
    return { at: `/dashboard/rules/${id}`, button: 'Delete the rule', fields: SURE };
  },
  'makes an endpoint, whose secret is shown': async ({ operator }) => {
    const { id } = await buildAgent(operator);
    return {
      at: '/dashboard/inbound/new',
      button: 'Make the endpoint',
      fields: { name: unique('twice'), agent_id: id },
    };
  },
  'revokes an endpoint': async ({ operator }) => {
    const { id: agent_id } = await buildAgent(operator);
    const wanted = { name: unique('twice'), provider: 'generic', forward_url: 'https://twice.example/x', agent_id };
    const id = await idOf(operator.post('/v1/operator/inbound-webhooks', wanted));
    return { at: `/dashboard/inbound/${id}`, button: 'Revoke the endpoint', fields: SURE };
  },
  'begins a top-up': async () => ({ at: '/dashboard/wallet', button: 'Top up', fields: { amount: '25' } }),
  'approves a request, on its page': async ({ operator }) => ({
    at: `/dashboard/approvals/${await requestApproval(operator)}`,
    button: 'Approve',
  }),
  'rejects a request, on its page': async ({ operator }) => ({
    at: `/dashboard/approvals/${await requestApproval(operator)}`,
    button: 'Reject',
  }),
  'decides a review': async ({ operator }) => ({
    at: `/dashboard/reviews/${(await requestReview(operator)).reviewId}`,
    button: 'Block the agent',
    fields: { notes: 'Looked at.' },
  }),
  'ends the mails to somebody': async () => ({ at: '/dashboard/mails', button: 'Turn them off' }),
};

/** As a person reads it; moments of the second answer may be a second later. */
const readOf = (page: WebPage): unknown => ({
  status: page.status,
  path: page.path,
  title: page.title,
  notices: page.notices,
});

describe('A form that is sent twice together, and once more, is answered as the first time', function () {
  this.timeout(PATIENCE_MS);
  const scene = {} as Scene;
  before(async () => {
    scene.operator = await buildOperator({ tier: 'business' });
    scene.owner = await signIn(scene.operator.email);
    scene.browser = browserOf(scene.owner);
  });

  for (const [title, prepare] of Object.entries(forms))
    it(`where it ${title}`, async () => {
      const { at, button, fields = {} } = await prepare(scene);
      const { action, values } = (await scene.browser.open(at)).formOf(button, { fields });
      const send = (): Promise<WebPage> => scene.browser.send(action, values);
      const [one, two] = await Promise.all([send(), send()]);
      assert.equal(one.status, 200, one.text);
      assert.deepEqual(readOf(two), readOf(one));
      assert.deepEqual(readOf(await send()), readOf(one));
    });

  it('where a person has approved it', async () => {
    const { operator, owner } = scene;
    const { id } = await buildAgent(operator, { accountability: 'enforced' });
    const member = browserOf(await buildPerson(operator, 'member'));
    const page = await member.open(`/dashboard/agents/${id}`);
    const asked = await page.press('Save', { fields: { accountability: 'logged' } });
    const approval = /apr_\w+/.exec(asked.text)?.[0] ?? assert.fail(asked.text);
    assertStatus(await owner.post(`/v1/governance/approvals/${approval}/approve`), 200);
    const { action, values } = asked.formOf('Save');
    const [one, two] = await Promise.all([member.send(action, values), member.send(action, values)]);
    assert.match(one.notices.join(), /It is changed/);
    assert.deepEqual(readOf(two), readOf(one));
    assert.deepEqual(readOf(await member.send(action, values)), readOf(one));
  });
});
