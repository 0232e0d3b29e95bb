import assert from 'node:assert/strict';
import { buildOperator, buildSkill, credit, echoSchema, unique } from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus } from '../../support/service.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';
import { complete, publish, sealedSkill } from '../support.ts';

const HOSTILE = `"><script>alert(1)</script>`;

/** A browser of a new operator's member, with money. */
async function buyer(
  cents = 500,
): Promise<{ browser: WebBrowser; operator: Awaited<ReturnType<typeof buildOperator>> }> {
  const operator = await buildOperator({ cents });
  return { operator, browser: browserOf(await buildPerson(operator, 'member')) };
}

describe('GET /dashboard/market', () => {
  it('shows what is on offer as cards, finds by words and tags, and gives CSV', async () => {
    const tag = unique('tag');
    const owner = await buildOperator();
    const { id, name } = await buildSkill(owner, {
      description: `Translates ${HOSTILE}`,
      tags: [tag, `a ${HOSTILE}`.slice(0, 30)],
      price_per_invocation: 25,
      trust_level_required: 'L1',
    });
    const { browser } = await buyer();
    const page = await browser.open(`/dashboard/market?tags=${tag}`);
    assert.match(page.text, new RegExp(`1 on offer.*${name}.*Translates.*\\$0\\.25.*L1.*open.*not rated yet.*0 runs`));
    assert.doesNotMatch(page.html, /<script>alert/);
    assert.match(page.html, /<details open><summary>More filters/, 'a filter that is set is in sight');
    assert.match((await browser.open('/dashboard/market')).html, /best match.*<details><summary>More filters/s);
    assert.equal((await page.follow(name)).path, `/dashboard/market/${id}`);
    const none = await browser.open(`/dashboard/market?tags=${tag}&trust_level=L2`);
    assert.match(none.text, /Nothing fits these filters/);
    const csv = await browser.open(`/dashboard/market?tags=${tag}&csv=skills`);
    assert.match(csv.html, new RegExp(`^"Id","Name".*\r\n"${id}","${name}"`));
    assert.match(page.html, new RegExp(`v1/skills\\?limit=24&amp;tags=${tag}`));
  });

  it('says how the first favourite comes about, and lists those there are', async () => {
    const { id, name } = await buildSkill(await buildOperator());
    const { browser } = await buyer();
    assert.match((await browser.open('/dashboard/market?tab=favourites')).text, /You have no favourites/);
    const offer = await browser.open(`/dashboard/market/${id}`);
    const added = await offer.press('Add to favourites');
    assert.match(added.notices.join(), /among your favourites/);
    assert.match((await browser.open('/dashboard/market?tab=favourites')).text, new RegExp(name));
    const removed = await added.press('Remove from favourites');
    assert.match(removed.notices.join(), /no favourite any more/);
    assert.deepEqual(
      removed.buttons().filter((label) => label.includes('favourites')),
      ['Add to favourites'],
    );
  });
});

describe('GET /dashboard/market/:id', () => {
  it('leads to a skill that could stand in for it', async () => {
    const property = unique('property');
    const schema = { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] };
    const schemas = { input_schema: schema, output_schema: schema };
    const { id } = await publish(await buildOperator(), schemas);
    const other = await publish(await buildOperator(), { ...schemas, name: unique('other'), price_per_invocation: 7 });
    const { browser } = await buyer();
    const page = await browser.open(`/dashboard/market/${id}`);
    assert.match(page.text, new RegExp(`Similar skills ${other.name}, \\$0\\.07`));
    assert.equal((await page.follow(other.name)).path, `/dashboard/market/${other.id}`);
  });

  it('has all that a buyer needs to know, with all that others wrote escaped', async () => {
    const owner = await buildOperator();
    const schema = {
      type: 'object',
      title: HOSTILE,
      properties: { [HOSTILE]: { type: 'string', title: HOSTILE, description: HOSTILE }, kind: { enum: [HOSTILE] } },
    };
    const skill = await publish(owner, {
      description: HOSTILE,
      price_per_invocation: 30,
      input_schema: schema,
      output_schema: schema,
      tags: [HOSTILE.slice(0, 25)],
    });
    assertStatus(await owner.patch(`/v1/skills/${skill.id}`, { version: '1.1.0' }), 200);
    const { browser } = await buyer();
    const page = await browser.open(`/dashboard/market/${skill.id}`);
    assert.doesNotMatch(page.html, /<script>alert/);
    assert.match(
      page.text,
      /\$0\.30 a run.*by its publisher.*L0.*A run costs \$0\.30.*Input.*kind.*choice.*Output.*Ratings.*Versions.*1\.1\.0.*1\.0\.0/,
    );
    assert.equal((await browser.open('/dashboard/market/skl_01K0000000000000000000000A')).status, 404);
    const csv = await browser.open(`/dashboard/market/${skill.id}?csv=versions`);
    assert.match(csv.html, /"1\.1\.0",30/);
  });

  it('is a redirect from the page of an own skill for everybody else', async () => {
    const { id } = await buildSkill(await buildOperator());
    const { browser } = await buyer();
    assert.equal((await browser.open(`/dashboard/skills/${id}`)).path, `/dashboard/market/${id}`);
  });

  it('takes a rating, and says that nobody rates their own skill', async () => {
    const owner = await buildOperator();
    const { id } = await buildSkill(owner);
    const { browser, operator } = await buyer();
    const invocation = await complete(operator, owner, id);
    const page = await browser.open(`/dashboard/invocations/${invocation}`);
    const rated = await page.press('Rate it', { fields: { rating: '4' } });
    assert.equal(rated.path, `/dashboard/market/${id}?done=rate`);
    assert.match(rated.text, /Your rating is counted.*★ 4 of 5\. Rated by 1; of them 1 completed a run/);
    const refused = await browser.send(`/dashboard/market/${id}`, new URLSearchParams({ act: 'rate', rating: '6' }));
    assert.equal(refused.status, 400);
    const own = await browserOf(await buildPerson(owner)).open(`/dashboard/market/${id}`);
    assert.match(own.text, /Nobody rates a skill of their own/);
  });

  it('shows the code of a skill whose source everybody may read, and no other', async () => {
    const owner = await buildOperator();
    const script = 'return { text: "shown to all" };';
    const code = { execution_script: script, execution_runtime: 'javascript' };
    const shown = await publish(owner, { execution_mode: 'source', ...code });
    const page = await browserOf(await buildPerson(owner)).open(`/dashboard/market/${shown.id}`);
    assert.match(page.text, /shown to all/);
    assert.match(page.text, /not on offer at present/, 'it waits for review');
    const hidden = await publish(owner, sealedSkill);
    const { browser } = await buyer();
    assert.equal((await browser.open(`/dashboard/market/${hidden.id}`)).status, 404);
  });
});

