import { sleep } from '@temporalio/workflow';
import * as unchanged from '../../workflows/index.ts';

/** The negative control: every workflow, but for a timer before everything. No history may replay on this code. */
const afterATimer =
  <Args extends unknown[]>(workflow: (...args: Args) => Promise<void>) =>
  async (...args: Args): Promise<void> => {
    await sleep(1_000);
    await workflow(...args);
  };

export const invocation = afterATimer(unchanged.invocation);
export const keyRotation = afterATimer(unchanged.keyRotation);
export const mail = afterATimer(unchanged.mail);
export const monthlyPayouts = afterATimer(unchanged.monthlyPayouts);
export const paymentEvents = afterATimer(unchanged.paymentEvents);
export const payout = afterATimer(unchanged.payout);
export const portal = afterATimer(unchanged.portal);
export const refund = afterATimer(unchanged.refund);
export const retention = afterATimer(unchanged.retention);
export const session = afterATimer(unchanged.session);
export const subscription = afterATimer(unchanged.subscription);
export const topUp = afterATimer(unchanged.topUp);
