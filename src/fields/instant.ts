import { z } from 'zod';

/** ISO 8601 from 1970 to 9999, converted to UTC: Postgres knows neither the year 0 nor an offset of 23 hours. */
export const instant = z.iso
  .datetime({ offset: true })
  .refine(
    (value) => !(Date.parse(value) < 0 || Date.parse(value) >= Date.UTC(10_000, 0)),
    'must lie between 1970 and 9999',
  )
  .transform((value) => new Date(value).toISOString());
