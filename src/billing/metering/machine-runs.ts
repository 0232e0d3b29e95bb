import { z } from 'zod';
import { translated } from '../../database/errors.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { AgentId, InvocationId, MachineRunId, MissionId, OperatorId, PassportId, SkillId } from '../../ids/ids.ts';

/** A step of sealed execution that ran. It is charged regardless of the outcome of its invocation: the machine time was used. */
export interface MachineRun {
  /** Recording the same id again changes nothing and charges nothing. */
  id: MachineRunId;
  operatorId: OperatorId;
  /** Milliseconds, whole. */
  durationMs: number;
  /** The cost of the run for the platform; the wallet is charged this and a fee of 15 %. */
  costMicrocents: number;
  agentId?: AgentId;
  /** Where absent, the mission of the invocation, else the only mission of the passport. */
  missionId?: MissionId;
  passportId?: PassportId;
  invocationId?: InvocationId;
  /** Where absent, the skill of the invocation. */
  skillId?: SkillId;
  /** Counts from 0. */
  sealedStepIndex?: number;
}

const ChargedRow = z.object({ charged: z.number() });

/**
 * Records a step that the machine ran and charges it to the meter sealed_execution, in one statement.
 * @returns microcents charged
 * @throws CarnetError INSUFFICIENT_CREDITS, and then nothing is recorded
 */
export async function recordMachineRun(connection: CommonQueryMethods, run: MachineRun): Promise<number> {
  const columns = {
    id: run.id,
    operator_id: run.operatorId,
    duration_ms: run.durationMs,
    cost_microcents: run.costMicrocents,
    agent_id: run.agentId,
    mission_id: run.missionId,
    passport_id: run.passportId,
    skill_id: run.skillId,
    invocation_id: run.invocationId,
    sealed_step_index: run.sealedStepIndex,
  };
  return await translated(
    connection.oneFirst(sql.type(ChargedRow)`select record_machine_run(${JSON.stringify(columns)}::jsonb) as charged`),
  );
}
