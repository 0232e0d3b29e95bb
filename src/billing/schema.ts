import { z } from 'zod';

/** Whole US cents, negative for debits. */
const Cents = z.int();

export const BalanceSchema = z
  .object({
    balance_cents: Cents.describe('Available: what was paid in and is neither spent nor held.'),
    balance_usd: z.string().describe('balance_cents as dollars, without thousands separator.'),
    ledger_balance_cents: Cents.describe('Before holds.'),
    held_cents: Cents.describe('Promised to open invocations.'),
  })
  .meta({
    id: 'Balance',
    description: 'The wallet of the calling operator, in US cents.',
    examples: [{ balance_cents: 975, balance_usd: '$9.75', ledger_balance_cents: 1000, held_cents: 25 }],
  });
export type Balance = z.infer<typeof BalanceSchema>;

const Named = z.object({ id: z.string(), name: z.string() }).nullable();

const TransactionTypeSchema = z.enum([
  'topup',
  'refund',
  'invocation',
  'compute',
  'identity',
  'overage',
  'adjustment',
]);

const DetailsSchema = z.object({
  skill_id: z.string().nullable(),
  invocation_id: z.string().nullable(),
  mission_id: z.string().nullable(),
  skill: Named,
  invocation: z.object({ id: z.string(), status: z.string() }).nullable(),
  mission: z.object({ id: z.string(), declared_intent: z.string() }).nullable(),
  llm_sources: z.array(z.unknown()),
  machine_sources: z.array(z.unknown()),
  machine_cost_microcents: z.int().nullable(),
  source_status: z.enum(['recorded', 'not_recorded']).nullable(),
});

/** Of a row that came about by neither skill, mission nor usage. */
export const noDetails: z.infer<typeof DetailsSchema> = {
  skill_id: null,
  invocation_id: null,
  mission_id: null,
  skill: null,
  invocation: null,
  mission: null,
  llm_sources: [],
  machine_sources: [],
  machine_cost_microcents: null,
  source_status: null,
};

/**
 * A row of the wallet (Billing §2.2). Every key of `details` is there, null or [] where it says nothing (decisions
 * B26).
 */
export const WalletTransactionSchema = z
  .object({
    id: z.string(),
    type: TransactionTypeSchema,
    amount_cents: Cents.describe('Negative for debits.'),
    meter: z.string().nullable(),
    description: z.string(),
    created_at: z.iso.datetime(),
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
        meter: null,
        description: 'Welcome credit',
        created_at: '2026-11-21T12:00:00.000Z',
        details: noDetails,
      },
    ],
  });
export type WalletTransaction = z.infer<typeof WalletTransactionSchema>;
