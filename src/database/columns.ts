import { z } from 'zod';
import { sql } from './pool.ts';

/** JSON that is kept as text, since jsonb would change its numbers; pipe it into what it must be. */
export const json = z.string().transform((text): unknown => JSON.parse(text));

export const textArray = (values: readonly string[]) => sql.array(values, 'text');
