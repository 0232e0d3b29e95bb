import { z } from 'zod';

/** More than anybody has people, and few enough to be counted (the seat ceiling of a tier is far below). */
const MAX_PURCHASED_SEATS = 100_000;

export const SetSeatsSchema = z
  .strictObject({
    purchased_seats: z.int().min(0).max(MAX_PURCHASED_SEATS).meta({ description: 'Beside those of the tier, in all.' }),
  })
  .meta({ id: 'SetSeats' });
export type SetSeats = z.infer<typeof SetSeatsSchema>;

const Limit = z.int().nullable();

export const SeatsSchema = z
  .object({
    included_seats: Limit.meta({
      description: 'Those that come with the tier, owner included; null: without limit, as below.',
    }),
    purchased_seats: z.int(),
    total_seats: Limit,
    seat_ceiling: Limit.meta({ description: 'What total_seats can be made by buying.' }),
    seats_in_use: z.int(),
  })
  .meta({
    id: 'Seats',
    examples: [{ included_seats: 5, purchased_seats: 2, total_seats: 7, seat_ceiling: 10, seats_in_use: 6 }],
  });
export type Seats = z.infer<typeof SeatsSchema>;
