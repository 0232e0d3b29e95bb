import { findOperator } from '../accounts/index.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import type { PurgeStep } from '../commands/purge.ts';
import { assertThat, notFound } from '../errors/carnet-error.ts';
import { CONTENTS } from './contents.ts';
import { beginErasure, endErasure, findErasure, operatorToErase } from './queries.ts';
import type { Erasure } from './schema.ts';

/** A caller waits so long for the end of an erasure; the nightly run, or the same call again, goes on. */
const CALLER_MS = 3_000;
/** A step of the nightly run has five seconds. */
const STEP_MS = 2_000;

/**
 * Purges all contents that the operator keeps: inputs, outputs, inbound contents, payloads of claims, texts of closed requests. Hashes, statuses
 * and money stay. The request is a fact as soon as it is committed; batches follow it, for some seconds here and then every night.
 * It needs a person (decision B22).
 * @throws CarnetError NOT_FOUND, NOT_OWNER, GOVERNANCE_APPROVAL_REQUIRED.
 */
export async function eraseContents(context: Context, call: CommandCall): Promise<Answered<Erasure>> {
  const { operatorId } = call.caller;
  const begun = await runCommand<Erasure>(context, call, async (unit) => {
    const operator = await findOperator(unit.connection, operatorId);
    assertThat(operator, () => notFound('operator'));
    const subject = { operator_id: operator.id, name: operator.name };
    const refused = await context.requireApproval(unit, call, { act: 'contents.erased', subject });
    if (refused !== null) return refused;
    const erasure = await beginErasure(unit.connection, operatorId);
    await unit.audit('contents.erased', operatorId, { kept_from: erasure.kept_from });
    return { status: 200, body: erasure };
  });
  await goOn(context, operatorId, CALLER_MS);
  return { ...begun, body: (await findErasure(context.pool, operatorId)) ?? begun.body };
}

/** @throws CarnetError NOT_FOUND where the operator has never requested one */
export async function readErasure({ pool }: Context, operatorId: string): Promise<Erasure> {
  const erasure = await findErasure(pool, operatorId);
  assertThat(erasure, () => notFound('erasure'));
  return erasure;
}

/** Goes on with the erasure of the next operator that has one under way, for a step of the nightly run. */
export const eraseNext: PurgeStep = async (context, { from }) => {
  const operatorId = await operatorToErase(context.pool, from);
  if (operatorId === null) return { purged: 0, next: null };
  return { purged: await goOn(context, operatorId, STEP_MS), next: operatorId };
};

/** Purges what is left of the operator, until the time is over. @returns how many rows */
async function goOn(context: Context, operatorId: string, maxMs: number): Promise<number> {
  const until = performance.now() + maxMs;
  const erasure = await findErasure(context.pool, operatorId);
  if (erasure === null || erasure.purged_at !== null) return 0;
  let purged = 0;
  for (const { purge } of CONTENTS) {
    for (let isMore = true; isMore;) {
      if (performance.now() >= until) return purged;
      const batch = await purge(context, { from: operatorId, to: operatorId });
      purged += batch.purged;
      isMore = batch.next !== null;
    }
  }
  await endErasure(context.pool, operatorId, erasure.kept_from);
  return purged;
}
