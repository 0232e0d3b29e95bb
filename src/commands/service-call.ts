import type { Context } from '../context/context.ts';
import { serviceCaller, type Caller } from './caller.ts';
import type { CommandCall } from './command.ts';
import { runCommand } from './run.ts';
import type { Unit } from './unit.ts';

/**
 * A call that no request with a credential made: the service's own, or one that its proof is checked in (a code, a signature).
 * @param requestId what logs find it by
 * @param caller whom the audit trail names; the platform unless given
 */
export const serviceCall = ({
  operation,
  requestId,
  caller = serviceCaller,
}: {
  operation: string;
  requestId: string;
  caller?: Caller;
}): CommandCall => ({
  caller,
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
  const call = serviceCall({ operation: 'firstStart', requestId: 'first-start' });
  const answered = await runCommand(context, call, async (unit) => ({ status: 200, body: await work(unit) }));
  return answered.body as Id;
};
