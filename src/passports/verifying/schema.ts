import { z } from 'zod';
import { AuthorityRefSchema, PASSPORT_CLAIM, PassportClaimsSchema } from '../token.ts';
import { BudgetSchema } from '../budgets/queries.ts';
import { InvalidReasons } from './verify.ts';

/** It may have any length: a text that is no token is answered with a reason, it is not a fault of the request. */
const token = z.string();

export const VerifyBodySchema = z
  .strictObject({
    token,
    service_id: z.string().optional().meta({
      description:
        'Also check that the passport is for this service: has scopes for it, and names it in its audience, if any',
    }),
  })
  .meta({ id: 'VerifyPassport' });

const LiveAuthorityRefSchema = AuthorityRefSchema.extend({
  active: z.boolean().meta({ description: 'Whether the binding still holds' }),
}).meta({ id: 'LiveAuthorityRef' });

const budget = BudgetSchema.nullable().meta({ description: 'null: neither it nor a passport above has one' });

export const VerificationSchema = z
  .union([
    z
      .object({
        valid: z.literal(true),
        jti: z.string(),
        agent_id: z.string(),
        expires_at: z.iso.datetime(),
        audience: z
          .array(z.string())
          .nullable()
          .meta({ description: 'The `service_id`s that may accept it; null: all that it has scopes for' }),
        claims: PassportClaimsSchema,
        authority_refs: z.array(LiveAuthorityRefSchema),
        budget,
      })
      .meta({ id: 'ValidPassport' }),
    z
      .object({
        valid: z.literal(false),
        reason: z.enum(InvalidReasons).meta({ description: 'The first that applies, in this order' }),
      })
      .meta({ id: 'InvalidPassport' }),
  ])
  .meta({
    id: 'PassportVerification',
    description: 'Whether the passport counts now; for one that does not, the answer has only the reason.',
    examples: [{ valid: false, reason: 'revoked' }],
  });
export type Verification = z.infer<typeof VerificationSchema>;

export const IntrospectBodySchema = z
  .strictObject({
    token,
    token_type_hint: z.string().optional().meta({ description: 'Ignored: there is only one type of token' }),
  })
  .meta({ id: 'IntrospectPassport' });

export const IntrospectionSchema = z
  .union([
    z
      .object({
        active: z.literal(true),
        iss: z.string(),
        sub: z.string(),
        iat: z.int(),
        exp: z.int(),
        jti: z.string(),
        aud: z.array(z.string()).optional().meta({ description: 'The `service_id`s that may accept it' }),
        client_id: z.string().meta({ description: 'The agent' }),
        scope: z.string().meta({ description: 'The scopes of all services, separated by spaces' }),
        token_type: z.literal('Bearer'),
        [PASSPORT_CLAIM]: PassportClaimsSchema,
        authority_refs: z.array(LiveAuthorityRefSchema),
        budget,
      })
      .meta({ id: 'ActiveToken' }),
    z.object({ active: z.literal(false) }).meta({ id: 'InactiveToken' }),
  ])
  .meta({
    id: 'PassportIntrospection',
    description: 'Token introspection (RFC 7662) with the claims of the passport.',
    examples: [{ active: false }],
  });
export type Introspection = z.infer<typeof IntrospectionSchema>;
