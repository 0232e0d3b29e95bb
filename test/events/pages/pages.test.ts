import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertProblem, assertStatus, database } from '../../support/service.ts';
import { eventually } from '../../support/eventually.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';

const PATH = '/dashboard/events';

describe('The pages of events', function () {
  this.timeout(60_000);
  let operator: TestOperator;
  let browser: WebBrowser;
  before(async () => {
    operator = await buildOperator();
    browser = browserOf(await signIn(operator.email));
  });

  const record = async (payload: object, { operatorId } = operator): Promise<string> =>
    (await database()).oneFirst(sql.type(z.object({ id: z.string() }))`
      select record_service_event(${operatorId}, 'passport.flagged', 'warning', ${JSON.stringify(payload)}::json) as id`);

  it('list what happened, and show one', async () => {
    assert.match((await browser.open(PATH)).text, /No event was written in the last 30 days/);
    const id = await record({ agent_id: 'ag_01K0000000000000000000000A', note: '<script>alert(1)</script>\u202e' });
    const page = await eventually('the event to be shown', async () => {
      const found = await browser.open(PATH);
      return found.text.includes(id) ? found : undefined;
    });
    const shown = await page.follow(id);
    assert.equal(shown.title, 'Event');
    assert(shown.html.includes('&lt;script&gt;alert(1)&lt;/script&gt;\\u202e'), shown.html);
    assert(shown.links().some(({ href }) => href === '/dashboard/agents/ag_01K0000000000000000000000A'));
    assert((await browser.open(`${PATH}?event_type=agent.blocked`)).text.includes('Nothing fits'));
    assert.equal((await browser.open(`/dashboard/search?q=${id}`)).title, 'Event');
  });

  it('begin with the newest, and lead to what is older', async () => {
    const own = await buildOperator();
    const reader = browserOf(await signIn(own.email));
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(await record({ n }, own));
    const rows = ({ html }: { html: string }): string[] => html.match(/evt_\w+(?=<\/code>)/g) ?? [];
    const first = await eventually('all to be shown', async () => {
      const page = await reader.open(`${PATH}?limit=2&event_type=passport.flagged`);
      return rows(page)[0] === ids[2] ? page : undefined;
    });
    assert.deepEqual(rows(first), [ids[2], ids[1]]);
    const older = await first.follow('Older');
    assert.deepEqual(rows(older), [ids[0]]);
    assert.deepEqual(rows(await older.follow('Newest')), ids.toReversed());
  });

  it('are read by members, and of the own operator', async () => {
    const id = await record({});
    const member = browserOf(await buildPerson(operator, 'member'));
    const page = await member.open(`${PATH}/${id}`);
    assert.equal(page.status, 200);
    assert(!page.links().some(({ text }) => text === 'Where it was sent'));
    const other = await record({}, await buildOperator());
    assert.equal((await browser.open(`${PATH}/${other}`)).status, 404);
  });

  it('call GET /v1/events/:id, which is of the own operator', async () => {
    const id = await record({ n: 1 });
    const shown = assertStatus(await operator.get<{ id: string; payload: object }>(`/v1/events/${id}`), 200);
    assert.deepEqual([shown.id, shown.payload], [id, { n: 1 }]);
    assertProblem(await (await buildOperator()).get(`/v1/events/${id}`), 'NOT_FOUND');
  });
});
