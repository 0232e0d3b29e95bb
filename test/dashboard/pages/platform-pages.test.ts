import assert from 'node:assert/strict';
import type { Operator } from '../../../src/accounts/operators/schema.ts';
import type { Skill } from '../../../src/skills/schema.ts';
import { hangingRefund } from '../../billing/cases/support.ts';
import { buildTopUp } from '../../billing/payments/support.ts';
import { publish, sealedSkill } from '../../skills/support.ts';
import { buildInvocation, buildOperator, buildSkill, unique, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn, type Person } from '../../support/people.ts';
import { assertProblem, assertStatus, platform } from '../../support/service.ts';
import { browserOf, WebBrowser } from '../../support/web-browser.ts';

const PLATFORM = { operatorId: 'op_platform' };
const MARKUP = '<img src=x onerror=alert(1)>';

describe('Platform administration', () => {
  let operator: TestOperator;
  let owner: Person & { memberId: string };
  let browser: WebBrowser;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    owner = await buildPerson(PLATFORM, 'owner');
    browser = browserOf(owner);
  });

  describe('by session', () => {
    const acts: [method: 'get' | 'post' | 'patch', path: () => string, body?: object][] = [
      ['get', () => '/v1/admin/operators'],
      ['get', () => `/v1/admin/operators/${operator.operatorId}`],
      ['get', () => '/v1/admin/outbox'],
      ['get', () => '/v1/skills/pending-reviews'],
      ['patch', () => `/v1/admin/operators/${operator.operatorId}`, { tier: 'enterprise' }],
      ['post', () => `/v1/admin/operators/${operator.operatorId}/adjustments`, { amount_cents: 1, description: 'x' }],
      ['post', () => '/v1/operators', { name: 'x', email: 'x@example.test' }],
      ['post', () => '/v1/admin/signing-keys/rotate', {}],
    ];
    const send = (by: Person, [method, path, body]: (typeof acts)[number]) =>
      method === 'get' ? by.get(path()) : by[method](path(), body);

    it('is for owners and administrators of op_platform, and for nobody else', async () => {
      const others = [
        await signIn(operator.email),
        await buildPerson(operator, 'admin'),
        await buildPerson(PLATFORM, 'member'),
      ];
      for (const other of others) for (const act of acts) assertProblem(await send(other, act), 'ADMIN_REQUIRED');
      const administrator = await buildPerson(PLATFORM, 'admin');
      for (const by of [owner, administrator])
        for (const act of acts.slice(0, 4)) assert.equal((await send(by, act)).status, 200, act[1]());
    });

    it('takes requests of pages of the service alone', async () => {
      const path = `/v1/admin/operators/${operator.operatorId}`;
      for (const origin of ['https://elsewhere.example', ''])
        assertProblem(await owner.patch(path, { tier: 'enterprise' }, { origin }), 'ORIGIN_FORBIDDEN');
      assert.equal(assertStatus(await platform().get<Operator>(path), 200).tier, 'business');
    });

    it('names the person in the audit trail of the platform', async () => {
      const other = await buildOperator();
      assertStatus(await owner.patch(`/v1/admin/operators/${other.operatorId}`, { tier: 'pro' }), 200);
      const trail = `/v1/audit-events?actor=${owner.memberId}&target=${other.operatorId}`;
      const { audit_events: events } = assertStatus(
        await owner.get<{ audit_events: { action: string; detail: object }[] }>(trail),
        200,
      );
      assert.deepEqual(
        events.map(({ action, detail }) => [action, detail]),
        [['operator.administered', { tier: 'pro' }]],
      );
    });

    it('moves money by a person, who is asked for no approval', async () => {
      const other = await buildOperator();
      const path = `/v1/admin/operators/${other.operatorId}/adjustments`;
      assertStatus(await owner.post(path, { amount_cents: 700, description: 'Welcome' }), 201);
      assertProblem(
        await platform().post(path, { amount_cents: 700, description: 'Welcome' }),
        'GOVERNANCE_APPROVAL_REQUIRED',
      );
    });

    it('ends with the role', async () => {
      const person = await buildPerson(PLATFORM, 'admin');
      assertStatus(await person.get('/v1/admin/operators'), 200);
      assertStatus(await owner.delete(`/v1/members/${person.memberId}`), 200);
      assertProblem(await person.get('/v1/admin/operators'), 'UNAUTHENTICATED');
    });

    it('shows hidden skills and claims about others to no member of op_platform, nor to its keys', async () => {
      const hidden = await publish(operator, sealedSkill);
      const { id: invocation } = await buildInvocation(operator, (await buildSkill(operator)).id);
      const claims = `/v1/claims?subject=carnet://invocation/${invocation}`;
      const found = async (by: Pick<Person, 'get'>) =>
        assertStatus(await by.get<{ claims: unknown[] }>(claims), 200).claims.length;
      const member = await buildPerson(PLATFORM, 'member');
      assertProblem(await member.get(`/v1/skills/${hidden.id}`), 'NOT_FOUND');
      assert.deepEqual([await found(member), (await found(owner)) > 0], [0, true]);
      assertStatus(await owner.get(`/v1/skills/${hidden.id}`), 200);
    });
  });

  describe('in pages', () => {
    it('is shown to people of the platform, and to nobody else', async () => {
      const { id: invocation } = await buildInvocation(operator, (await buildSkill(operator)).id);
      const skill = await publish(operator, sealedSkill);
      const paths = [
        'skill-reviews',
        `skill-reviews/${skill.id}`,
        'operators',
        `operators/${operator.operatorId}`,
        `adjustments/${operator.operatorId}`,
        'cases',
        'outbox',
        'signing-keys',
        'overseen',
        `overseen/${invocation}`,
        `lives/invocation:${invocation}`,
      ];
      const others = [
        browserOf(await signIn(operator.email)),
        browserOf(await buildPerson(operator, 'admin')),
        browserOf(await buildPerson(PLATFORM, 'member')),
      ];
      for (const path of paths) {
        assert.equal((await browser.open(`/dashboard/${path}`)).status, 200, path);
        for (const other of others) assert.equal((await other.open(`/dashboard/${path}`)).status, 403, path);
        assert.equal((await new WebBrowser().open(`/dashboard/${path}`)).title, 'Sign in', path);
      }
      for (const other of others) {
        const links = new Set((await other.open('/dashboard/operator')).links().map(({ href }) => href));
        assert(!links.has('/dashboard/operators') && !links.has('/dashboard/outbox'));
      }
    });

    it('takes no form of anybody else', async () => {
      const others = [browserOf(await signIn(operator.email)), browserOf(await buildPerson(PLATFORM, 'member'))];
      const forms: [path: string, fields: Record<string, string>][] = [
        [`operators/${operator.operatorId}`, { act: 'suspend' }],
        [`operators/${operator.operatorId}`, { act: 'terms', tier: 'enterprise' }],
        ['operators', { act: 'register', name: 'x', email: 'x@example.test' }],
        [`adjustments/${operator.operatorId}`, { act: 'adjust', amount_cents: '5', description: 'x' }],
        ['signing-keys', { act: 'rotate' }],
        ['cases', { act: 'dismiss-alarm', id: 'x', reason: 'x' }],
      ];
      for (const other of others)
        for (const [path, fields] of forms)
          assert.equal((await other.send(`/dashboard/${path}`, new URLSearchParams(fields))).status, 403, path);
      const { tier, status } = assertStatus(
        await platform().get<Operator>(`/v1/admin/operators/${operator.operatorId}`),
        200,
      );
      assert.deepEqual([tier, status], ['business', 'active']);
    });

    it('registers an operator, finds it, changes its terms, suspends and activates it', async () => {
      const name = `${MARKUP}${unique('name')}`;
      const email = `${unique('Owner')}@example.test`;
      const list = await browser.open('/dashboard/operators');
      const wrong = await list.press('Register it', { fields: { name, email: 'nobody' } });
      assert.equal(wrong.status, 400);
      assert(wrong.html.includes('value="nobody"'));
      const made = await list.press('Register it', { fields: { name, email } });
      assert.match(made.text, /svc_live_/);
      for (const query of [`name=${encodeURIComponent(name.toUpperCase())}`, `email=${email.toLowerCase()}`]) {
        const found = await browser.open(`/dashboard/operators?${query}`);
        assert(found.text.includes(name) && !found.html.includes(MARKUP), query);
      }
      const page = await (await browser.open(`/dashboard/operators?email=${email}`)).follow(name);
      const changed = await page.press('Save', { fields: { tier: 'pro', commission_bps: '900' } });
      assert.match(changed.text, /Tierpro Commission9 %/);
      const suspended = await changed.press('Suspend the operator', { fields: { sure: 'true' } });
      assert.match(suspended.notices[0] ?? '', /^It is suspended/);
      assert.match((await suspended.press('Activate the operator')).notices[0] ?? '', /^It is active again/);
      const own = await browser.open('/dashboard/operators/op_platform');
      assert.equal((await own.press('Suspend the operator', { fields: { sure: 'true' } })).status, 409);
    });

    it('adjusts a wallet', async () => {
      const other = await buildOperator();
      const page = await browser.open(`/dashboard/adjustments/${other.operatorId}`);
      const refused = await page.press('Adjust the wallet', {
        fields: { amount_cents: '-5', description: MARKUP, sure: 'true' },
      });
      assert.equal(refused.status, 400);
      assert(refused.text.includes(MARKUP) && !refused.html.includes(MARKUP));
      const done = await page.press('Adjust the wallet', {
        fields: { amount_cents: '2.50', description: 'Welcome', sure: 'true' },
      });
      assert.match(done.text, /Available\$2\.50/);
    });

    it('reads the code of a skill and approves it, rejects a change of it, and takes it down', async () => {
      const script = `return '${MARKUP}';`;
      const step = { type: 'script', label: 'one', runtime: 'javascript', script };
      const { id } = await publish(operator, { execution_mode: 'source', execution_steps: [step] });
      const show = async (): Promise<Skill> => assertStatus(await operator.get<Skill>(`/v1/skills/${id}`), 200);
      const page = await browser.open(`/dashboard/skill-reviews/${id}`);
      assert(page.text.includes(script) && !page.html.includes(MARKUP));
      const approved = await page.press('Approve the skill');
      assert.match(approved.notices[0] ?? '', /^It is approved/);
      assert.equal((await show()).status, 'active');

      assertStatus(await operator.patch(`/v1/skills/${id}`, { description: MARKUP }), 200);
      // Other tests leave skills that wait too, so the newest may be on a later page.
      const waiting = await browser.open('/dashboard/skill-reviews');
      assert.match(waiting.text, /SkillWaitsSince/);
      const change = await browser.open(`/dashboard/skill-reviews/${id}`);
      assert(change.text.includes(MARKUP) && !change.html.includes(MARKUP));
      const rejected = await change.press('Reject the change', { fields: { reason: 'It says nothing.' } });
      assert.match(rejected.notices[0] ?? '', /^It is rejected/);
      assert.equal((await show()).review.rejection_reason, 'It says nothing.');

      const down = await (
        await browser.open(`/dashboard/skill-reviews/${id}`)
      ).press('Take the skill down', { fields: { reason: 'Fraud.', sure: 'true' } });
      assert.match(down.notices[0] ?? '', /^It is taken down/);
      assert.equal((await show()).review.status, 'taken_down');
    });

    it('settles money that waits for a person', async () => {
      const payer = await buildOperator();
      const { transactionId } = await buildTopUp(payer, 1_000);
      const refund = await hangingRefund(payer, transactionId);
      const page = await browser.open(`/dashboard/cases?operator_id=${payer.operatorId}`);
      const reason = 'The provider made no such refund.';
      const settled = await page.press('Release what it holds', { card: refund, fields: { reason } });
      assert.match(settled.notices[0] ?? '', /^The refund is settled/);
      const empty = await browser.open(`/dashboard/cases?operator_id=${payer.operatorId}`);
      assert.match(empty.text, /Nothing fits these filters/);
    });

    it('leads to what has an id of another operator', async () => {
      const { id } = await buildInvocation(operator, (await buildSkill(operator)).id);
      const overseen = await browser.open(`/dashboard/overseen?id=${id}`);
      assert.match(overseen.text, /You see it as the platform/);
      assert.doesNotMatch(overseen.text, /hello/);
      const life = await overseen.follow(`invocation:${id}`);
      assert.match(life.text, /Its newest run in Temporal/);
      assert.match((await browser.open('/dashboard/overseen?id=x')).text, /Nothing of the platform has the id/);
      assert.equal((await browser.open('/dashboard/overseen/inv_x')).status, 404);
    });

    it('rotates the signing keys, and withdraws one that a person has chosen', async () => {
      const page = await browser.open('/dashboard/signing-keys');
      assert.throws(() => page.formOf('Withdraw the key'), /is to be filled in/);
      assert.match((await page.press('Rotate the keys')).notices[0] ?? '', /^The next key signs/);
    });
  });
});
