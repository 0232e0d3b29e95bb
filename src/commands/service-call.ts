import type { Context } from '../context/context.ts';
import { serviceCaller } from './caller.ts';
import type { CommandCall } from './command.ts';
import { runCommand } from './run.ts';
import type { Unit } from './unit.ts';

/** A call of the service itself, which the audit trail names as the platform's. @param requestId what logs find it by. */
export const serviceCall = (operation: string, requestId: string): CommandCall => ({
  caller: serviceCaller,
  operation,
  idempotency: null,
  requestId,
  request: null,
});

/** Makes one thing that a first start needs, unless it is there. @param work returns the id of the thing. */
export const ensure = async <Id extends string>(
  context: Context,
  work: (unit: Unit) => Promise<string>,
): Promise<Id> => {
  const call = serviceCall('firstStart', 'first-start');
  const answered = await runCommand(context, call, async (unit) => ({ status: 200, body: await work(unit) }));
  return answered.body as Id;
};
