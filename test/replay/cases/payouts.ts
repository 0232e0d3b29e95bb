import { openPayouts } from '../../../src/billing/payouts/life.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { newPublisher, type Publisher } from '../../billing/payouts/publishers.ts';
import type { Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';
import { refuseAt } from './payments.ts';

const MONTH = '2020-01';

/** A publisher has earned something in the month; `state` makes the month's statement. */
const earned =
  (act: (rig: Rig, state: () => Promise<Run>, publisher: Publisher) => Promise<Run>): Case =>
  async (rig) => {
    const publisher = await newPublisher(rig.context.pool);
    await publisher.earn(2_000, '2020-01-10');
    const state = async (): Promise<Run> => {
      await openPayouts(rig.context, { month: MONTH, after: '' });
      return runOf(rig, lifeId.payout(`${publisher.id}:${MONTH}`));
    };
    return act(rig, state, publisher);
  };

export const payouts: Cases = {
  'payout/paid': earned((_rig, state) => state()),
  'payout/refused': earned(async (rig, state, { id }) => {
    await refuseAt(rig, `payout:${id}:${MONTH}`);
    return state();
  }),
  'payout/waited-for-a-provider': earned(async (rig, state) => {
    const run = await withoutProvider(rig, state);
    await run.handle.cancel();
    await run.handle.signal('nonsense');
    await run.showing(/Refused signal nonsense/);
    await run.handle.signal('wake');
    return run;
  }),
  'payout/carried-over': earned((rig, state) =>
    withoutProvider(rig, async () => {
      const run = await state();
      await run.showing(/^Waits/);
      await openPayouts(rig.context, { month: '2020-02', after: '' });
      await run.ended();
      return run;
    }),
  ),
};

/** No provider is configured until `act` has come to a payout that waits for one. */
async function withoutProvider(rig: Rig, act: () => Promise<Run>): Promise<Run> {
  const { payments } = rig.config;
  rig.config.payments = undefined;
  try {
    const run = await act();
    await run.showing(/^(Waits|Ended)/);
    return run;
  } finally {
    rig.config.payments = payments;
  }
}
