import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql, type CommonQueryMethods } from '../../src/database/pool.ts';
import { eventually } from './eventually.ts';

const Breach = z.object({ id: z.string(), law: z.string() });
const Unsettled = z.object({ id: z.string() });

/** The laws of an invocation that these rows break, no matter what was killed on the way; empty when all is well. */
const breaches = (connection: CommonQueryMethods, ids: readonly string[]) =>
  connection.any(sql.type(Breach)`
    with acts as (
      select target, count(*) filter (where action = 'invocation.created') as creations,
        count(*) filter (where action = 'invocation.claimed') as claims,
        count(*) filter (where action in ('invocation.completed', 'invocation.failed', 'invocation.expired', 'invocation.cancelled')) as ends
      from audit_events where target = any(${sql.array(ids, 'text')}) group by target
    ), facts as (
      select i.*, i.status in ('completed', 'failed', 'expired') as over,
        coalesce(acts.creations, 0) as creations, coalesce(acts.claims, 0) as claims, coalesce(acts.ends, 0) as ends,
        (select count(*) from holds where cause = i.id) as holds,
        (select status from holds where cause = i.id) as hold,
        (select count(*) from transfers where cause = i.id) as debits
      from invocations i left join acts on acts.target = i.id where i.id = any(${sql.array(ids, 'text')})
    )
    select id, law from facts, lateral (values
      ('it was created once', creations = 1),
      ('every attempt is one claim, or one execution', claims = case execution_mode when 'open' then attempt else 0 end),
      ('it ends once', ends = over::int),
      ('it has an output if it was completed, and only then', (output is not null) = (status = 'completed')),
      ('what it promises is held once', holds = (price_cents + compute_bound_cents > 0)::int),
      ('its hold is captured, released or open as it is', price_cents + compute_bound_cents = 0
        or hold = case when not over then 'held' when status = 'completed' and price_cents > 0 then 'captured' else 'released' end),
      ('it is paid once if it was completed, and only then', debits = (status = 'completed' and price_cents > 0)::int)
    ) as laws (law, holds_true) where not holds_true`);

/** Waits until no message is left, and every life has looked at its row and has done what follows the end. */
export async function settled(connection: CommonQueryMethods, ids: readonly string[], seconds = 120): Promise<void> {
  await eventually(
    `the lives of ${ids.join(', ')} to settle`,
    async () => {
      const rows = await connection.any(sql.type(Unsettled)`
        select id from invocations i where id = any(${sql.array(ids, 'text')})
          and (followed_up = (status in ('pending', 'processing'))
            or exists (select from lives where life = 'invocation:' || i.id and (followed_up or epoch is null)))`);
      return rows.length === 0;
    },
    { seconds },
  );
}

/** Asserts that these invocations have not one cent, claim or end too many, and that the whole ledger is right. */
export async function assertInvariants(connection: CommonQueryMethods, ids: readonly string[]): Promise<void> {
  assert.deepEqual(await breaches(connection, ids), []);
  await assertLedger(connection);
}
