import { z } from 'zod';

/** The answer of what deletes. */
export const DeletedSchema = z.object({ deleted: z.literal(true) }).meta({ id: 'Deleted' });
