import { z } from 'zod';

/** Whole US cents, negative for debits. */
const Cents = z.int();

export const MeterSchema = z.enum([
  'sealed_execution',
  'llm_gateway',
  'identity',
  'metered_action',
  'sms',
  'email',
  'l3',
]);

export const BalanceSchema = z
  .object({
    balance_cents: Cents.describe('Paid in and neither spent nor held. Of it reserved_cents is begun to be used.'),
    balance_usd: z.string().describe('balance_cents as dollars, without thousands separator.'),
    ledger_balance_cents: Cents.describe('Before holds.'),
    held_cents: Cents.describe('Held for open invocations and for refunds under way.'),
    reserved_cents: Cents.describe(
      'Begun by meters and not debited yet, in whole cents: promised to nothing else. Part of balance_cents.',
    ),
    available_cents: Cents.describe(
      'The highest price that can be paid now: balance_cents less reserved_cents, and 0 while something is owed.',
    ),
    receivable_cents: Cents.describe(
      'Owed since payments were taken back that the wallet could not cover. While it is above zero nothing is spent: ' +
        'money that becomes available pays it first.',
    ),
    remainders: z
      .array(
        z
          .object({ meter: MeterSchema, microcents: z.int().min(1).describe('Less than a cent.') })
          .meta({ id: 'MeterRemainder' }),
      )
      .describe('The parts of reserved_cents: for each meter what it has charged and no debit has taken yet.'),
  })
  .meta({
    id: 'Balance',
    description: 'The wallet of the calling operator, in US cents.',
    examples: [
      {
        balance_cents: 975,
        balance_usd: '$9.75',
        ledger_balance_cents: 1000,
        held_cents: 25,
        reserved_cents: 1,
        available_cents: 974,
        receivable_cents: 0,
        remainders: [{ meter: 'sealed_execution', microcents: 450_000 }],
      },
    ],
  });
export type Balance = z.infer<typeof BalanceSchema>;

const Named = z.object({ id: z.string(), name: z.string() }).meta({ id: 'NamedReference' }).nullable();
const InvocationReference = z
  .object({ id: z.string(), status: z.string() })
  .meta({ id: 'InvocationReference' })
  .nullable();
const MissionReference = z
  .object({ id: z.string(), declared_intent: z.string() })
  .meta({ id: 'MissionReference' })
  .nullable();
export const TopUpReference = z
  .object({ id: z.string(), transaction_id: z.string().nullable().describe('Its credit; null: it was not paid.') })
  .meta({ id: 'TopUpReference' })
  .nullable();
export const DisputeReference = z
  .object({
    id: z.string().describe("The payment provider's."),
    status: z.string().describe("In the provider's words."),
  })
  .meta({ id: 'DisputeReference' })
  .nullable();
const Microcents = z.int().min(0);

export const TransactionTypeSchema = z.enum([
  'topup',
  'refund',
  'invocation',
  'compute',
  'identity',
  'overage',
  'adjustment',
]);
export type TransactionType = z.infer<typeof TransactionTypeSchema>;

const DeclaredPurpose = z
  .string()
  .nullable()
  .describe('The purpose of the mission or passport it was made under; never a prompt.');

/** The charge of a source, for whom and for what it was. */
const charge = {
  charged_microcents: Microcents.describe('Its whole charge, the fee included.'),
  allocated_microcents: Microcents.describe(
    'Its exact share in this debit or remainder; the rest is in the debits before and after.',
  ),
  agent: Named,
  mission: MissionReference,
  skill: Named,
  invocation: InvocationReference,
  sealed_step_index: z.int().nullable(),
};

