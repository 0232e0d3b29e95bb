import { z } from 'zod';

/**
 * More seats than any operator needs, and small enough to add up exactly; the seat ceilings of the tiers are far below.
 */
const MAX_PURCHASED_SEATS = 100_000;

export const SetSeatsSchema = z
  .strictObject({
    purchased_seats: z
      .int()
      .min(0)
      .max(MAX_PURCHASED_SEATS)
      .meta({ description: 'All seats bought in addition to those of the tier; not a difference.' }),
  })
  .meta({ id: 'SetSeats' });
export type SetSeats = z.infer<typeof SetSeatsSchema>;

const Limit = z.int().nullable();

export const SeatsSchema = z
  .object({
    included_seats: Limit.meta({
      description: 'Seats that come with the tier, including the one of the owner; null: without limit.',
    }),
    purchased_seats: z.int(),
    total_seats: Limit,
    seat_ceiling: Limit.meta({ description: 'The most that total_seats can reach by buying; null: without limit.' }),
    seats_in_use: z.int(),
  })
  .meta({
    id: 'Seats',
    examples: [{ included_seats: 5, purchased_seats: 2, total_seats: 7, seat_ceiling: 10, seats_in_use: 6 }],
  });
export type Seats = z.infer<typeof SeatsSchema>;
