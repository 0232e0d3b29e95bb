import assert from 'node:assert/strict';
import { buildAgent, buildOperator, buildSkill, unique } from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
import { browserOf } from '../../support/web-browser.ts';

const find = (text: string): string => `/dashboard/search?${new URLSearchParams({ q: text }).toString()}`;

describe('The search', () => {
  it('leads an id to its page, and says of one without a page where it is seen', async () => {
    const operator = await buildOperator();
    const browser = browserOf(await buildPerson(operator));
    const found = await browser.open(find('key_01K9ZC4T0M3Q8V6W2X5Y7ZABCD'));
    assert.equal(found.path, '/dashboard/keys/key_01K9ZC4T0M3Q8V6W2X5Y7ZABCD');
    assert.match(
      (await browser.open(find('chk_01K9ZC4T0M3Q8V6W2X5Y7ZABCD'))).text,
      /No page is about .*GET \/v1\/passports/,
    );
    assert.match((await browser.open(find('op_01K9ZC4T0M3Q8V6W2X5Y7ZABCD'))).text, /seen by the platform alone/);
    const own = await browser.open(find(operator.operatorId));
    assert.equal((await own.follow(`The operator ${operator.operatorId}`)).path, '/dashboard/operator');
  });

  it('finds by a part of the name what the operator has, and skills of the market, and nothing of others', async () => {
    const word = unique('zeppelin');
    const [operator, other] = [await buildOperator(), await buildOperator()];
    const { id: agent } = await buildAgent(operator, { name: `<b>${word.toUpperCase()}` });
    const { id: skill } = await buildSkill(operator, { name: `${word}-own` });
    const { id: offer } = await buildSkill(other, { name: `${word}-offer`, description: word });
    const { id: foreign } = await buildAgent(other, { name: word });
    const page = await browserOf(await buildPerson(operator, 'member')).open(find(word));
    for (const id of [agent, skill, offer]) assert(page.text.includes(id), id);
    assert(!page.text.includes(foreign));
    assert.doesNotMatch(page.html, /<b>/);
    assert.equal(page.text.split(skill).length, 2, 'an own skill that is on offer is found once');
    assert.equal((await page.follow(`${word}-offer`)).path, `/dashboard/market/${offer}`);
  });

  it('says that nothing is found, in the words that were typed', async () => {
    const browser = browserOf(await buildPerson(await buildOperator()));
    const page = await browser.open(find('<qqqqxqqq>'));
    assert.match(page.text, /Nothing of yours/);
    assert.match(page.html, /&lt;qqqqxqqq&gt;/);
    assert.match((await browser.open('/dashboard/search')).text, /leads to its page/);
  });
});
