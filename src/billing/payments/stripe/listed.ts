import type { z } from 'zod';

/**
 * The words that the SDK lists for a member of an object. Its own types add "any other text" to each list, since an
 * account can be ahead of an SDK; a record over `Listed` does not compile while a word is missing.
 */
export type Listed<Words> = Words extends string ? (string extends Words ? never : Words) : never;

/**
 * A schema of what is read of an object of Stripe's. It does not compile where the SDK's type of the object has not what
 * the schema reads.
 */
export const readsOf =
  <Thing>() =>
  <Schema extends z.ZodType>(schema: Thing extends z.input<Schema> ? Schema : never): Schema =>
    schema;
