import { z } from 'zod';

export const ErasureSchema = z
  .object({
    kept_from: z.iso.datetime().describe('Everything older is purged.'),
    purged_at: z.iso.datetime().nullable().describe('When nothing of it was left; null: it is under way.'),
  })
  .meta({
    id: 'Erasure',
    description: 'A request to purge all contents that an operator kept until then. Hashes, statuses and money stay.',
    examples: [{ kept_from: '2026-11-21T12:00:00.000Z', purged_at: '2026-11-21T12:00:01.000Z' }],
  });
export type Erasure = z.infer<typeof ErasureSchema>;
