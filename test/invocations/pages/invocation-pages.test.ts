import assert from 'node:assert/strict';
import { buildInvocation, buildOperator, buildSkill, echoSchema } from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus } from '../../support/service.ts';
import { browserOf } from '../../support/web-browser.ts';

const HOSTILE = '<script>alert(1)</script>';

describe('Pages of invocations', () => {
  it('let a provider claim and complete by buttons, and the consumer read the output', async () => {
    const provider = await buildOperator();
    const consumer = await buildOperator({ cents: 100 });
    const { id: skillId } = await buildSkill(provider, { price_per_invocation: 25, input_schema: echoSchema });
    const { id } = await buildInvocation(consumer, skillId, { input: { text: HOSTILE } });
    const atProvider = browserOf(await buildPerson(provider, 'member'));
    const list = await atProvider.open('/dashboard/invocations?side=provided');
    assert.match(list.text, new RegExp(`${id}.*pending.*\\$0\\.25`));
    assert((await atProvider.open('/dashboard/invocations')).text.includes(id), 'opens on a tab that has something');
    const page = await list.follow(id);
    assert(!page.html.includes('<script>alert'));
    const claimed = await page.press('Claim it');
    assert.match(claimed.notices[0] ?? '', /claimed/);
    const twice = await page.press('Claim it');
    assert.match(twice.notices[0] ?? '', /claimed/, 'the same form again is the same call');
    const asJson = await claimed.follow('Write JSON instead');
    const wrong = await asJson.press('Complete it', { fields: { output: '{"text": 1}' } });
    assert.equal(wrong.status, 400);
    assert.match(wrong.html, /\{&quot;text&quot;: 1\}/, 'it keeps what was typed');
    const form = await wrong.follow('Fill in a form');
    const done = await form.press('Complete it', { fields: { 'output.text': HOSTILE } });
    assert.match(done.text, /completed/);
    assert.deepEqual(
      done.buttons().filter((label) => label.endsWith('it')),
      [],
    );
    const atConsumer = await browserOf(await buildPerson(consumer)).open(`/dashboard/invocations/${id}`);
    assert.match(atConsumer.text, /alert\(1\)/);
    assert(!atConsumer.html.includes('<script>alert'));
    const stranger = browserOf(await buildPerson(await buildOperator()));
    assert.equal((await stranger.open(`/dashboard/invocations/${id}`)).status, 404);
  });

  it('bring output and buttons of an open page up to date, but no form that somebody may type into', async () => {
    const provider = await buildOperator();
    const consumer = await buildOperator({ cents: 100 });
    const { id: skillId } = await buildSkill(provider, { price_per_invocation: 25 });
    const { id } = await buildInvocation(consumer, skillId);
    const path = `/dashboard/invocations/${id}`;
    const [buys, sells] = [browserOf(await buildPerson(consumer)), browserOf(await buildPerson(provider))];
    const partOf = (html: string, part: string): string =>
      new RegExp(`<div id="${part}" data-live>(.*?)\\n</div>\\n`, 's').exec(html)?.[1] ?? '';
    assert.match(partOf((await buys.open(path)).html, 'acts'), /Withdraw it/);
    assert.match(partOf((await sells.open(path)).html, 'acts'), /Claim it/);
    const claimed = await (await sells.open(path)).press('Claim it');
    assert.match(claimed.text, /Input .*Deliver Text/, 'what came in stands beside the form that answers it');
    assert.equal(partOf(claimed.html, 'acts'), '');
    const wrong = await (await claimed.follow('Write JSON instead')).press('Complete it', { fields: { output: '[' } });
    assert(!wrong.notices.join().includes('It is claimed'), 'a refused form says nothing of what was done before');
    await claimed.press('Complete it', { fields: { 'output.text': 'done' } });
    const ended = (await buys.open(path)).html;
    assert.match(partOf(ended, 'contents'), /done/);
    assert.match(partOf(ended, 'rating'), /Rate it/);
  });

  it('name the operators of both sides as others know them', async () => {
    const provider = await buildOperator({ name: `Sellers ${HOSTILE}`, email: 'sellers@example.test' });
    const consumer = await buildOperator({ name: 'Buyers', email: 'buyers@example.test', cents: 100 });
    const { id: skillId } = await buildSkill(provider, { price_per_invocation: 25 });
    const { id } = await buildInvocation(consumer, skillId);
    const [buys, sells] = [browserOf(await buildPerson(consumer)), browserOf(await buildPerson(provider))];
    for (const [browser, sides, names] of [
      [buys, ['ordered'], `Consumer ?you Provider ?Sellers .* ${provider.operatorId}`],
      [sells, ['provided', 'waiting'], `Consumer ?Buyers ${consumer.operatorId} Provider ?you`],
    ] as const) {
      for (const side of sides) {
        const list = await browser.open(`/dashboard/invocations?side=${side}`);
        const other = side === 'ordered' ? provider : consumer;
        assert.match(list.text, side === 'ordered' ? /Provider.*Sellers/ : /Consumer.*Buyers/, side);
        assert(!list.text.includes(other.operatorId), 'the id is there on hover');
        assert(list.html.includes(`title="${other.operatorId}"`));
        assert(!list.html.includes('<script>alert'));
      }
      assert.match((await browser.open(`/dashboard/invocations/${id}`)).text, new RegExp(names));
    }
    const ofPlatform = browserOf(await buildPerson({ operatorId: 'op_platform' }, 'owner'));
    const overseen = await ofPlatform.open(`/dashboard/overseen/${id}`);
    assert.equal((await overseen.follow('Buyers')).path, `/dashboard/operators/${consumer.operatorId}`);
  });

  it('let a consumer withdraw what nobody has claimed', async () => {
    const consumer = await buildOperator({ cents: 100 });
    const { id: skillId } = await buildSkill(await buildOperator(), { price_per_invocation: 25 });
    const { id } = await buildInvocation(consumer, skillId);
    const page = await browserOf(await buildPerson(consumer)).open(`/dashboard/invocations/${id}`);
    const withdrawn = await page.press('Withdraw it', { fields: { sure: 'true' } });
    assert.match(withdrawn.text, /CANCELLED_BY_CONSUMER/);
  });

  it('list the work that waits with a button each, and say where none does', async () => {
    const provider = await buildOperator();
    const consumer = await buildOperator({ cents: 100 });
    const browser = browserOf(await buildPerson(provider, 'member'));
    const waiting = '/dashboard/invocations?side=waiting';
    assert.match((await browser.open(waiting)).text, /No work waits/);
    const { id: skillId, name } = await buildSkill(provider);
    const { id } = await buildInvocation(consumer, skillId);
    const list = await browser.open(waiting);
    assert.match(list.text, new RegExp(`${id} ?${name}`));
    const claimed = await list.press('Claim');
    assert.equal(claimed.path, `/dashboard/invocations/${id}?done=claim`);
    assert.match(claimed.text, /processing.*it has none: the claim holds until the invocation expires/);
    assert.match((await list.press('Claim')).text, /processing/, 'the same form again is the same call');
    const late = await browser.send('/dashboard/invocations', new URLSearchParams({ act: 'claim', id }));
    assert.equal(late.status, 409, 'another claim is refused on the list');
    assert.match(late.title, /Invocations/);
    const stranger = browserOf(await buildPerson(await buildOperator()));
    const foreign = await stranger.send('/dashboard/invocations', new URLSearchParams({ act: 'claim', id }));
    assert.equal(foreign.status, 404);
  });

  it('name the skill, keep a claim by a heartbeat, and lead to the run in Temporal', async () => {
    const provider = await buildOperator();
    const { id: skillId, name } = await buildSkill(provider);
    const { id } = await buildInvocation(await buildOperator({ cents: 100 }), skillId);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`, { lease_seconds: 3_600 }), 200);
    const page = await browserOf(await buildPerson(provider)).open(`/dashboard/invocations/${id}`);
    assert.match(page.text, /60 min|1 h/);
    assert(page.links().some(({ text, href }) => text === name && href === `/dashboard/skills/${skillId}`));
    const run = page.links().find(({ text }) => text === `invocation:${id}`);
    assert.match(run?.href ?? '', new RegExp(`/namespaces/[^/]+/workflows/invocation%3A${id}$`));
    const kept = await page.press('Keep the claim');
    assert.match(kept.notices.join(), /The claim holds on/);
  });

  it('show every state as CSV, with the name of the skill', async () => {
    const consumer = await buildOperator({ cents: 100 });
    const { id: skillId, name } = await buildSkill(await buildOperator(), { price_per_invocation: 25 });
    const { id } = await buildInvocation(consumer, skillId);
    const csv = await browserOf(await buildPerson(consumer)).open('/dashboard/invocations?csv=invocations');
    assert.match(csv.html, new RegExp(`"${id}","${name}","op_\\w+","pending",`));
  });
});
