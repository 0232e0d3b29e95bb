import { z } from 'zod';

/** Characters are Unicode code points, as in JSON Schema (decisions §2, trap 21); 1 to `limit` of them. */
const text = (limit: number) =>
  z
    .string()
    .min(1)
    .refine(
      (value) => value.length <= limit || Array.from(value).length <= limit,
      `must have ${limit} characters at most`,
    )
    .meta({ maxLength: limit });

export const name = text(128);
export const description = text(2_000);
export const email = z
  .email()
  .max(254)
  .meta({ examples: ['ada@example.com'] });
export const cents = z.int().min(0);

/** ISO 8601 from 1970 to 9999, carried on in UTC: Postgres knows neither the year 0 nor an offset of 23 hours. */
export const instant = z.iso
  .datetime({ offset: true })
  .refine(
    (value) => !(Date.parse(value) < 0 || Date.parse(value) >= Date.UTC(10_000, 0)),
    'must lie between 1970 and 9999',
  )
  .transform((value) => new Date(value).toISOString());

/** A body of which at least one field must be there (decisions K52 for PATCH). */
export const someField = (body: object): boolean => Object.keys(body).length > 0;
export const someFieldFault = { message: 'must name at least one field to change' };
