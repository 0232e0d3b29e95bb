import assert from 'node:assert/strict';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { refuseWhereOverloaded, troubleOfLives } from '../../src/lives/index.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { eventually } from '../support/eventually.ts';
import { openMarket } from '../support/market.ts';
import { assertProblem, assertStatus, requester, service } from '../support/service.ts';

describe('GET /v1/admin/lives/:id', () => {
  interface Life {
    kind: string;
    turn_of: string | null;
    messages: number;
    due_at: string | null;
    seen_at: string | null;
    run: { status: string; url: string | null } | null;
  }
  const platform = () => requester(service().credentials.admin_api_key);

  it('shows when it is looked at next, and its run', async () => {
    const { baseUrl, databaseUrl, credentials } = service();
    const market = await openMarket({ baseUrl, databaseUrl, adminKey: credentials.admin_api_key });
    const id = await market.pending();
    const path = `/v1/admin/lives/${lifeId.invocation(id)}`;
    const waiting = await eventually('its run to have looked', async () => {
      const { body } = await platform().get<Life>(path);
      return body.seen_at !== null && body;
    });
    assert.deepEqual([waiting.kind, waiting.messages, waiting.run?.status], ['invocation', 0, 'RUNNING']);
    assert.match(waiting.run?.url ?? '', /^http.*\/namespaces\/default\/workflows\/invocation%3Ainv_/);
    assert.notEqual(waiting.due_at, null);
    assertStatus(await market.act(id, 'cancel'), 200);
    await eventually('nothing of it to be due', async () => {
      const { body } = await platform().get<Life>(path);
      return body.turn_of === null && body.due_at === null && body.run?.status === 'COMPLETED';
    });
  });

  it('is 404 for what is no life and for one that nobody knows, and for the platform alone', async () => {
    assertProblem(await platform().get('/v1/admin/lives/inv_1'), 'NOT_FOUND');
    assertProblem(await platform().get('/v1/admin/lives/unheard-of:1'), 'NOT_FOUND');
    assertProblem(await platform().get('/v1/admin/lives/mail:msg_1'), 'NOT_FOUND');
    const { api_key: key } = service().credentials;
    assert.equal((await requester(key).get('/v1/admin/lives/mail:msg_1')).status, 403);
  });
});

describe('A backlog of lives', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext({ MAX_DUE_LIVES: '100' });
  });
  after(() => own.close());
  beforeEach(() => run(own.context.pool, sql.fragment`delete from lives`));

  const leave = (owner: string, { count, seconds = 5 }: { count: number; seconds?: number }) =>
    run(
      own.context.pool,
      sql.fragment`
      insert into lives (life, owner, due_at)
      select 'mail:' || ${owner} || n, ${owner}, clock_timestamp() - make_interval(secs => ${seconds}) from generate_series(1, ${count}) n`,
    );
  const refusal = (operator: string): { code?: string; detail?: string; headers?: Record<string, string> } => {
    try {
      refuseWhereOverloaded(own.context, operator);
      return {};
    } catch (error) {
      const { code, message, headers } = error as { code: string; message: string; headers: Record<string, string> };
      return { code, detail: message, headers };
    }
  };

  it('refuses new work of who has a tenth of what may wait, and nobody else’s', async () => {
    await leave('op_hostile', { count: 10 });
    const refused = await eventually('the hostile one to be refused', () => {
      const found = refusal('op_hostile');
      return found.code !== undefined && found;
    });
    assert.equal(refused.code, 'OVERLOADED');
    assert.match(
      refused.detail ?? '',
      /^The service is behind: at least 10 lives of this operator wait, the oldest for \d+ seconds\./,
    );
    assert.equal(refused.headers?.['Retry-After'], '10');
    assert.deepEqual(refusal('op_honest'), {});
    await run(own.context.pool, sql.fragment`delete from lives`);
    await eventually('it to be taken again', () => refusal('op_hostile').code === undefined);
  });

  it('refuses everybody’s where all that may wait does', async () => {
    for (let nth = 0; nth < 20; nth += 1) await leave(`op_${nth}`, { count: 5 });
    const refused = await eventually('everybody to be refused', () => {
      const found = refusal('op_honest');
      return found.code !== undefined && found;
    });
    assert.match(refused.detail ?? '', /at least 100 lives wait/);
  });

  it('is told after a minute', async () => {
    const { pool } = own.context;
    await leave('op_a', { count: 3 });
    assert.equal((await troubleOfLives({ pool })).behind, null);
    await leave('op_b', { count: 3, seconds: 70 });
    assert.match(
      (await troubleOfLives({ pool })).behind ?? '',
      /^6 messages for lives wait, the oldest for 7\d seconds\./,
    );
    await run(pool, sql.fragment`delete from lives where owner = 'op_b'`);
    await run(
      pool,
      sql.fragment`update lives set ready = false, epoch = life_epoch_now(), due_at = due_at - interval '1 minute'`,
    );
    assert.match((await troubleOfLives({ pool })).behind ?? '', /^3 lives have been due for more than a minute/);
  });
});
