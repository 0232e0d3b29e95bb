import { z } from 'zod';

const Cents = z.int();

const PayoutStatusSchema = z.enum(['rolled_over', 'pending_account', 'due', 'transferring', 'paid', 'failed']);

export const PayoutSchema = z
  .object({
    id: z.string(),
    month: z.string().describe('YYYY-MM. The statement counts earnings up to the end of this month, in UTC.'),
    gross_cents: Cents.describe(
      'Captured and not paid out before, including what earlier months carried over, without what was paid by top-ups that are too young.',
    ),
    commission_cents: Cents.describe('Rounded down. Taken when the statement is paid out, so once from every cent.'),
    net_cents: Cents,
    status: PayoutStatusSchema.describe(
      'rolled_over: below the minimum, so it is part of the next month; pending_account: there is no payout_account yet, so it is ' +
        'part of the next month; due: the transfer has not begun yet; failed: refused for good, the amount is back in the earnings.',
    ),
    created_at: z.iso.datetime(),
    paid_at: z.iso.datetime().nullable(),
  })
  .meta({
    id: 'Payout',
    description: 'The statement of a month, in US cents, and the state of its payout.',
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

/** The status of a payout; `gone`: there is none of that id. */
export type PayoutState = Payout['status'] | 'gone';

export const EarningsSchema = z
  .object({
    available_cents: Cents.describe('Captured and not paid out; before commission.'),
    young_cents: Cents.describe(
      'The part of available_cents that was paid by top-ups that are too young for a statement that would be made now (PAYOUT_TOPUP_AGE_DAYS, 7 unless set); ' +
        'it waits for the next one.',
    ),
    pending_cents: Cents.describe('In a transfer whose outcome is not known yet; no longer in available_cents.'),
    lifetime_cents: Cents.describe('Everything ever captured: available, pending and paid out, before commission.'),
  })
  .meta({
    id: 'Earnings',
    description:
      'The money that others paid for the skills of the calling operator, in US cents. It is not part of the wallet.',
    examples: [{ available_cents: 250, young_cents: 100, pending_cents: 0, lifetime_cents: 12_595 }],
  });
export type Earnings = z.infer<typeof EarningsSchema>;
