import { z } from 'zod';

/**
 * A text that Postgres can keep as it is: no NUL, and no half of a surrogate pair, which would become another character. An id
 * that had one could be that of something else.
 */
export const Text = z.string().refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be well-formed');

/** An id, or the whole object where the account expands it. */
export const Id = z.union([Text, z.object({ id: Text }).transform(({ id }) => id)]);

/** Hundredths of a currency. */
export const Cents = z.int();

/** Since 1970, up to the year 9999, the last one that a timestamp in ISO 8601 writes with four digits. */
export const Seconds = z.int().min(0).max(253_402_300_799);
