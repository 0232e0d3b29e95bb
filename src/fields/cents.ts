import { z } from 'zod';

/** Whole cents that a number of JSON can hold exactly. */
export const cents = z.int().min(0);
