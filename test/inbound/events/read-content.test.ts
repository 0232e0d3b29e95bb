import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { readContent } from '../../../src/inbound/events/read-content.ts';
import type { ReadContent } from '../../../src/inbound/events/schema.ts';
import { createScanner, standardLimits } from '../../../src/inbound/scanner/index.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { callOf, ownContext } from '../../invocations/own-context.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn, type Person } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, type Requester } from '../../support/service.ts';
import { auditOf } from '../endpoints/support.ts';
import { HOSTILE } from '../support/endpoints.ts';
import { buildHeldMail, encryptionOfService, replaceBody, sha256Of, type HeldMail } from '../support/held-mails.ts';

describe('GET /v1/operator/inbound-webhooks/:id/events/:eventId/content', function () {
  this.timeout(60_000);
  let operator: TestOperator;
  let owner: Person;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    owner = await signIn(operator.email);
  });

  const hold = (mail: Record<string, string>): Promise<HeldMail> => buildHeldMail(operator, mail);
  const read = ({ path }: Pick<HeldMail, 'path'>, by: Requester = owner) => by.get<ReadContent>(`${path}/content`);
  const textAt = ({ passages }: ReadContent, place: string): string | undefined =>
    passages
      .find((one) => one.place === place)
      ?.parts.map(({ text }) => text)
      .join('');

  it('has sender, subject and text, with what each finding names marked', async () => {
    const held = await hold({ to: 'agent@example.com', subject: 'Invoice', text: `Hello.\n${HOSTILE}` });
    const content = assertStatus(await read(held), 200);
    assert.deepEqual(
      ['from', 'to', 'subject', 'text'].map((place) => textAt(content, place)),
      ['Eve <eve@example.com>', 'agent@example.com', 'Invoice', `Hello.\n${HOSTILE}`],
    );
    const { event_id: eventId, attempt, body_sha256: sha256, state, explanation } = content;
    assert.deepEqual([eventId, attempt, sha256, state, explanation], [held.id, 1, sha256Of(held.body), 'read', null]);
    assert.notEqual(held.findings.length, 0);
    for (const [finding, { place, span }] of held.findings.entries()) {
      const parts = content.passages.find((one) => one.place === place)?.parts ?? [];
      const marked = parts.filter((part) => part.findings.includes(finding)).map(({ text }) => text);
      assert.equal(marked.join(''), textAt(content, place)?.slice(span.start, span.end));
      assert.notEqual(marked.join(''), '');
    }
  });

  it('shows what is not seen as its code, in places that the sender names too', async () => {
    const held = await hold({ subject: 'In\u202evoice\u200b', text: HOSTILE, 'x\u202ey': 'a\u{e0041}b' });
    const content = assertStatus(await read(held), 200);
    assert.equal(textAt(content, 'subject'), 'In[U+202E]voice[U+200B]');
    assert.equal(textAt(content, '/x[U+202E]y'), 'a[U+E0041]b');
  });

  it('has an audit event for each read, with who it was', async () => {
    const held = await hold({ subject: 'Audited', text: HOSTILE });
    const admin = await buildPerson(operator);
    assertStatus(await read(held), 200);
    assertStatus(await read(held, admin), 200);
    const audited = await auditOf(held.id);
    assert.deepEqual(
      audited.map(({ action, detail }) => [action, detail]),
      Array.from({ length: 2 }, () => [
        'inbound_event.content_read',
        { endpoint_id: held.endpoint, attempt: 1, state: 'read' },
      ]),
    );
    assert(audited[1]?.actor.includes(admin.memberId));
    assert.notEqual(audited[0]?.actor, audited[1]?.actor);
  });

  it('is for owners and administrators who are signed in, and audits no refusal', async () => {
    const held = await hold({ subject: 'Refused', text: HOSTILE });
    assertProblem(await read(held, anonymous()), 'UNAUTHENTICATED');
    assertProblem(await read(held, operator), 'DASHBOARD_SESSION_REQUIRED');
    assertProblem(await read(held, await buildPerson(operator, 'member')), 'ADMIN_REQUIRED');
    const other = await buildOperator();
    const theirs = await buildHeldMail(other, { text: HOSTILE });
    assertProblem(await read(held, await signIn(other.email)), 'NOT_FOUND');
    assertProblem(await read({ path: held.path.replace(held.id, theirs.id) }), 'NOT_FOUND');
    assertProblem(await read({ path: held.path.replace(held.endpoint, theirs.endpoint) }), 'NOT_FOUND');
    assertProblem(await read({ path: held.path.replace(held.id, newId('iev')) }), 'NOT_FOUND');
    assert.deepEqual(await auditOf(held.id), []);
  });

  it('says where the content is purged, or no key opens it', async () => {
    const pool = await database();
    const held = await hold({ subject: 'Gone', text: HOSTILE });
    await run(pool, sql.fragment`update inbound_contents set sealed = 'x' where event_id = ${held.id}`);
    const lost = assertStatus(await read(held), 200);
    assert.deepEqual([lost.state, lost.body_sha256, lost.passages], ['key_unavailable', null, []]);
    assert.match(lost.explanation ?? '', /ENCRYPTION_KEY/);
    await run(pool, sql.fragment`delete from inbound_contents where event_id = ${held.id}`);
    const purged = assertStatus(await read(held), 200);
    assert.deepEqual([purged.state, purged.body_sha256, purged.passages], ['purged', null, []]);
    assert.match(purged.explanation ?? '', /no longer kept/);
  });

  it('has the beginning as it came where nobody can read it as its provider means it', async () => {
    const held = await hold({ subject: 'Raw', text: HOSTILE });
    const body = Buffer.from(`{"text": "${HOSTILE}\u202e`.padEnd(9_000, 'a'));
    await replaceBody(held.id, body);
    const content = assertStatus(await read(held), 200);
    const [part, ...others] = content.passages.flatMap(({ parts }) => parts);
    assert.deepEqual([content.state, part?.findings, part?.left_out, others], ['raw', [], body.length - 8_000, []]);
    assert(part?.text.startsWith(`{"text": "${HOSTILE}[U+202E]aaa`));
    assert.match(content.explanation ?? '', /not be read as a mail or JSON, so its beginning is shown as it came/);
  });

  it('has the beginning as it came where the service is too busy to read it, and says so', async () => {
    const held = await hold({ subject: 'Busy', text: HOSTILE });
    const full = createScanner({ ...standardLimits, bytesInFlight: 0 });
    const own = await ownContext();
    const context = {
      ...own.context,
      pool: await database(),
      encryption: await encryptionOfService(),
      contentReader: full,
    };
    const call = callOf(operator.operatorId, 'readInboundEventContent');
    const { body } = await readContent(context, call, { endpointId: held.endpoint, id: held.id });
    await own.close();
    assert.equal(body.state, 'raw');
    assert.match(body.explanation ?? '', /too busy to read it now \(look again in a moment\)/);
  });
});
