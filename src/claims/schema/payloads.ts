import type { z } from 'zod';
import type { JsonObject } from '../../json/value.ts';
import {
  AiBomRefSchema,
  C2paAssertionSchema,
  RatsEvidenceSchema,
  SlsaProvenanceSchema,
  SvidAttestationSchema,
  WorkloadAttestationSchema,
} from './attestations.ts';
import { IntentClaimSchema, IntentDenialSchema, IntentOutcomeSchema, IntentSimulationSchema } from './intents.ts';
import {
  CheckpointApprovalSchema,
  DetectorSignalSchema,
  EntityObservationSchema,
  SkillInvocationSchema,
} from './observations.ts';

/** The fourteen types whose payload has a shape. */
export const payloadSchemas = {
  svid_attestation: SvidAttestationSchema,
  workload_attestation: WorkloadAttestationSchema,
  rats_evidence: RatsEvidenceSchema,
  slsa_provenance: SlsaProvenanceSchema,
  c2pa_assertion: C2paAssertionSchema,
  ai_bom_ref: AiBomRefSchema,
  intent_claim: IntentClaimSchema,
  intent_outcome: IntentOutcomeSchema,
  intent_denial: IntentDenialSchema,
  intent_simulation: IntentSimulationSchema,
  entity_observation: EntityObservationSchema,
  detector_signal: DetectorSignalSchema,
  skill_invocation: SkillInvocationSchema,
  checkpoint_approval: CheckpointApprovalSchema,
} as const;

/** The sixteen types whose payload is any JSON, or none. */
export const SHAPELESS_TYPES = [
  'identity_claim',
  'mission',
  'behavioral_genome',
  'twin_divergence',
  'evidence_pack',
  'operator_decision',
  'operator_review',
  'external_proof_verification',
  'authority_binding',
  'authority_approval',
  'authority_use',
  'receiver_transaction_receipt',
  'authority_erasure_tombstone',
  'passport_color',
  'dossier',
  'chain_anchor',
] as const;

type ShapedType = keyof typeof payloadSchemas;
export type ClaimType = ShapedType | (typeof SHAPELESS_TYPES)[number];

export const SHAPED_TYPES = Object.keys(payloadSchemas) as ShapedType[];

/** Every type, those with a shape first. */
export const CLAIM_TYPES: readonly ClaimType[] = [...SHAPED_TYPES, ...SHAPELESS_TYPES];

export const isShaped = (type: string): type is ShapedType => Object.hasOwn(payloadSchemas, type);

/** The payload of a type as it is sent, where members that have a default may be left out. */
export type PayloadOf<Type extends ClaimType> = Type extends ShapedType
  ? z.input<(typeof payloadSchemas)[Type]>
  : JsonObject;
