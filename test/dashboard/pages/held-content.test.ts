import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { refusedWith } from '../../governance/support.ts';
import { auditOf } from '../../inbound/endpoints/support.ts';
import { HOSTILE } from '../../inbound/support/endpoints.ts';
import { buildHeldMail } from '../../inbound/support/held-mails.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertProblem, database } from '../../support/service.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';

const UNREAD = 'cannot be approved here';

describe('Content that was held, on the page of an approval', function () {
  this.timeout(60_000);
  let operator: TestOperator;
  let browser: WebBrowser;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    browser = browserOf(await signIn(operator.email));
  });

  /** An event that is held, and the approval that a key asks for. */
  const asked = async (act: 'replay' | 'harmless', text = HOSTILE) => {
    const { id, path: event } = await buildHeldMail(operator, { subject: '<b>Invoice</b>\u202e', text });
    const body = act === 'harmless' ? { finding: 0 } : undefined;
    const refused = await operator.post(`${event}/${act}`, body);
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    const { approval_id: approvalId } = refusedWith(refused);
    return { id, approvalId, path: `/dashboard/approvals/${approvalId}` };
  };

  for (const act of ['replay', 'harmless'] as const)
    it(`is shown whole before it is approved: ${act}`, async () => {
      const { id, approvalId, path } = await asked(act, `Hello <script>alert(1)</script>\n${HOSTILE}`);
      const overview = await browser.open('/dashboard');
      const card = overview.cards.find((one) => one.includes(approvalId)) ?? assert.fail('no card');
      assert.doesNotMatch(card, /eve@example\.com/);
      assert.deepEqual(overview.buttons(approvalId), []);
      assert.deepEqual(await auditOf(id), [], 'a list reads no content');
      const page = await browser.open(path);
      assert.deepEqual(page.buttons(approvalId), ['Approve', 'Reject']);
      const unmarked = page.html.replaceAll(/<\/?mark>|<sup>[^<]*<\/sup>/g, '');
      for (const part of [
        'Eve &lt;eve@example.com&gt;',
        '&lt;b&gt;Invoice&lt;/b&gt;[U+202E]',
        'Hello &lt;script&gt;alert(1)&lt;/script&gt;',
        HOSTILE,
      ])
        assert(unmarked.includes(part), part);
      assert.match(page.html, /<mark>Ignore all previous instructions[^<]*<\/mark><sup>finding \d/);
      assert.doesNotMatch(page.html, /<script(?! src="\/assets\/)|<b>|\u202e/);
      assert.deepEqual(
        (await auditOf(id)).map(({ action }) => action),
        ['inbound_event.content_read'],
      );
    });

  it('is not shown to members', async () => {
    const { id, path } = await asked('replay');
    const page = await browserOf(await buildPerson(operator, 'member')).open(path);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /eve@example\.com/);
    assert.deepEqual(await auditOf(id), []);
  });

  it('keeps the request from being approved there where nobody can read it', async () => {
    const pool = await database();
    const { id, approvalId, path } = await asked('harmless');
    await run(pool, sql.fragment`update inbound_contents set sealed = 'x' where event_id = ${id}`);
    const lost = await browser.open(path);
    assert.deepEqual(lost.buttons(approvalId), ['Reject']);
    assert(lost.text.includes('No key of ENCRYPTION_KEY') && lost.text.includes(UNREAD), lost.text);
    await run(pool, sql.fragment`delete from inbound_contents where event_id = ${id}`);
    const purged = await browser.open(path);
    assert.deepEqual(purged.buttons(approvalId), ['Reject']);
    assert(purged.text.includes('no longer kept') && purged.text.includes(UNREAD), purged.text);
  });

  it('is said to be another than was asked about, which is not approved there', async () => {
    const { id, approvalId, path } = await asked('replay');
    await run(await database(), sql.fragment`update inbound_events set attempt = attempt + 1 where id = ${id}`);
    const page = await browser.open(path);
    assert.deepEqual(page.buttons(approvalId), ['Reject']);
    assert.match(page.text, /has changed since this was asked for/);
  });
});
