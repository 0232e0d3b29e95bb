import { z } from 'zod';
import { description } from '../../fields/text.ts';

export const caseKinds = ['alarm', 'differing_payment', 'life', 'receivable', 'refund'] as const;

const alarms = [
  'refund_paid_after_all',
  'refunds_unread',
  'dispute_unlisted',
  'payout_reversed_in_part',
  'upgrade_not_made',
  'subscription_refund_came_back',
  'subscription_not_given_back',
  'subscription_disputed',
  'unknown_price',
] as const;
export type BillingAlarm = (typeof alarms)[number];

export const BillingCaseSchema = z
  .object({
    kind: z.enum(caseKinds).meta({
      description:
        '`differing_payment`: paid, but not as it was requested, and not credited. `receivable`: what a wallet owes. ' +
        '`refund`: pending for more than a day, its amount still held. `life`: what Temporal refuses to wake, as a refund that is not asked for; ' +
        'it is tried again by itself, and ends when it is woken. `alarm`: what no rule decides about, see `alarm`.',
    }),
    alarm: z
      .enum(alarms)
      .nullable()
      .meta({
        description:
          '`refund_paid_after_all`: the provider has paid a refund that was released here, and the wallet has paid it again. `refunds_unread`: the ' +
          "provider's list of refunds of a payment cannot be read, so nothing moves for them. `dispute_unlisted`: a dispute has a status that " +
          'this release does not know; only what was moved for it counts. `payout_reversed_in_part`: a part of a payout was taken back from the ' +
          "publisher's account. `upgrade_not_made`: an upgrade was paid and not made; refund it at the provider. " +
          '`subscription_refund_came_back`: the bank sent back what was refunded of a second subscription; the operator does not have it. ' +
          '`subscription_not_given_back`: an operator may pay for a second subscription, and the provider does not give it back; end and refund it there. ' +
          '`subscription_disputed`: a payment for a subscription is disputed, and the tier stays; decide whether to end it at the provider. ' +
          '`unknown_price`: a subscription that is paid has a price that no setting names, so its tier or seats do not count. Null unless the kind is `alarm`.',
      }),
    id: z.string(),
    operator_id: z.string(),
    amount_cents: z.int().nullable().meta({
      description:
        'The sum that it is about, of a receivable what is still owed; null for a life, and where the provider named no amount.',
    }),
    currency: z.string().nullable(),
    concerns: z.string().nullable().meta({
      description:
        'The top-up of a payment, the transaction of a refund; of an alarm the refund, top-up, dispute, payout, change or subscription; null for a receivable and a life, whose id names what it moves.',
    }),
    since: z.iso.datetime(),
  })
  .meta({
    id: 'BillingCase',
    description: 'Something about money that waits for a person.',
    examples: [
      {
        kind: 'refund',
        alarm: null,
        id: 'rfd_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        operator_id: 'op_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        amount_cents: 5_000,
        currency: 'usd',
        concerns: 'txn_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        since: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type BillingCase = z.infer<typeof BillingCaseSchema>;

const reason = description.meta({ description: 'Why, for the audit trail.' });

export const SettleRefundSchema = z
  .strictObject({
    outcome: z.enum(['succeeded', 'failed']).meta({
      description:
        '`succeeded`: the provider has paid it, and what is held is taken. `failed`: the wallet has it again. ' +
        "The provider's list of refunds is read after that, and has the last word.",
    }),
    reason,
  })
  .meta({ id: 'SettleRefund' });

export const DecideCaseSchema = z.strictObject({ reason }).meta({ id: 'DecideBillingCase' });

export const DecidedCaseSchema = z
  .object({
    kind: z.enum(caseKinds),
    id: z.string(),
    operator_id: z.string(),
    outcome: z.enum(['succeeded', 'failed', 'closed', 'taken', 'dismissed']),
    transaction_id: z
      .string()
      .nullable()
      .meta({ description: 'The row of the wallet that it made; null where none was.' }),
  })
  .meta({
    id: 'DecidedBillingCase',
    examples: [
      {
        kind: 'refund',
        id: 'rfd_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        operator_id: 'op_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        outcome: 'failed',
        transaction_id: null,
      },
    ],
  });
export type DecidedCase = z.infer<typeof DecidedCaseSchema>;
