import assert from 'node:assert/strict';
import { buildInvocation, buildOperator, buildSkill, echoSchema } from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
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
    const page = await list.follow(id);
    assert(!page.html.includes('<script>alert'));
    const claimed = await page.press('Claim it');
    assert.match(claimed.notices[0] ?? '', /claimed/);
    const twice = await page.press('Claim it');
    assert.match(twice.notices[0] ?? '', /claimed/, 'the same form again is the same call');
    const wrong = await claimed.press('Complete it', { fields: { output: '{"text": 1}' } });
    assert.equal(wrong.status, 400);
    assert.match(wrong.html, /\{&quot;text&quot;: 1\}/, 'it keeps what was typed');
    const done = await wrong.press('Complete it', { fields: { output: JSON.stringify({ text: HOSTILE }) } });
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

  it('let a consumer withdraw what nobody has claimed', async () => {
    const consumer = await buildOperator({ cents: 100 });
    const { id: skillId } = await buildSkill(await buildOperator(), { price_per_invocation: 25 });
    const { id } = await buildInvocation(consumer, skillId);
    const page = await browserOf(await buildPerson(consumer)).open(`/dashboard/invocations/${id}`);
    const withdrawn = await page.press('Withdraw it');
    assert.match(withdrawn.text, /CANCELLED_BY_CONSUMER/);
  });
});
