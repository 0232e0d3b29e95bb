import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { eventually } from '../support/eventually.ts';
import { assertInvariants, settled } from '../support/invariants.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { openMarket, type Market } from '../support/market.ts';
import { assertProblem, assertStatus, database, service, type Reply } from '../support/service.ts';

const Ended = z.object({ late_ms: z.number(), actor: z.string() });

/** The shortest time to live that an invocation may have, in seconds. */
const TTL_SECONDS = 60;

describe('an invocation that runs out of time', function () {
  this.timeout(600_000);
  let lives: Lives;
  let market: Market;
  before(async () => {
    const { baseUrl, databaseUrl, credentials } = service();
    lives = livesOf(credentials);
    market = await openMarket({ baseUrl, databaseUrl, adminKey: credentials.admin_api_key }, { cents: 100, price: 25 });
  });
  after(() => lives.close());

  /** Moves a deadline to so many seconds from now, by Postgres' clock; without any it is over. */
  const pass = async (id: string, deadline: 'expires_at' | 'lease_until', seconds = 0): Promise<void> => {
    await (
      await database()
    ).query(sql.unsafe`
      update invocations set ${sql.identifier([deadline])} = clock_timestamp() + make_interval(secs => ${seconds}) where id = ${id}`);
  };
  const wake = async (id: string): Promise<void> => {
    await (await database()).query(sql.unsafe`select wake_life(${`invocation:${id}`})`);
  };
  const becomes = (id: string, status: string) =>
    eventually(`${id} to be ${status}`, async () => (await market.show(id)).status === status);

  it('is refused to a provider that claims it, completes it or cancels it after its deadline, before any timer has fired', async () => {
    const claimed = await market.pending();
    assertStatus(await market.act(claimed, 'claim'), 200);
    const pending = await market.pending();
    for (const id of [claimed, pending]) await pass(id, 'expires_at');
    for (const [id, act] of [
      [pending, 'claim'],
      [pending, 'cancel'],
      [claimed, 'complete'],
      [claimed, 'fail'],
    ] as const) {
      assertProblem((await market.act(id, act)) as unknown as Reply, 'INVOCATION_EXPIRED');
    }
    for (const id of [claimed, pending]) await wake(id);
    for (const id of [claimed, pending]) await becomes(id, 'expired');
    await settled(await database(), [claimed, pending]);
    await lives.closed([claimed, pending]);
    await assertInvariants(await database(), [claimed, pending]);
  });

  it('goes back to pending when the lease of its claim is over, and can be claimed again', async () => {
    const id = await market.pending();
    assertStatus(await market.provider.post(`/v1/skills/invocations/${id}/claim`, { lease_seconds: 3_600 }), 200);
    await pass(id, 'lease_until');
    await wake(id);
    await becomes(id, 'pending');
    assert.equal(assertStatus(await market.act(id, 'claim'), 200).attempt, 2);
    const late = await market.provider.post(`/v1/skills/invocations/${id}/complete`, {
      output: { text: 'late' },
      attempt: 1,
    });
    assertProblem(late, 'LEASE_LOST');
    assertStatus(await market.act(id, 'complete'), 200);
    await settled(await database(), [id]);
    await assertInvariants(await database(), [id]);
  });

  it('expires at its deadline by its own timer, and the hold is back', async () => {
    const unclaimed = await market.pending({ ttl_seconds: TTL_SECONDS });
    // Before its life is woken, half a second after the commit, and sets the timer; where that was quicker, the minute passes.
    await pass(unclaimed, 'expires_at', 3);
    await eventually('the deadline to pass', async () => (await market.show(unclaimed)).status === 'expired', {
      seconds: TTL_SECONDS + 30,
    });
    const db = await database();
    const { late_ms: lateMs, actor } = await db.one(sql.type(Ended)`
      select extract(epoch from i.completed_at - i.expires_at)::float8 * 1000 as late_ms, a.actor
      from invocations i join audit_events a on a.target = i.id and a.action = 'invocation.expired' where i.id = ${unclaimed}`);
    assert.equal(actor, 'service');
    assert(lateMs >= 0, 'not before its time');
    assert(lateMs < 30_000, 'by its life: the reconciler takes what is 30 s late');
    await settled(db, [unclaimed]);
    await lives.closed([unclaimed]);
    await assertInvariants(db, [unclaimed]);
    const { balance_cents: balance, held_cents: held } = await market.balance();
    assert.deepEqual([balance, held], [75, 0], 'one was completed, and nothing is held');
  });
});
