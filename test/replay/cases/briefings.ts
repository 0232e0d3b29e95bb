import { sql } from '../../../src/database/pool.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { newOperator } from '../../notifications/support/destinations.ts';
import { runOf } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

/** @param paused seconds until the next mail may be sent */
const telling =
  ({ paused }: { paused: number }): Case =>
  async (rig) => {
    const operatorId = await newOperator(rig.context);
    await run(
      rig.context.pool,
      sql.fragment`
      insert into briefing_rounds (operator_id, class, mailed_at)
      values (${operatorId}, 'security', clock_timestamp() - briefing_pause(null, null) + make_interval(secs => ${paused}))`,
    );
    await run(
      rig.context.pool,
      sql.fragment`select record_service_event(${operatorId}, 'agent.unblocked', 'warning', '{}')`,
    );
    rig.context.delivery.messagesCommitted();
    const life = runOf(rig, lifeId.briefing(operatorId));
    await life.ended();
    return life;
  };

export const briefings: Cases = {
  'briefing/told': telling({ paused: 0 }),
  'briefing/paused': telling({ paused: 3 }),
};
