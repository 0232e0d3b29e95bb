import { z } from 'zod';

const Cents = z.int();

const PayoutStatusSchema = z.enum(['rolled_over', 'pending_account', 'due', 'transferring', 'paid', 'failed']);

export const PayoutSchema = z
  .object({
    id: z.string(),
    month: z.string().describe('Up to whose end, in UTC, the earnings count; YYYY-MM.'),
    gross_cents: Cents.describe('Captured and not paid out before, what earlier months carried over included.'),
    commission_cents: Cents.describe('Rounded down; taken when the statement is paid out, so once of every cent.'),
    net_cents: Cents,
    status: PayoutStatusSchema.describe(
      "rolled_over: below the minimum, so part of the next month's; pending_account: there is no payout_account yet, so part of " +
        "the next month's; due: the transfer has yet to begin; failed: refused for good, and back among the earnings.",
    ),
    created_at: z.iso.datetime(),
    paid_at: z.iso.datetime().nullable(),
  })
  .meta({
    id: 'Payout',
    description: 'The statement of a month, in US cents, and what became of it.',
    examples: [
      {
        id: 'pyt_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        month: '2026-10',
        gross_cents: 12_345,
        commission_cents: 1_234,
        net_cents: 11_111,
        status: 'paid',
        created_at: '2026-11-01T03:00:01.000Z',
        paid_at: '2026-11-01T03:00:03.000Z',
      },
    ],
  });
export type Payout = z.infer<typeof PayoutSchema>;

/** Where a payout stands; `gone`: there is none of that id. */
export type PayoutState = Payout['status'] | 'gone';

export const EarningsSchema = z
  .object({
    available_cents: Cents.describe('Captured and not paid out; before commission.'),
    pending_cents: Cents.describe('Gone from there into a transfer of which the outcome is not known yet.'),
    lifetime_cents: Cents.describe('Everything ever captured: available, pending and paid out, before commission.'),
  })
  .meta({
    id: 'Earnings',
    description: 'What others paid for the skills of the calling operator, in US cents; no part of its wallet.',
    examples: [{ available_cents: 250, pending_cents: 0, lifetime_cents: 12_595 }],
  });
export type Earnings = z.infer<typeof EarningsSchema>;
