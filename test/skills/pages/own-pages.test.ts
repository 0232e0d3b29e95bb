import assert from 'node:assert/strict';
import { buildOperator, buildSkill, unique } from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
import { assertStatus, platform } from '../../support/service.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';
import { approve, publish, sellersSkill } from '../support.ts';

const HOSTILE = `"><script>alert(1)</script>`;

describe('Pages of own skills', () => {
  let owner: Awaited<ReturnType<typeof buildOperator>>;
  let browser: WebBrowser;
  before(async () => {
    owner = await buildOperator({ cents: 500 });
    browser = browserOf(await buildPerson(owner, 'member'));
  });

  it('say how the first comes about, publish it from a form, and list it', async () => {
    const empty = await browserOf(await buildPerson(await buildOperator())).open('/dashboard/skills');
    assert.match(empty.text, /You offer nothing yet/);
    const form = await (await browser.open('/dashboard/skills')).follow('Publish a skill');
    const name = unique('typed');
    const typed = { name, description: HOSTILE, price_per_invocation: '0.25', tags: 'one\ntwo' };
    const page = await form.press('Publish it', { fields: typed });
    assert.match(page.path, /^\/dashboard\/skills\/skl_/);
    assert.match(page.text, /active.*\$0\.25 a run/);
    assert.doesNotMatch(page.html, /<script>alert/);
    const list = await browser.open('/dashboard/skills');
    assert.match(list.text, new RegExp(`${name}.*1\\.0\\.0.*active.*exempt.*\\$0\\.25`));
    assert.equal((await list.follow(name)).title, name);
  });

  it('keep all that was typed where it is refused, with each fault at its field', async () => {
    const form = await browser.open('/dashboard/skills/new');
    const script = `return ${HOSTILE}; // ${'x'.repeat(30_000)}`;
    const typed = {
      name: 'Not A Name',
      description: 'kept',
      input_schema: '{"type": "nonsense"}',
      execution_script: script,
    };
    const refused = await form.press('Publish it', {
      fields: { ...typed, execution_runtime: 'javascript', execution_mode: 'sealed' },
    });
    assert.equal(refused.status, 400);
    assert.match(refused.html, /value="Not A Name"[^>]*aria-invalid="true"[^]*class="fault"/);
    assert(refused.html.includes('x'.repeat(30_000)), 'the code is there');
    assert.doesNotMatch(refused.html, /<script>alert/);
    assert.match(refused.html, /<option value="sealed" selected>/);
    const schema = await refused.press('Publish it', {
      fields: { name: unique('typed'), execution_script: 'return {};' },
    });
    assert.equal(schema.status, 400);
    assert.match(schema.html, /nonsense[^]*class="fault">type: /, 'the schema is checked too');
    const page = await schema.press('Publish it', { fields: { input_schema: '{"type": "object"}' } });
    assert.match(page.text, /pending review.*It is public once the platform has approved it/);
  });

  it('check a skill and an input of it before it is published, by the form that buyers will see', async () => {
    const form = await browser.open('/dashboard/skills/new');
    const name = unique('checked');
    const press = 'Check it, and try its form';
    const unsound = await form.press(press, {
      fields: { name, description: 'd', input_schema: '{"type": "nonsense"}' },
    });
    assert.equal(unsound.status, 400);
    assert.match(unsound.html, /nonsense[^]*class="fault">type: /);
    assert.doesNotMatch(unsound.text, /Try its input/);
    const schema = {
      type: 'object',
      properties: { count: { type: 'integer', minimum: 2, title: HOSTILE } },
      required: ['count'],
    };
    const sound = await unsound.press(press, { fields: { input_schema: JSON.stringify(schema) } });
    assert.match(sound.notices.join(), /It can be published/);
    assert.match(sound.text, /Try its input/);
    assert.match(sound.html, /<details class="card"><summary>Code/, 'that which nobody typed into stays folded');
    assert(sound.links().some(({ href }) => href === '#try'));
    assert.doesNotMatch(sound.html, /<script>alert/);
    assert.equal(sound.formOf('Publish it', { fields: { 'input.count': '1' } }).values.get('name'), name, 'it is kept');
    const misfit = await sound.press('Check this input', { fields: { 'input.count': '1' } });
    assert.equal(misfit.status, 400);
    assert.match(misfit.html, /name="input.count"[^>]*value="1"[^>]*aria-invalid/);
    const fits = await misfit.press('Check this input', { fields: { 'input.count': '2' } });
    assert.match(fits.notices.join(), /takes this input/);
    assert.doesNotMatch((await browser.open('/dashboard/skills')).text, new RegExp(name), 'nothing is published yet');
    const page = await fits.press('Publish it');
    assert.equal(page.title, name);
  });

  it('publish steps as JSON, beside which a single script says nothing', async () => {
    const form = await browser.open('/dashboard/skills/new');
    const steps = [{ type: 'script', label: HOSTILE, runtime: 'javascript', script: 'return input;' }];
    const page = await form.press('Publish it', {
      fields: {
        name: unique('typed'),
        description: 'steps',
        execution_mode: 'sealed',
        execution_steps: JSON.stringify(steps),
      },
    });
    assert.match(page.text, /pending review.*Its code, which never changes.*steps/);
    assert.doesNotMatch(page.html, /<script>alert/);
  });

  it('change the skill, show its versions, and take it offline and back', async () => {
    const { id } = await buildSkill(owner, { tags: ['one'] });
    const page = await browser.open(`/dashboard/skills/${id}`);
    const refused = await page.press('Change it', { fields: { version: 'v2', description: 'typed' } });
    assert.match(refused.html, /value="v2"[^>]*aria-invalid[^]*SemVer/);
    const changed = await refused.press('Change it', { fields: { version: '2.0.0', tags: '' } });
    assert.match(changed.text, /It is changed.*typed.*2\.0\.0 1\.0\.0|It is changed/);
    assert.deepEqual(
      assertStatus(await owner.get<{ tags: string[]; version: string }>(`/v1/skills/${id}`), 200).tags,
      [],
    );
    const unlisted = await changed.press('Take it out of the market');
    assert.match(unlisted.text, /unlisted/);
    assert.equal(
      (await browser.send(page.path, new URLSearchParams({ act: 'suspend' }))).status,
      400,
      'it asks to be sure',
    );
    const suspended = await unlisted.press('Take it offline', { fields: { sure: 'true' } });
    assert.match(suspended.notices.join(), /Nobody can invoke it any more/);
    const back = await suspended.press('Bring it back');
    assert.match(back.text, /active/);
    const foreign = browserOf(await buildPerson(await buildOperator()));
    assert.equal((await foreign.open('/dashboard/skills/skl_01K0000000000000000000000A')).status, 404);
  });

  it('show what the platform decided, and a change that waits as it was asked for', async () => {
    const code = { execution_mode: 'sealed', execution_script: 'return input;', execution_runtime: 'javascript' };
    const { id } = await publish(owner, code);
    assertStatus(await platform().post(`/v1/skills/${id}/reject`, { reason: HOSTILE }), 200);
    const rejected = await browser.open(`/dashboard/skills/${id}`);
    assert.match(rejected.notices.join(), /script/);
    assert.doesNotMatch(rejected.html, /<script>alert/);
    await rejected.press('Bring it back');
    await approve(id);
    const page = await browser.open(`/dashboard/skills/${id}`);
    const waiting = await page.press('Change it', { fields: { description: 'another promise' } });
    assert.match(waiting.text, /A change waits for the platform/);
    const priced = await waiting.press('Change it', { fields: { price_per_invocation: '$0.07' } });
    assert.match(priced.text, /A change waits for the platform.*\$0\.07 a run/, 'it is not withdrawn');
  });

  it('try a skill before its review, without a price', async () => {
    const code = {
      execution_mode: 'sealed',
      execution_script: 'return input;',
      execution_runtime: 'javascript',
      price_per_invocation: 40,
    };
    const { id } = await publish(owner, code);
    const page = await browser.open(`/dashboard/skills/${id}`);
    assert.match(page.text, /You pay no price for it\. Executing it costs at most \$0\.\d\d/);
    const run = await page.press('Run it', { fields: { 'input.text': 'hello' } });
    assert.match(run.path, /^\/dashboard\/invocations\/inv_/);
  });

  it('have no button that a member may not press', async () => {
    const admin = await buildPerson(owner);
    const { id } = assertStatus(
      await admin.post<{ id: string }>('/v1/skills', {
        name: unique('sellers'),
        description: 'by key',
        version: '1.0.0',
        input_schema: {},
        output_schema: {},
        trust_level_required: 'L0',
        ...sellersSkill,
      }),
      201,
    );
    await approve(id);
    assertStatus(await owner.post(`/v1/skills/${id}/suspend`), 200);
    const page = await browser.open(`/dashboard/skills/${id}`);
    assert(!page.buttons().includes('Bring it back'));
    assert.match(page.text, /An owner or administrator brings it back/);
    assert((await browserOf(admin).open(`/dashboard/skills/${id}`)).buttons().includes('Bring it back'));
  });
});