describe('POST /dashboard/try/:id', () => {
  it('begins a run of what was typed, for the price that was shown, and leads to its page', async () => {
    const owner = await buildOperator();
    const input_schema = {
      type: 'object',
      properties: {
        text: { type: 'string' },
        act: { enum: ['loud', 'quiet'] },
        'a.b': { type: 'integer' },
        key: { type: 'boolean' },
      },
      required: ['text'],
    };
    const { id } = await buildSkill(owner, { price_per_invocation: 25, input_schema });
    const { browser } = await buyer();
    const offer = await browser.open(`/dashboard/market/${id}`);
    const typed = { 'input.text': HOSTILE, 'input.act': 'quiet', 'input.a%2Eb': '7' };
    const run = await offer.press('Run it for $0.25', { fields: typed });
    assert.match(run.path, /^\/dashboard\/invocations\/inv_/);
    assert.match(run.text, /pending.*Price\$0\.25/);
    assert.match(run.text, /"act": "quiet", "a\.b": 7/);
    assert.doesNotMatch(run.html, /<script>alert/);
    assert.equal(
      (await offer.press('Run it for $0.25', { fields: typed })).path,
      run.path,
      'the same form is the same run',
    );
  });

  it('shows a form that was refused with what was typed and its faults, and holds nothing', async () => {
    const { id } = await buildSkill(await buildOperator(), {
      price_per_invocation: 25,
      input_schema: { type: 'object', properties: { text: { type: 'string', minLength: 5 } }, required: ['text'] },
    });
    const { browser, operator } = await buyer();
    const offer = await browser.open(`/dashboard/market/${id}`);
    const refused = await offer.press('Run it', { fields: { 'input.text': 'abc' } });
    assert.equal(refused.status, 400);
    assert.match(refused.html, /<textarea name="input.text"[^>]* aria-invalid="true">\nabc<\/textarea>/);
    assert.match(refused.html, /class="fault"/);
    const wallet = assertStatus(await operator.get<{ held_cents: number }>('/v1/billing/balance'), 200);
    assert.equal(wallet.held_cents, 0);
    assert.match((await refused.press('Run it', { fields: { 'input.text': 'abcdef' } })).path, /invocations/);
  });

  it('begins nothing where the skill is dearer by now', async () => {
    const owner = await buildOperator();
    const { id } = await buildSkill(owner, { price_per_invocation: 10 });
    const { browser } = await buyer();
    const offer = await browser.open(`/dashboard/market/${id}`);
    assertStatus(await owner.patch(`/v1/skills/${id}`, { price_per_invocation: 90 }), 200);
    const refused = await offer.press('Run it for $0.10', { fields: { 'input.text': 'a' } });
    assert.equal(refused.status, 409);
    assert.match(refused.notices[0] ?? '', /costs 90 cents now/);
    assert.deepEqual(
      refused.buttons().filter((label) => label.startsWith('Run')),
      ['Run it for $0.90'],
    );
  });

  it('takes JSON for a schema that no form can show, and of every other', async () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { type: 'string' }]));
    const { id } = await buildSkill(await buildOperator(), { input_schema: { type: 'object', properties } });
    const { browser } = await buyer();
    const offer = await browser.open(`/dashboard/market/${id}`);
    const refused = await offer.press('Run it', { fields: { input: '{"p1": 1}' } });
    assert.match(refused.html, /\{&quot;p1&quot;: 1\}[^]*class="fault">p1/);
    assert.match((await refused.press('Run it', { fields: { input: '{"p1": "x"}' } })).path, /invocations/);
    const { id: plain } = await buildSkill(await buildOperator(), { input_schema: echoSchema });
    const json = await (await browser.open(`/dashboard/market/${plain}`)).follow('Write JSON instead');
    const again = await json.press('Run it', { fields: { input: '{' } });
    assert.equal(again.status, 400);
    assert.match((await again.press('Run it', { fields: { input: '{"text":"x"}' } })).path, /invocations/);
  });

  it('is refused without money in the words of the API', async () => {
    const { id } = await buildSkill(await buildOperator(), { price_per_invocation: 25 });
    const { browser, operator } = await buyer(0);
    const offer = await browser.open(`/dashboard/market/${id}`);
    const refused = await offer.press('Run it', { fields: { 'input.text': 'kept' } });
    assert.equal(refused.status, 402);
    assert.match(refused.html, />\nkept<\/textarea>/);
    await credit(operator.operatorId, 100);
    assert.match((await refused.press('Run it')).path, /invocations/);
  });
});
