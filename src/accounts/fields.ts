import { z } from 'zod';
import { text } from '../http/fields.ts';

export const name = text(1, 128);

/** Up to 100 names, each once: scopes, or services by name. */
export const distinctNames = z
  .array(name)
  .max(100)
  .superRefine((names, context) => {
    const at = names.findIndex(repeats());
    if (at >= 0) context.addIssue({ code: 'custom', path: [at], message: 'is there already' });
  })
  .meta({ uniqueItems: true });

/** @returns a predicate that holds for what it was asked before. */
const repeats = (): ((name: string) => boolean) => {
  const seen = new Set<string>();
  return (one) => seen.size === seen.add(one).size;
};

export const description = text(1, 2_000);
/** ISO 8601 from 1970 to 9999, carried on in UTC: Postgres knows neither the year 0 nor an offset of 23 hours. */
export const instant = z.iso
  .datetime({ offset: true })
  .refine(
    (value) => !(Date.parse(value) < 0 || Date.parse(value) >= Date.UTC(10_000, 0)),
    'must lie between 1970 and 9999',
  )
  .transform((value) => new Date(value).toISOString());
