import { z } from 'zod';
import { certThumbprint, hash64, listOf, openObject, stringMap, time } from './fields.ts';

/** Payloads of attestations: where software and content come from, and in what a workload runs. */

export const SvidAttestationSchema = z.strictObject({
  type: z.literal('svid_attestation'),
  spiffe_id: z.string(),
  trust_domain: z.string(),
  not_after_svid: time,
  issuer: z.string(),
  attested_at: time,
  svid_format: z.enum(['jwt-svid', 'x509-svid']),
});

export const WorkloadAttestationSchema = z.strictObject({
  type: z.literal('workload_attestation'),
  workload_id: z.string(),
  issuer: z.string(),
  audience: z.string().optional(),
  not_after_token: time,
  attested_at: time,
  token_format: z.literal('wimse-wit'),
  confirmation_jwk: openObject.optional(),
});

export const RatsEvidenceSchema = z.strictObject({
  type: z.literal('rats_evidence'),
  evidence_format: z.enum(['cloud-nitro-enclave', 'tpm-eat', 'cpu-sev-snp', 'cpu-tdx', 'cpu-cca', 'generic-eat']),
  measurements: stringMap,
  pubkey_jwk: openObject.optional(),
  nonce: z.string().optional(),
  evidence_uri: z.string().optional(),
  evidence_sha256: hash64.optional(),
  attested_at: time,
});

const source = { uri: z.string(), digest: stringMap };

export const SlsaProvenanceSchema = z.strictObject({
  type: z.literal('slsa_provenance'),
  /** The predicate type of SLSA build provenance, version 1. */
  predicate_type: z.literal('https://slsa.dev/provenance/v1'),
  build_type: z.string(),
  builder: z.strictObject({
    id: z.string(),
    version: stringMap.optional(),
    builder_dependencies: listOf(z.strictObject(source)).optional(),
  }),
  invocation: z
    .strictObject({
      config_source: z.strictObject({ ...source, entry_point: z.string().optional() }).optional(),
      parameters: openObject.optional(),
      environment: openObject.optional(),
    })
    .optional(),
  subject_digest: stringMap,
  slsa_level: z.int().min(0).max(4).optional(),
  attested_at: time,
});

export const AiBomRefSchema = z.strictObject({
  type: z.literal('ai_bom_ref'),
  bom_format: z.literal('CycloneDX'),
  spec_version: z.string(),
  bom_uri: z.string(),
  bom_sha256: hash64,
  models: listOf(
    z.strictObject({
      name: z.string(),
      version: z.string().optional(),
      source: z.string().optional(),
      license: z.string().optional(),
    }),
  ).optional(),
  training_data_summary: z.string().optional(),
  attested_at: time,
});

export const C2paAssertionSchema = z.strictObject({
  type: z.literal('c2pa_assertion'),
  content_digest: stringMap,
  manifest_uri: z.string().optional(),
  manifest_sha256: hash64.optional(),
  claim_generator: z.string().optional(),
  content_type: z.string().optional(),
  signature_info: z
    .strictObject({
      issuer: z.string().optional(),
      cert_thumbprint: certThumbprint.optional(),
      signature_alg: z.string().optional(),
    })
    .optional(),
  attested_at: time,
});
