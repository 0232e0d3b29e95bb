import {
  cost,
  costsAt,
  HASH,
  notClaims,
  notCounts,
  notHashes,
  notIntegers,
  notMissions,
  notNullableCounts,
  notNullableTexts,
  notTexts,
  type Members,
  type Shape,
} from './shape.ts';

const common = {
  intent_claim_ref: 'pc_1',
  status: 'succeeded',
  duration_ms: 0,
  cost_actual: cost,
  recorded_at: 1,
};

const outcome = (
  outcomeType: string,
  { nulls, refused }: { nulls: string[]; refused: Record<string, unknown[]> },
  more: { taken?: Record<string, unknown[]>; optional?: Members; defaults?: Members } = {},
): Shape => ({
  type: 'intent_outcome',
  required: { ...common, outcome_type: outcomeType, ...Object.fromEntries(nulls.map((name) => [name, null])) },
  optional: { mission_ref: 'ms_1', ...more.optional },
  ...(more.defaults && { defaults: more.defaults }),
  refused: {
    intent_claim_ref: notClaims,
    status: ['done', ...notTexts],
    duration_ms: notCounts,
    ...costsAt('cost_actual'),
    recorded_at: notIntegers,
    mission_ref: notMissions,
    outcome_type: ['llm_call', ...notTexts],
    ...refused,
  },
  taken: { status: ['failed', 'cancelled', 'timeout'], mission_ref: [null], ...more.taken },
});

const text = [...notNullableTexts];
const hash = [...notHashes];
const integer = ['1', 1.5];

/** Shapes of the outcomes of intents, one for each variant. */
export const outcomes: Record<string, Shape> = {
  'intent_outcome of a skill_invocation': outcome(
    'skill_invocation',
    {
      nulls: ['actual_skill_id', 'actual_input_hash', 'output_envelope_hash', 'exit_code'],
      refused: {
        actual_skill_id: text,
        actual_input_hash: hash,
        output_envelope_hash: hash,
        exit_code: integer,
        actual_target: [null],
      },
    },
    { taken: { actual_skill_id: ['skl_1'], actual_input_hash: [HASH], output_envelope_hash: [HASH], exit_code: [-1] } },
  ),
  'intent_outcome of an http_call': outcome(
    'http_call',
    {
      nulls: [
        'actual_target',
        'actual_method_path',
        'actual_parameters_hash',
        'status_code',
        'response_body_hash',
        'latency_ms',
      ],
      refused: {
        actual_target: text,
        actual_method_path: text,
        actual_parameters_hash: hash,
        status_code: integer,
        response_body_hash: hash,
        latency_ms: notNullableCounts,
        redactions_count: notCounts,
        detector_fires_count: notCounts,
        exit_code: [null],
      },
    },
    {
      optional: { redactions_count: 2, detector_fires_count: 3 },
      defaults: { redactions_count: 0, detector_fires_count: 0 },
      taken: {
        actual_target: ['https://example.com'],
        status_code: [200],
        latency_ms: [0],
        response_body_hash: [HASH],
      },
    },
  ),
  'intent_outcome of an mcp_tool': outcome(
    'mcp_tool',
    {
      nulls: ['actual_tool_name', 'actual_args_hash', 'tool_result_envelope_hash', 'tool_error_code'],
      refused: {
        actual_tool_name: text,
        actual_args_hash: hash,
        tool_result_envelope_hash: hash,
        tool_error_code: text,
        tx_hash: [null],
      },
    },
    { taken: { actual_tool_name: [''], actual_args_hash: [HASH], tool_error_code: ['E1'] } },
  ),
  'intent_outcome of an onchain_tx': outcome(
    'onchain_tx',
    {
      nulls: [
        'actual_contract',
        'actual_function_selector',
        'actual_args_hash',
        'tx_hash',
        'block_number',
        'gas_used',
        'revert_reason',
      ],
      refused: {
        actual_contract: [`0x${'a'.repeat(39)}`, `0x${'A'.repeat(40)}`, 'a'.repeat(40), `0x${'a'.repeat(41)}`, 1],
        actual_function_selector: text,
        actual_args_hash: hash,
        tx_hash: [`0x${'a'.repeat(63)}`, `0X${'a'.repeat(64)}`, HASH, 1],
        block_number: integer,
        gas_used: notNullableCounts,
        revert_reason: text,
        status_code: [null],
      },
    },
    {
      taken: {
        actual_contract: [`0x${'0f'.repeat(20)}`],
        tx_hash: [`0x${HASH}`],
        block_number: [-1, 1],
        gas_used: [0],
      },
    },
  ),
  'intent_outcome of a task_complete': outcome('task_complete', { nulls: [], refused: { task_state: [null] } }),
  'intent_outcome of an a2a_dispatch': outcome(
    'a2a_dispatch',
    {
      nulls: [
        'actual_target_agent',
        'actual_method',
        'actual_args_hash',
        'remote_task_id',
        'task_state',
        'task_result_envelope_hash',
      ],
      refused: {
        actual_target_agent: text,
        actual_method: text,
        actual_args_hash: hash,
        remote_task_id: text,
        task_state: ['done', 1],
        task_result_envelope_hash: hash,
        gas_used: [null],
      },
    },
    { taken: { task_state: ['pending', 'in_progress', 'completed', 'failed', 'cancelled'], actual_method: ['send'] } },
  ),
};