export const ModelCallSourceSchema = z
  .object({
    id: z.string(),
    created_at: z.iso.datetime(),
    operation: z.string(),
    declared_purpose: DeclaredPurpose,
    provider: z.string(),
    model: z.string(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    cached_prompt_tokens: z.int().nullable(),
    streaming: z.boolean(),
    ...charge,
  })
  .meta({ id: 'ModelCallSource', description: 'A model call that contributed to a debit or a remainder.' });

export const MachineSourceSchema = z
  .object({
    id: z.string(),
    created_at: z.iso.datetime(),
    duration_ms: z.int(),
    declared_purpose: DeclaredPurpose,
    ...charge,
  })
  .meta({
    id: 'MachineSource',
    description: 'A step of sealed execution whose machine time contributed to a debit or a remainder.',
  });

const DetailsSchema = z.object({
  skill_id: z
    .string()
    .nullable()
    .describe('For usage: the skill whose charge completed the cent; the same holds for invocation_id.'),
  invocation_id: z.string().nullable(),
  mission_id: z.string().nullable(),
  skill: Named,
  invocation: InvocationReference,
  mission: MissionReference,
  top_up: TopUpReference.describe(
    'The top-up that a credit, a refund, a dispute, a return or the payment of a debt is about; of others null.',
  ),
  refund_id: z
    .string()
    .nullable()
    .describe('The refund that the row pays, or that came back; null where it was made without us.'),
  dispute: DisputeReference.describe('The dispute that took the money, or gave it back, and its status today.'),
  llm_sources: z.array(ModelCallSourceSchema).describe('The newest 200.'),
  machine_sources: z.array(MachineSourceSchema).describe('The newest 200.'),
  source_count: z
    .int()
    .describe(
      'The number of sources of both kinds, also of those that are not shown: `GET /v1/billing/transactions/{id}/sources` has all of them.',
    ),
  machine_cost_microcents: Microcents.nullable().describe('The sum of all machine sources, shown or not.'),
  source_status: z
    .enum(['recorded', 'not_recorded'])
    .nullable()
    .describe('`recorded`: the sources make up the whole debit. null: rows of this kind have no sources.'),
});

/** The details of a row that has neither skill, mission nor usage. */
export const noDetails: z.infer<typeof DetailsSchema> = {
  skill_id: null,
  invocation_id: null,
  mission_id: null,
  skill: null,
  invocation: null,
  mission: null,
  top_up: null,
  refund_id: null,
  dispute: null,
  llm_sources: [],
  machine_sources: [],
  source_count: 0,
  machine_cost_microcents: null,
  source_status: null,
};

/**
 * A row of the wallet. Every member of `details` is present, null or [] where there is nothing to show, so that clients
 * need no checks for absent members.
 */
export const WalletTransactionSchema = z
  .object({
    id: z.string(),
    type: TransactionTypeSchema,
    amount_cents: Cents.describe('Negative for debits.'),
    balance_after_cents: Cents.nullable().describe(
      '`ledger_balance_cents` right after this row, regardless of the filters. null: a row that an older release wrote during an upgrade.',
    ),
    meter: MeterSchema.nullable(),
    description: z.string(),
    created_at: z.iso.datetime(),
    receipt_url: z.url().nullable().describe("The payment provider's receipt, for a top-up that has one."),
    details: DetailsSchema,
  })
  .meta({
    id: 'WalletTransaction',
    description: 'One movement of money into or out of a wallet.',
    examples: [
      {
        id: 'txn_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        type: 'adjustment',
        amount_cents: 1000,
        balance_after_cents: 1000,
        meter: null,
        description: 'Welcome credit',
        created_at: '2026-11-21T12:00:00.000Z',
        receipt_url: null,
        details: noDetails,
      },
      {
        id: 'txn_01K9ZC9T0M3Q8V6W2X5Y7ZABCD',
        type: 'compute',
        amount_cents: -1,
        balance_after_cents: 999,
        meter: 'sealed_execution',
        description: 'Sealed execution',
        created_at: '2026-11-21T12:05:00.000Z',
        receipt_url: null,
        details: {
          ...noDetails,
          llm_sources: [
            {
              id: 'llm_01K9ZC8T0M3Q8V6W2X5Y7ZABCD',
              created_at: '2026-11-21T12:04:00.000Z',
              operation: 'sealed_step',
              declared_purpose: 'Pay the invoices of November',
              provider: 'openai',
              model: 'gpt-5-mini',
              prompt_tokens: 900,
              completion_tokens: 100,
              total_tokens: 1_000,
              cached_prompt_tokens: null,
              streaming: false,
              charged_microcents: 1_000_500,
              allocated_microcents: 989_650,
              agent: null,
              mission: { id: 'ms_01K9ZC5T0M3Q8V6W2X5Y7ZABCD', declared_intent: 'Pay the invoices of November' },
              skill: null,
              invocation: null,
              sealed_step_index: 1,
            },
          ],
          machine_sources: [
            {
              id: 'mch_01K9ZC9S0M3Q8V6W2X5Y7ZABCD',
              created_at: '2026-11-21T12:05:00.000Z',
              duration_ms: 9_000,
              declared_purpose: 'Pay the invoices of November',
              charged_microcents: 51_750,
              allocated_microcents: 10_350,
              agent: null,
              mission: { id: 'ms_01K9ZC5T0M3Q8V6W2X5Y7ZABCD', declared_intent: 'Pay the invoices of November' },
              skill: null,
              invocation: null,
              sealed_step_index: 2,
            },
          ],
          source_count: 2,
          machine_cost_microcents: 10_350,
          source_status: 'recorded',
        },
      },
    ],
  });
export type WalletTransaction = z.infer<typeof WalletTransactionSchema>;
