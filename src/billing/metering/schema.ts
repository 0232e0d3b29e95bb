import { z } from 'zod';

const Count = z.int().min(0);
const Period = z.object({ start: z.iso.datetime(), end: z.iso.datetime().describe('Exclusive.') });
const Limit = Count.nullable().describe('null: without limit.');

const AllowanceSchema = z
  .object({
    used: Count,
    included: Limit,
    overage: Count.describe('The part of used that was charged to the wallet.'),
  })
  .meta({ id: 'Allowance' });
export type Allowance = z.infer<typeof AllowanceSchema>;

/** The amount that a tier includes of each meter, in the order of the answer. */
const AllowancesSchema = z.object({
  metered_actions: AllowanceSchema.describe(
    'Passports issued, delegated and refreshed, checkpoints, checkouts, invocations and submitted claims.',
  ),
  l3_classifications: AllowanceSchema,
  sms: AllowanceSchema,
  email: AllowanceSchema,
});

const example = {
  tier: 'developer',
  billing_period: { start: '2026-11-12T09:30:00.000Z', end: '2026-12-12T09:30:00.000Z' },
  allowance_period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
  usage: { passports: 310, agents: 4, drop_offs: 0, skill_invocations: 1200, published_skills: 2 },
  allowances: {
    metered_actions: { used: 1900, included: 250_000, overage: 0 },
    l3_classifications: { used: 0, included: 2000, overage: 0 },
    sms: { used: 0, included: 10, overage: 0 },
    email: { used: 0, included: 1000, overage: 0 },
  },
  seats: { included_seats: 3, purchased_seats: 1, total_seats: 4, seat_ceiling: 5, seats_in_use: 2 },
  storage: { used_bytes: 48_211_304, included_bytes: 10_737_418_240 },
};

export const UsageSchema = z
  .object({
    tier: z.string(),
    billing_period: Period.describe('The period of the subscription; on tier free the calendar month.'),
    allowance_period: Period.describe('The calendar month (UTC), with which allowances start again.'),
    usage: z
      .object({
        passports: Count.describe('Passports issued, delegated and refreshed in the allowance period.'),
        agents: Count.describe('Agents that exist now.'),
        drop_offs: Count,
        skill_invocations: Count.describe('Invocations that you made in the allowance period.'),
        published_skills: Count.describe('Skills that can be invoked now, listed or not.'),
      })
      .meta({ id: 'UsageCounts' }),
    allowances: AllowancesSchema,
    seats: z.object({
      included_seats: Limit,
      purchased_seats: Count,
      total_seats: Limit,
      seat_ceiling: Limit,
      seats_in_use: Count,
    }),
    storage: z
      .object({
        used_bytes: Count.describe(
          'Inputs, outputs, claims and inbound contents that are kept, as they were counted last night.',
        ),
        included_bytes: Limit,
      })
      .meta({
        id: 'Storage',
        description: 'Where it is full, nothing new is taken that would be kept: 403 TIER_LIMIT_EXCEEDED.',
      }),
  })
  .meta({
    id: 'Usage',
    description: 'The use of the calling operator, beside what its tier includes.',
    examples: [example],
  });
export type Usage = z.infer<typeof UsageSchema>;
