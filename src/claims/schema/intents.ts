import { z } from 'zod';
import { text } from '../../fields/text.ts';
import {
  agentId,
  claimRef,
  contractAddress,
  cost,
  count,
  detectorKey,
  hash64,
  listOf,
  missionRef,
  namedIntent,
  openObject,
  severity,
  stringMap,
  transactionHash,
  wholeTime,
} from './fields.ts';

/** Payloads of intents: what an agent is about to do, whether it may, and what came of it. */

const URL_MARK = '://';

/** The `target` of an `http_call` is the name of a granted service. Its URL goes into `parameters.url`: URLs are not granted. */
export const IntentClaimSchema = z
  .strictObject({
    type: z.literal('intent_claim'),
    intent_type: z.enum(['http_call', 'mcp_tool', 'skill_invocation', 'onchain_tx', 'task_complete', 'a2a_dispatch']),
    agent_id: agentId,
    named_intent: namedIntent,
    target: z.string().min(1),
    action: z.string().min(1),
    parameters: openObject,
    estimated_cost: cost,
    accountability: z.enum(['enforced', 'logged', 'standard']).default('standard'),
    reason: text(0, 2_048).nullable(),
    requires: listOf(claimRef).default([]),
    user_subject: z.string().nullable(),
    mission_ref: missionRef,
    submitted_at: wholeTime,
  })
  .refine((intent) => intent.intent_type !== 'http_call' || !intent.target.includes(URL_MARK), {
    path: ['target'],
    message: 'must be the slug of a granted service, not a URL; the URL goes into parameters.url',
  })
  .meta({ not: { properties: { intent_type: { const: 'http_call' }, target: { pattern: URL_MARK } } } });

const simulatedReasons = [
  'constraint_violation',
  'scope_mismatch',
  'accountability_monotonicity',
  'detector_block',
  'tier_limit',
  'requires_unmet',
] as const;

export const IntentDenialSchema = z.strictObject({
  type: z.literal('intent_denial'),
  attempted_intent: IntentClaimSchema,
  denial_reason: z.enum([...simulatedReasons, 'simulation_failure']),
  denying_detector_key: detectorKey.optional(),
  message: text(0, 1_024),
  parameters_hash: hash64,
  retry_count: z.int().positive().default(1),
  metadata: openObject.default({}),
  denied_at: wholeTime,
  mission_ref: missionRef.optional(),
});

export const IntentSimulationSchema = z.strictObject({
  type: z.literal('intent_simulation'),
  intent_claim_ref: claimRef.optional(),
  allowed: z.boolean(),
  denial_reasons: listOf(z.enum(simulatedReasons)).default([]),
  simulated_cost: cost,
  predicted_detector_fires: listOf(z.strictObject({ detector_key: detectorKey, severity })).default([]),
  projected_http: z.strictObject({ status_code: z.int(), headers_summary: stringMap.default({}) }).optional(),
  simulated_at: wholeTime,
  mission_ref: missionRef.optional(),
});

const outcome = {
  type: z.literal('intent_outcome'),
  intent_claim_ref: claimRef,
  status: z.enum(['succeeded', 'failed', 'cancelled', 'timeout']),
  duration_ms: count,
  cost_actual: cost,
  recorded_at: wholeTime,
  mission_ref: missionRef.optional(),
};
const nullableText = z.string().nullable();
const nullableHash = hash64.nullable();

/** The outcome of an intent; `outcome_type` chooses one of six variants. */
export const IntentOutcomeSchema = z.discriminatedUnion(
  'outcome_type',
  [
    z.strictObject({
      ...outcome,
      outcome_type: z.literal('skill_invocation'),
      actual_skill_id: nullableText,
      actual_input_hash: nullableHash,
      output_envelope_hash: nullableHash,
      exit_code: z.int().nullable(),
    }),
    z.strictObject({
      ...outcome,
      outcome_type: z.literal('http_call'),
      actual_target: nullableText,
      actual_method_path: nullableText,
      actual_parameters_hash: nullableHash,
      status_code: z.int().nullable(),
      response_body_hash: nullableHash,
      latency_ms: count.nullable(),
      redactions_count: count.default(0),
      detector_fires_count: count.default(0),
    }),
    z.strictObject({
      ...outcome,
      outcome_type: z.literal('mcp_tool'),
      actual_tool_name: nullableText,
      actual_args_hash: nullableHash,
      tool_result_envelope_hash: nullableHash,
      tool_error_code: nullableText,
    }),
    z.strictObject({
      ...outcome,
      outcome_type: z.literal('onchain_tx'),
      actual_contract: contractAddress.nullable(),
      actual_function_selector: nullableText,
      actual_args_hash: nullableHash,
      tx_hash: transactionHash.nullable(),
      block_number: z.int().nullable(),
      gas_used: count.nullable(),
      revert_reason: nullableText,
    }),
    z.strictObject({ ...outcome, outcome_type: z.literal('task_complete') }),
    z.strictObject({
      ...outcome,
      outcome_type: z.literal('a2a_dispatch'),
      actual_target_agent: nullableText,
      actual_method: nullableText,
      actual_args_hash: nullableHash,
      remote_task_id: nullableText,
      task_state: z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled']).nullable(),
      task_result_envelope_hash: nullableHash,
    }),
  ],
  { error: 'must be one of skill_invocation, http_call, mcp_tool, onchain_tx, task_complete, a2a_dispatch' },
);
