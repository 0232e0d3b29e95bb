import { z } from 'zod';
import { withSomeField } from '../../fields/objects.ts';
import { email, name } from '../../fields/text.ts';
import { TierSchema } from '../../fields/tiers.ts';
import { PublicJwkSchema } from '../agents/public-jwk.ts';

const lowBalanceCents = z.int().min(1).nullable();
/** Old and new keys of several signers; more would be a directory. */
const MAX_KEYS = 10;
const publicJwks = z.array(PublicJwkSchema).max(MAX_KEYS);
const commissionBps = z.int().min(0).max(10_000).nullable();

export const OperatorSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    status: z.enum(['active', 'suspended']),
    tier: TierSchema,
    commission_bps: commissionBps.meta({
      description: 'Commission on earnings, in hundredths of a percent; null: the service-wide rate.',
    }),
    payout_account: z.string().nullable().meta({
      description:
        'Its account at the payment provider, to which earnings are paid out; null: they accumulate until there is one.',
    }),
    low_balance_cents: lowBalanceCents.meta({
      description:
        'With less than this available the wallet is low: `wallet.low_balance` is an event of rules that name it. null: never.',
    }),
    passports_may_invoke: z.boolean().meta({
      description:
        'Whether a passport that has a budget, and is for this service alone, may invoke for its agent without a key.',
    }),
    public_jwks: publicJwks.meta({ description: 'The keys by which it co-signs claims.' }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'Operator',
    description: 'A person or company whose agents, skills and wallet live here.',
    examples: [
      {
        id: 'op_01K0000000000000000000000A',
        name: 'Ada Ltd',
        email: 'ada@example.com',
        status: 'active',
        tier: 'free',
        commission_bps: null,
        payout_account: null,
        low_balance_cents: null,
        passports_may_invoke: false,
        public_jwks: [],
        created_at: '2026-11-21T12:00:00.000Z',
        updated_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Operator = z.infer<typeof OperatorSchema>;

export const RegisterOperatorSchema = z.strictObject({ name, email }).meta({ id: 'RegisterOperator' });
export type RegisterOperator = z.infer<typeof RegisterOperatorSchema>;

export const RegisteredOperatorSchema = z
  .object({
    operator: OperatorSchema,
    api_key: z.string().meta({ description: 'Its first key, of role admin; shown only once.' }),
  })
  .meta({ id: 'RegisteredOperator' });
export type RegisteredOperator = z.infer<typeof RegisteredOperatorSchema>;

export const UpdateOperatorSchema = withSomeField(
  z.strictObject({
    name: name.optional(),
    email: email.optional(),
    payout_account: z
      .string()
      .regex(/^acct_[A-Za-z0-9]{1,64}$/, 'must be an account of the payment provider, acct_…')
      .nullable()
      .optional()
      .meta({ description: 'Only an owner changes it: in a dashboard session, or by approving the change.' }),
    low_balance_cents: lowBalanceCents.optional(),
    passports_may_invoke: z.boolean().optional().meta({ description: 'Allowing it needs the approval of a person.' }),
    public_jwks: publicJwks.optional().meta({
      description:
        'All keys by which it co-signs claims: those that are left out are removed. `signer_kid` is the RFC 7638 thumbprint of a key.',
    }),
  }),
).meta({ id: 'UpdateOperator' });
export type UpdateOperator = z.infer<typeof UpdateOperatorSchema>;

export const AdministerOperatorSchema = withSomeField(
  z.strictObject({
    tier: TierSchema.optional(),
    status: OperatorSchema.shape.status.optional(),
    commission_bps: commissionBps.optional(),
  }),
).meta({ id: 'AdministerOperator' });
export type AdministerOperator = z.infer<typeof AdministerOperatorSchema>;

/** Filters of the operators as the platform lists them. */
export const operatorFilters = {
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Those whose name begins so, without regard to case.' }),
  email: z
    .string()
    .min(1)
    .max(254)
    .optional()
    .meta({ description: 'Those with this e-mail address, without regard to case.' }),
  status: OperatorSchema.shape.status.optional(),
};
export type OperatorFilters = z.output<z.ZodObject<typeof operatorFilters>>;
