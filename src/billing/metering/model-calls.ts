import { z } from 'zod';
import { translated } from '../../database/errors.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { AgentId, InvocationId, MissionId, ModelCallId, OperatorId, PassportId, SkillId } from '../../ids/ids.ts';

/**
 * A model call that was made. Neither prompt nor response is recorded: a statement shows costs, not what people wrote.
 * Tokens are counts.
 */
export interface ModelCall {
  /** Recording the same id again changes nothing and charges nothing. */
  id: ModelCallId;
  operatorId: OperatorId;
  /** Names what it was made for, e.g. `sealed_step`. */
  operation: string;
  provider: string;
  model: string;
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cachedPromptTokens?: number;
  streaming: boolean;
  price: ModelCallPrice;
  agentId?: AgentId;
  /**
   * Where absent, the mission of the invocation, else the only mission of the passport. Its intent is the declared
   * purpose.
   */
  missionId?: MissionId;
  passportId?: PassportId;
  /** Where absent, the skill of the invocation. */
  skillId?: SkillId;
  invocationId?: InvocationId;
  /** Counts from 0. */
  sealedStepIndex?: number;
}

/** Who pays. `costMicrocents` is the price that the model provider charges for the call. */
export type ModelCallPrice =
  /**
   * The wallet: the cost and 15 %. On meter llm_gateway the provider bills the customer directly, so the wallet pays
   * only the 15 %.
   */
  | { state: 'wallet_price'; meter: 'sealed_execution' | 'llm_gateway' | 'l3'; costMicrocents: number }
  /** Not the wallet: the call is within the allowance, or the platform pays. */
  | { state: 'included' | 'covered'; costMicrocents: number }
  /** The cost is not known. */
  | { state: 'unavailable' };

const ChargedRow = z.object({ charged: z.number() });

/**
 * Records a model call, charges it to the wallet and gives it its place on the timeline, in one statement.
 * @returns microcents charged
 * @throws CarnetError INSUFFICIENT_CREDITS, and then nothing is recorded
 */
export async function recordModelCall(connection: CommonQueryMethods, call: ModelCall): Promise<number> {
  const { price } = call;
  const columns = {
    id: call.id,
    operator_id: call.operatorId,
    operation: call.operation,
    provider: call.provider,
    model: call.model,
    prompt_tokens: call.promptTokens,
    completion_tokens: call.completionTokens,
    total_tokens: call.totalTokens,
    cached_prompt_tokens: call.cachedPromptTokens,
    streaming: call.streaming,
    price_state: price.state,
    meter: price.state === 'wallet_price' ? price.meter : undefined,
    cost_microcents: price.state === 'unavailable' ? undefined : price.costMicrocents,
    agent_id: call.agentId,
    mission_id: call.missionId,
    passport_id: call.passportId,
    skill_id: call.skillId,
    invocation_id: call.invocationId,
    sealed_step_index: call.sealedStepIndex,
  };
  return await translated(
    connection.oneFirst(sql.type(ChargedRow)`select record_model_call(${JSON.stringify(columns)}::jsonb) as charged`),
  );
}
