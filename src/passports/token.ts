import { z } from 'zod';
import { CarnetError } from '../errors/carnet-error.ts';
import { SignedConstraintSchema } from './issuing/constraints.ts';

/** The member of a token with everything that is not standard JWT. */
export const PASSPORT_CLAIM = 'svcns';

/** Most characters, which are bytes, of a token: verifiers and proxies refuse longer headers. */
export const MAX_TOKEN_CHARACTERS = 16_384;

const text = z.string();
const seconds = z.int().min(0);

/** The rights of a passport at one service. */
export const ServiceScopeSchema = z
  .strictObject({
    service_id: text,
    service_name: text,
    scopes: z.array(text),
    credential_ref: text.nullable(),
    connection_id: text,
    allow_data_from: z.array(text).meta({ description: 'Names of the services whose content may flow into this one' }),
    constraints: z.array(SignedConstraintSchema).meta({ description: 'Limits on the calls; all of them hold' }),
  })
  .meta({ id: 'PassportServiceScope' });
export type ServiceScope = z.infer<typeof ServiceScopeSchema>;

const PassportIdentityClaimSchema = z
  .strictObject({
    claim_id: text,
    provider: text,
    layer: text,
    claim_type: text,
    assurance_level: text,
    verified_at: seconds.nullable(),
    expires_at: seconds.nullable(),
    humanity_verified: z.boolean(),
    holder: text.optional().meta({
      description:
        'Who the claim is about: an agent, or the operator for a claim about the account; not in passports that an earlier release signed',
    }),
  })
  .meta({ id: 'PassportIdentityClaim' });
export type PassportIdentityClaim = z.infer<typeof PassportIdentityClaimSchema>;

export const AuthorityRefSchema = z
  .strictObject({
    binding_id: text,
    binding_version: z.int(),
    binding_claim_id: text,
    binding_digest: text,
    receiver_id: text,
    receiver_profile_version_id: text,
    expires_at: seconds,
  })
  .meta({ id: 'AuthorityRef' });
export type AuthorityRef = z.infer<typeof AuthorityRefSchema>;

export const PassportClaimsSchema = z
  .strictObject({
    operator_id: text,
    agent_id: text,
    agent_name: text,
    services: z.array(ServiceScopeSchema),
    identity_claims: z.array(PassportIdentityClaimSchema),
    authority_refs: z.array(AuthorityRefSchema),
    delegation_depth: z.int().min(0).max(4),
    session_id: text,
    /** From the weakest to the strongest. */
    accountability: z.enum(['standard', 'logged', 'enforced']),
    intent_summary: text.optional(),
    intent_services: z.array(text).optional(),
    checkpoint_interval: seconds.optional(),
    mission_ids: z.array(text),
    chain: z.array(text).meta({ description: 'The passports it was delegated from, the root first' }),
  })
  .meta({ id: 'PassportClaims' });
export type PassportClaims = z.infer<typeof PassportClaimsSchema>;

/** The claims without mode and interval: those are signed as the row of the lineage has them. */
export type ComposedClaims = Omit<PassportClaims, 'accountability' | 'checkpoint_interval'>;

/** The payload of a passport. Any other member makes a token malformed: it could require something nobody checks. */
export const PassportPayloadSchema = z.strictObject({
  iss: text,
  sub: text,
  iat: seconds,
  exp: seconds,
  jti: text.regex(/^psp_[0-9A-HJKMNP-TV-Z]{26}$/),
  [PASSPORT_CLAIM]: PassportClaimsSchema,
  nbf: seconds.optional(),
  /** Ids of services; without it every service that the passport has scopes for. */
  aud: z.array(text).optional(),
  status: z.strictObject({ status_list: z.strictObject({ idx: z.int().min(0), uri: text }) }).optional(),
});
export type PassportPayload = z.infer<typeof PassportPayloadSchema>;

/**
 * Our keys sign these: passports, and lists of revoked ones. The type keeps one from being accepted as the other.
 */
export type TokenType = 'JWT' | 'statuslist+jwt';

/** The first segment of every token of this key and type, byte for byte. */
export const headerSegment = (kid: string, typ: TokenType): string =>
  Buffer.from(JSON.stringify({ alg: 'EdDSA', kid, typ })).toString('base64url');

/** @throws CarnetError PASSPORT_TOO_LARGE */
export function assertTokenFits(token: string): void {
  if (token.length <= MAX_TOKEN_CHARACTERS) return;
  throw new CarnetError(
    'PASSPORT_TOO_LARGE',
    `The passport would have ${token.length} characters, more than the ${MAX_TOKEN_CHARACTERS} that verifiers take; ` +
      'request fewer services, scopes, constraints or intents.',
  );
}
