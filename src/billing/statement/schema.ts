import { z } from 'zod';
import { cursorMembers } from '../../http/lists/pagination.ts';
import { queryInstant } from '../../http/query.ts';
import {
  MachineSourceSchema,
  MeterSchema,
  ModelCallSourceSchema,
  TransactionTypeSchema,
  WalletTransactionSchema,
} from '../wallet/schema.ts';

/** The filters of a statement. */
export const statementFilters = {
  view: z.literal('timeline').optional().describe('Wallet rows and model calls in one order.'),
  entry_kind: z
    .enum(['all', 'wallet', 'llm'])
    .default('all')
    .describe('Which rows of the timeline to show; ignored without it.'),
  type: TransactionTypeSchema.optional().describe(
    'On the timeline it leaves wallet rows only, as direction does: a model call has neither.',
  ),
  direction: z.enum(['in', 'out']).optional().describe('`in`: credits. `out`: debits, refunds of top-ups among them.'),
  since: queryInstant.optional().describe('At that instant or later.'),
  until: queryInstant.optional().describe('Before that instant.'),
};
export type StatementFilters = z.output<z.ZodObject<typeof statementFilters>>;

/**
 * Rows that a filtered statement counts at most: a count reads every row that it counts, and 300,000 took 240 ms.
 * Without filters the positions themselves say how many there are.
 */
export const ROWS_COUNTED = 10_000;

const RemainderSchema = z
  .object({
    meter: MeterSchema,
    microcents: z.int().describe('Less than a cent.'),
    llm_sources: z.array(ModelCallSourceSchema).describe('The newest 200.'),
    machine_sources: z.array(MachineSourceSchema).describe('The newest 200.'),
  })
  .meta({
    id: 'Remainder',
    description: 'The charge of a meter that no debit has taken yet: the next debit of it begins with these sources.',
  });

export const StatementSchema = z
  .object({
    total: z
      .int()
      .describe(
        'Rows under these filters when the first page was read; with type or direction they are counted up to ' +
          `${ROWS_COUNTED}, which then stands for as many or more.`,
      ),
    receivable_cents: z.int().describe('The debt of the wallet now: no row shows it before it is paid.'),
    remainders: z
      .array(RemainderSchema)
      .nullable()
      .describe('By meter, regardless of the filters, when the first page was read; null on later pages.'),
    ...cursorMembers,
    transactions: z.array(WalletTransactionSchema),
  })
  .meta({ id: 'Statement', description: 'Rows of your wallet, newest first.' });

export const SourcesSchema = z
  .object({
    llm_sources: z.array(ModelCallSourceSchema),
    machine_sources: z.array(MachineSourceSchema),
    ...cursorMembers,
  })
  .meta({
    id: 'DebitSources',
    description: 'The sources of a debit, oldest first; a page has both kinds.',
  });

export const DaysSchema = z
  .object({
    since: z.iso
      .datetime()
      .describe(
        'From this instant on every row counts: the beginning of the first day, or later where `complete` is false.',
      ),
    complete: z
      .boolean()
      .describe('false: there are more rows than are read, so the first days are missing or are not whole.'),
    sums: z
      .array(
        z
          .object({
            day: z.iso.date().describe('In UTC.'),
            type: TransactionTypeSchema,
            in_cents: z.int().min(0),
            out_cents: z.int().min(0),
          })
          .meta({ id: 'DailySum' }),
      )
      .describe('The oldest day first; days on which nothing moved are absent.'),
  })
  .meta({
    id: 'DailySums',
    description: 'The money that came into a wallet and went out of it, by day and type.',
    examples: [
      {
        since: '2026-10-23T00:00:00.000Z',
        complete: true,
        sums: [
          { day: '2026-11-20', type: 'topup', in_cents: 5_000, out_cents: 0 },
          { day: '2026-11-21', type: 'invocation', in_cents: 0, out_cents: 75 },
        ],
      },
    ],
  });

const TransactionRowSchema = z.object({
  kind: z.literal('wallet_transaction'),
  transaction: z
    .object({
      id: z.string(),
      type: TransactionTypeSchema,
      amount_cents: z.int(),
      amount_microcents: z.int().describe('The same amount in the unit of the prices of calls.'),
      created_at: z.iso.datetime(),
    })
    .meta({ id: 'TimelineTransaction' }),
});

const ModelCallRowSchema = z.object({
  kind: z.literal('llm_call'),
  call: z
    .object({
      id: z.string(),
      operation: z.string(),
      provider: z.string(),
      model: z.string(),
      total_tokens: z.int(),
      price: z.object({
        state: z.enum(['wallet_price', 'included', 'covered', 'unavailable']),
        amount_microcents: z
          .int()
          .nullable()
          .describe('The charge to the wallet, or the cost that the platform covers.'),
      }),
      created_at: z.iso.datetime(),
    })
    .meta({ id: 'TimelineCall' }),
});

export const TimelineSchema = z
  .object({
    snapshot_at: z.iso.datetime().describe('When the first page was read: no page shows what happened later.'),
    ...cursorMembers,
    rows: z.array(z.discriminatedUnion('kind', [TransactionRowSchema, ModelCallRowSchema])),
  })
  .meta({
    id: 'Timeline',
    description:
      'Wallet rows and standalone model calls, newest first. ' +
      'A call of which a debit has taken a part stands under that debit, in `details.llm_sources`.',
    examples: [
      {
        snapshot_at: '2026-11-21T12:10:00.000Z',
        next_cursor: null,
        has_more: false,
        rows: [
          {
            kind: 'llm_call',
            call: {
              id: 'llm_01K9ZCAT0M3Q8V6W2X5Y7ZABCD',
              operation: 'sealed_step',
              provider: 'openai',
              model: 'gpt-5-mini',
              total_tokens: 1_000,
              price: { state: 'wallet_price', amount_microcents: 115_000 },
              created_at: '2026-11-21T12:06:00.000Z',
            },
          },
          {
            kind: 'wallet_transaction',
            transaction: {
              id: 'txn_01K9ZC9T0M3Q8V6W2X5Y7ZABCD',
              type: 'compute',
              amount_cents: -1,
              amount_microcents: -1_000_000,
              created_at: '2026-11-21T12:05:00.000Z',
            },
          },
        ],
      },
    ],
  });
