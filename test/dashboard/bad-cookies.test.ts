import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { buildOperator } from '../support/factories.ts';
import { buildPerson } from '../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, service } from '../support/service.ts';

const CURRENT = '/v1/dashboard/sessions/current';
const PAGES = ['/dashboard', '/dashboard/approvals/apr_01K0000000000000000000000A'];

/** Values of the cookie that no sign-in ever gave. */
const garbled: [what: string, value: string][] = [
  ['empty', ''],
  ['one letter', 'A'],
  ['a token of nobody', 'A'.repeat(43)],
  ['4,000 letters', 'A'.repeat(4_000)],
  ['an escape that is none', '%E0%A4%A'],
  ['an escaped NUL', '%00'.repeat(43)],
  ['bytes that are no UTF-8', 'ÿþ'.repeat(20)],
  ['in quotation marks', `"${'A'.repeat(43)}"`],
  ['JSON', '{"session":null}'],
  ['SQL', `' or '1'='1`],
  ['a JWT', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'],
  ['the name of a member of every object', '__proto__'],
];

const shown = (path: string, cookie: string): Promise<Response> =>
  fetch(service().baseUrl + path, { headers: { cookie }, redirect: 'manual' });

/** A call is 401, and a page leads to the sign-in. */
async function assertSignedOut(cookie: string): Promise<void> {
  assertProblem(await anonymous().get(CURRENT, { cookie }), 'UNAUTHENTICATED');
  for (const path of PAGES) {
    const { status, headers } = await shown(path, cookie);
    assert.equal(status, 303, path);
    assert.match(headers.get('location') ?? '', /^\/dashboard\/sign-in/);
  }
  assert.equal((await shown('/dashboard/sign-in', cookie)).status, 200);
}

describe('A session cookie that opens nothing is 401, and leads pages to the sign-in:', () => {
  for (const [what, value] of garbled) {
    it(what, () => assertSignedOut(`carnet_session=${value}`));
  }

  it('of a session that has expired, which opened all of that before', async () => {
    const operator = await buildOperator();
    const [person, other] = [await buildPerson(operator), await buildPerson(operator, 'member')];
    assert.equal((await shown('/dashboard', person.cookie)).status, 200);
    const pool = await database();
    await pool.query(sql.type(z.object({}))`
      update dashboard_sessions set expires_at = clock_timestamp() where member_id = ${person.memberId}`);
    // A change of the members drops the credential that the process remembers.
    assertStatus(await operator.delete(`/v1/members/${other.memberId}`), 200);
    await assertSignedOut(person.cookie);
  });
});
