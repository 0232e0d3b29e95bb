import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../../src/database/pool.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { lifeId } from '../../../../src/ids/life-ids.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  unique,
  type TestOperator,
} from '../../../support/factories.ts';
import { livesOf } from '../../../support/lives.ts';
import { openLocalPage } from '../../../support/local-payments.ts';
import { anonymous, assertProblem, assertStatus, database, service } from '../../../support/service.ts';
import { auditOf, buildSubscriber, openPortal } from '../support.ts';

const PATH = '/v1/billing/portal';

const Row = z.object({ id: z.string(), status: z.string(), url: z.string().nullable() });
const sessionsOf = async ({ operatorId }: TestOperator): Promise<readonly z.infer<typeof Row>[]> =>
  (await database()).any(
    sql.type(Row)`select id, status, url from portal_sessions where operator_id = ${operatorId} order by id`,
  );

describe('POST /v1/billing/portal', () => {
  it('is for administrators', async () => {
    const operator = await buildOperator();
    assertProblem(await anonymous().post(PATH), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).post(PATH), 'ADMIN_REQUIRED');
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    assertProblem(await agentKey.post(PATH), 'AGENT_CREDENTIAL_FORBIDDEN');
    assertProblem(await operator.post(PATH, { return_url: 'https://example.test' }), 'VALIDATION_ERROR', 'return_url');
  });

  it('opens a page for a customer and for an operator that never was one, and keeps no address of it', async () => {
    for (const operator of [await buildSubscriber('pro'), await buildOperator()]) {
      const { url } = assertStatus(await openPortal(operator), 200);
      assert.equal((await openLocalPage(url)).status, 200);
      const [session] = await sessionsOf(operator);
      assert.deepEqual([session?.status, session?.url], ['answered', null]);
      assert.equal((await auditOf(operator)).at(-1), 'portal.opened');
    }
  });

  it('makes one customer of an operator that opens several in parallel', async () => {
    const operator = await buildOperator();
    const replies = await Promise.all([1, 2, 3, 4].map(() => openPortal(operator)));
    const urls = replies.map((reply) => assertStatus(reply, 200).url);
    assert.equal(new Set(urls).size, 4);
    const customers = await (
      await database()
    ).oneFirst(sql.unsafe`
      select count(*)::int from payment_customers where operator_id = ${operator.operatorId}`);
    assert.equal(customers, 1);
  });

  it('answers the same page for the same Idempotency-Key', async () => {
    const operator = await buildOperator();
    const key = { 'idempotency-key': unique('key') };
    const first = assertStatus(await openPortal(operator, key), 200);
    const again = await openPortal(operator, key);
    assert.deepEqual(assertStatus(again, 200), first);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal((await sessionsOf(operator)).length, 1);
  });

  it('drops the address of a page that nobody fetched within an hour', async () => {
    const operator = await buildOperator();
    const db = await database();
    const id = unique('prt_test');
    await db.query(sql.unsafe`
      insert into portal_sessions (id, operator_id, status, url, return_to, created_at)
      values (${id}, ${operator.operatorId}, 'open', 'sealed', 'http://carnet.test', now() - interval '61 minutes')`);
    await eventually('the address to be gone', async () => (await sessionsOf(operator))[0]?.url === null);
    assert.equal((await sessionsOf(operator))[0]?.status, 'expired');
  });

  it('is opened by its life where the process that was asked has died, which leaves no address in its history', async function () {
    this.timeout(150_000);
    const { operatorId } = await buildOperator();
    const db = await database();
    const id = newId('prt');
    await db.query(sql.unsafe`
      insert into portal_sessions (id, operator_id, return_to, created_at)
      values (${id}, ${operatorId}, 'http://carnet.test', now() - interval '11 seconds')`);
    await db.query(sql.unsafe`select look_later(${lifeId.portal(id)}, ${operatorId})`); // as the call that died has left it
    const lives = livesOf(service().credentials);
    try {
      const handle = lives.client.workflow.getHandle(lifeId.portal(id));
      const opened = await eventually('the life to open it', () => handle.result(), {
        seconds: 120,
        ignoreErrors: () => true, // it has not begun
      });
      assert.equal(opened, 'open');
      const page = await db.oneFirst(
        sql.type(z.object({ id: z.string() }))`select answer ->> 'id' as id from local_calls where key = ${id}`,
      );
      const { events } = await handle.fetchHistory();
      const history = JSON.stringify(events);
      assert(!history.includes(page) && !history.includes(Buffer.from(page).toString('base64').slice(4, 30)));
    } finally {
      await lives.close();
    }
  });
});
