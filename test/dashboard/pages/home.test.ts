import assert from 'node:assert/strict';
import { buildAgent, buildOperator, buildSkill, credit, unique } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertStatus } from '../../support/service.ts';
import { browserOf, type WebPage } from '../../support/web-browser.ts';

const stepsOf = ({ text }: WebPage): string =>
  /First steps (.*?) What waits/.exec(text.replaceAll(/\s+/g, ' '))?.[1] ?? '';
const isDone = (page: WebPage, step: string): boolean => stepsOf(page).includes(`${step} done`);

describe('The first page of the console', () => {
  it('leads somebody new to a completed invocation that was paid, step by step, and then leaves the steps out', async () => {
    const [consumer, provider] = [await buildOperator(), await buildOperator()];
    const [buys, sells] = [browserOf(await signIn(consumer.email)), browserOf(await signIn(provider.email))];
    const start = await buys.open('/dashboard');
    assert.match(stepsOf(start), /^Buy 0 of 3 .* Sell 0 of 4 /);
    assert.match(start.text, /Nothing is ordered yet/);
    for (const step of ['Fill the wallet', 'Find a skill in the market', 'Publish a skill', 'Make an agent'])
      assert(start.links().some(({ text, href }) => text === step && href.startsWith('/dashboard/')));
    await credit(consumer.operatorId, 500);
    assert(isDone(await buys.open('/dashboard'), 'Fill the wallet'));
    const agent = await buildAgent(provider);
    const skill = await buildSkill(provider, { name: unique('skill'), price_per_invocation: 125 });
    assertStatus(await provider.post('/v1/passports/issue', { agent_id: agent.id }), 201);
    const made = await sells.open('/dashboard');
    for (const step of ['Publish a skill', 'Make an agent', 'Issue a passport']) assert(isDone(made, step), step);
    assert.match(stepsOf(made), /^Buy 0 of 3 .* Sell 3 of 4 /);
    const ordered = await consumer.post<{ id: string }>(`/v1/skills/${skill.id}/invoke`, { input: { text: 'x' } });
    const { id } = assertStatus(ordered, 201);
    const held = await buys.open('/dashboard');
    assert(isDone(held, 'Invoke it'));
    assert.match(stepsOf(held), /^Buy 3 of 3 .* Sell 0 of 4 /);
    assert.match(held.text, /Available in the wallet \$3\.75 Held \$1\.25/);
    assert(held.links().some(({ href }) => href === `/dashboard/invocations/${id}`));
    const waiting = await sells.open('/dashboard');
    assert.match(waiting.text, /1 order waits until you claim it/);
    assert.doesNotMatch(waiting.text, /Nothing waits/);
    assert(waiting.links().some(({ href }) => href === '/dashboard/invocations?side=waiting'));
    assert.match(held.text, /Nothing waits for you/);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
    assert.match((await sells.open('/dashboard')).text, /Nothing waits for you/);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'X' } }), 200);
    for (const browser of [buys, sells]) {
      const done = await browser.open('/dashboard');
      assert.equal(stepsOf(done), '');
      assert.match(done.text, /completed/);
    }
    const earned = await sells.open('/dashboard');
    assert.match(earned.text, /Earned, to be paid out \$1\.25/);
    assert.match(earned.text, /ordered of you/);
    assert.match(earned.text, /Metered actions \d+ of \d+/);
  });

  it('keeps the steps after a test of one’s own skill, which nobody pays', async () => {
    const operator = await buildOperator();
    const skill = await buildSkill(operator, { name: unique('skill') });
    const made = await operator.post<{ id: string }>(`/v1/skills/${skill.id}/invoke`, { input: { text: 'x' } });
    const { id } = assertStatus(made, 201);
    assertStatus(await operator.post(`/v1/skills/invocations/${id}/claim`), 200);
    assertStatus(await operator.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'X' } }), 200);
    const page = await browserOf(await signIn(operator.email)).open('/dashboard');
    assert.match(stepsOf(page), /^Buy 0 of 3 .* Sell 1 of 4 /);
    assert.match(page.text, /a test of your own/);
  });

  it('is there for members too, and brings itself up to date', async () => {
    const operator = await buildOperator({ tier: 'business' });
    const member = await buildPerson(operator, 'member');
    const page = await browserOf(member).open('/dashboard');
    assert.equal(page.status, 200);
    assert.match(page.html, /data-stream="\/dashboard\/live\?/);
    for (const part of ['money', 'first-steps', 'waits', 'newest', 'usage'])
      assert(page.html.includes(`<div id="${part}" data-live>`), part);
  });

  it('keeps the navigation where a page of the console is refused', async () => {
    const browser = browserOf(await signIn((await buildOperator()).email));
    const page = await browser.open('/dashboard/invocations/inv_01K0000000000000000000000A');
    assert.equal(page.status, 404);
    assert.match(page.text, /Error 404/);
    assert(page.links().some(({ href }) => href === '/dashboard/invocations'));
    assert.match(page.account, /Sign out/);
  });
});
