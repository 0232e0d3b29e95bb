import { z } from 'zod';
import { text } from '../../fields/text.ts';
import {
  agentId,
  checkpointId,
  claimRef,
  count,
  detectorKey,
  invocationId,
  listOf,
  missionRef,
  openObject,
  severity,
  wholeTime,
} from './fields.ts';

/** Payloads of observations: what was seen of an agent at work. */

export const DetectorSignalSchema = z.strictObject({
  type: z.literal('detector_signal'),
  detector_key: detectorKey,
  severity,
  pipeline: z.enum(['heuristic', 'llm', 'detection-chain']),
  intent_claim_ref: claimRef.optional(),
  agent_id: agentId.optional(),
  metadata: openObject.default({}),
  detected_at: wholeTime,
  mission_ref: missionRef.optional(),
});

export const EntityObservationSchema = z.strictObject({
  type: z.literal('entity_observation'),
  intent_outcome_ref: claimRef.optional(),
  entities: z.array(text(1, 512)).max(256).default([]),
  entity_types: listOf(
    z.enum([
      'url_host',
      'url_path',
      'email',
      'account_id',
      'file_path',
      'arn',
      'gcp_resource',
      'azure_resource',
      'phone',
      'ip_address',
      'other',
    ]),
  ).default([]),
  agent_id: agentId,
  source_service: text(1, 128).optional(),
  content_fingerprints: z.array(text(1, 64)).max(512).default([]),
  metadata: openObject.default({}),
  observed_at: wholeTime,
  mission_ref: missionRef.optional(),
});

export const CheckpointApprovalSchema = z.strictObject({
  type: z.literal('checkpoint_approval'),
  checkpoint_id: checkpointId,
  interval_seconds: z.int().positive().nullable(),
  services_used: listOf(z.string()).default([]),
  actions_count: count,
  has_summary: z.boolean().default(false),
  delegated_to: listOf(z.string()).default([]),
  submitted_by: z.string(),
  submitted_at: wholeTime,
  mission_ref: missionRef.optional(),
});

export const SkillInvocationSchema = z.strictObject({
  type: z.literal('skill_invocation'),
  invocation_id: invocationId,
  skill_id: z.string(),
  provider_operator_id: z.string(),
  execution_mode: z.enum(['sealed', 'open', 'source']),
  input_hash: z.string(),
  status: z.enum(['submitted', 'completed', 'failed']),
  output_hash: z.string().optional(),
  duration_ms: count.optional(),
  /** Not the `cost` of intents: no gas, and nothing may be null. */
  cost_actual: z.strictObject({ wallet_cents: count, tokens: count, compute_microcents: count.optional() }).optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  at: wholeTime,
  mission_ref: missionRef.optional(),
});
