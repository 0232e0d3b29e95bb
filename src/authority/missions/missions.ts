import type { Caller } from '../../commands/caller.ts';
import { issueClaim } from '../../claims/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import { findAgent } from '../../accounts/index.ts';
import { assertFuture, epochSeconds } from '../../database/instants.ts';
import { completeMissionRow, countMissions, findMission, insertMission, listMissions } from './queries.ts';
import type { CreateMission, Mission } from './schema.ts';

/**
 * Creates a mission, and the `mission` claim that records it.
 * @throws CarnetError VALIDATION_ERROR for an expiry in the past; NOT_FOUND for an unknown or foreign agent.
 */
export const createMission = (context: Context, call: CommandCall, body: CreateMission): Promise<Answered<Mission>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const { operatorId } = call.caller;
    const { agent_id: agentId = null, expires_at: expiresAt = null, declared_intent: intent } = body;
    if (expiresAt !== null) await assertFuture(connection, expiresAt);
    if (agentId !== null) {
      assertThat(await findAgent(connection, { operatorId, agentId }), () => notFound('agent'));
    }
    const id = newId('ms');
    const claimId = await issueClaim(connection, {
      type: 'mission',
      subject: agentId === null ? `carnet://mission/${id}` : `carnet://agent/${agentId}`,
      payload: {
        type: 'mission',
        mission_id: id,
        operator_id: operatorId,
        agent_id: agentId,
        declared_intent: intent,
        expires_at: expiresAt === null ? null : epochSeconds(expiresAt),
      },
      agentId,
      missionRef: id,
      operatorIds: [operatorId],
      passportJti: null,
    });
    const mission = await insertMission(connection, {
      id,
      operator_id: operatorId,
      agent_id: agentId,
      declared_intent: intent,
      claim_id: claimId,
      expires_at: expiresAt,
    });
    await audit('mission.created', id, { agent_id: agentId, claim_id: claimId });
    return { status: 201, body: mission, location: `/v1/missions/${id}` };
  });

/** @throws CarnetError NOT_FOUND for an unknown or foreign mission. */
export async function readMission(context: Context, { operatorId }: Caller, missionId: string): Promise<Mission> {
  const mission = await findMission(context.pool, { operatorId, missionId });
  assertThat(mission, () => notFound('mission'));
  return mission;
}

export async function pageOfMissions(
  context: Context,
  { operatorId }: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: Mission[]; total: number }> {
  const [items, total] = await Promise.all([
    listMissions(context.pool, operatorId, page),
    countMissions(context.pool, operatorId),
  ]);
  return { items: [...items], total };
}

/**
 * Ends a mission: no later passport refers to it. Completing it again gives the same answer.
 * @throws CarnetError NOT_FOUND; INVALID_STATE where it has expired.
 */
export const completeMission = (context: Context, call: CommandCall, missionId: string): Promise<Answered<Mission>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const ref = { operatorId: call.caller.operatorId, missionId };
    const completed = await completeMissionRow(connection, ref);
    if (completed !== null) {
      await audit('mission.completed', missionId);
      return { status: 200, body: completed };
    }
    const mission = await findMission(connection, ref);
    assertThat(mission, () => notFound('mission'));
    assertThat(
      mission.status === 'completed',
      () =>
        new CarnetError('INVALID_STATE', 'The mission has expired; declare a new one to continue the work.', {
          extra: { current_status: mission.status },
        }),
    );
    return { status: 200, body: mission };
  });
