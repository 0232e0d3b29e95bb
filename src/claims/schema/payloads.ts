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

/** The fourteen types whose payload has a shape (Claims§2.6 to §2.19). */
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

/** The sixteen whose payload is any JSON, or none (decisions L8). */
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

export type ShapedType = keyof typeof payloadSchemas;
export type ClaimType = ShapedType | (typeof SHAPELESS_TYPES)[number];

export const SHAPED_TYPES = Object.keys(payloadSchemas) as ShapedType[];

/** Every type in the order of Claims§2.3. */
export const CLAIM_TYPES: readonly ClaimType[] = [...SHAPED_TYPES, ...SHAPELESS_TYPES];

export const isShaped = (type: string): type is ShapedType => Object.hasOwn(payloadSchemas, type);

/** What a payload of a type may be when it is written, defaults left out. */
export type PayloadOf<Type extends ClaimType> = Type extends ShapedType
  ? z.input<(typeof payloadSchemas)[Type]>
  : JsonObject;
