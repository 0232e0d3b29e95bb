import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import { pageOfClaims } from './read-claims.ts';
import { ClaimSchema, type ClaimFilters } from './schema/claim.ts';

export const NDJSON = 'application/x-ndjson';

/** Read at once: fifty of the largest claims are 35 MB. */
const BATCH = 50;
/** An export ends with the claim that brings it to this: what is sent as one text is held as one. */
const MOST_BYTES = 4 * 1_048_576;

interface Export {
  /** A claim a line, each ended by a line feed. */
  text: string;
  /** The `seq` of the last line where there is more, else null. */
  next: number | null;
}

/** Up to `limit` claims as lines of JSON, newest first, each as it is read alone. */
export async function exportClaims(
  context: Context,
  caller: Caller,
  { filters, before, limit }: { filters: ClaimFilters; before: number | null; limit: number },
): Promise<Export> {
  const lines: string[] = [];
  let last = before;
  let bytes = 0;
  for (;;) {
    const wanted = Math.min(BATCH, limit - lines.length);
    // One more than is wanted says whether there is more.
    const rows = await pageOfClaims(context, caller, { filters, before: last, limit: wanted + 1 });
    for (const { seq, ...claim } of rows.slice(0, wanted)) {
      const line = `${JSON.stringify(ClaimSchema.parse(claim))}\n`;
      lines.push(line);
      bytes += Buffer.byteLength(line);
      last = seq;
      if (bytes >= MOST_BYTES) break;
    }
    const more = rows.length > wanted || rows.at(-1)?.seq !== last;
    const isFull = lines.length >= limit || bytes >= MOST_BYTES;
    if (rows.length === 0 || !more || isFull) {
      return { text: lines.join(''), next: rows.length > 0 && more ? last : null };
    }
  }
}
