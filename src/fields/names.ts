import { z } from 'zod';
import { distinct, text } from './fields.ts';

export const name = text(1, 128);

/** Scopes, or services by name. */
export const distinctNames = distinct(name, 100);

export const description = text(1, 2_000);
/** ISO 8601 from 1970 to 9999, carried on in UTC: Postgres knows neither the year 0 nor an offset of 23 hours. */
export const instant = z.iso
  .datetime({ offset: true })
  .refine(
    (value) => !(Date.parse(value) < 0 || Date.parse(value) >= Date.UTC(10_000, 0)),
    'must lie between 1970 and 9999',
  )
  .transform((value) => new Date(value).toISOString());
