import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import { claimsBefore } from './read-claims.ts';
import { ClaimSchema, type Claim, type ClaimFilters } from './schema/claim.ts';

/** A page ends with the claim that brings it to this: what is sent as one text is held as one. */
const MAX_BYTES = 4 * 1_048_576;
/** Read first, before it is known how large these claims are: five of the largest, with 64 co-signatures of 8 KiB each, are 7 MB. */
const FIRST = 5;
const MAX_AT_ONCE = 100;

interface ClaimsPage {
  claims: Claim[];
  /** Each claim as a line of JSON, ended by a line feed. */
  lines: string[];
  /** The `seq` of the last claim where there is more, else null. */
  next: number | null;
}

/** Up to `limit` claims and about 4 MiB of JSON, newest first, each as it is read alone. A claim is never cut, and a page has one at least. */
export async function pageOfClaims(
  context: Context,
  caller: Caller,
  { filters, before, limit }: { filters: ClaimFilters; before: number | null; limit: number },
): Promise<ClaimsPage> {
  const claims: Claim[] = [];
  const lines: string[] = [];
  let last = before;
  let bytes = 0;
  for (;;) {
    const fitting = lines.length === 0 ? FIRST : Math.ceil(((MAX_BYTES - bytes) * lines.length) / bytes);
    const wanted = Math.min(fitting, MAX_AT_ONCE, limit - lines.length);
    // One more than is wanted says whether there is more.
    const rows = await claimsBefore(context, caller, { filters, before: last, limit: wanted + 1 });
    for (const { seq, ...claim } of rows.slice(0, wanted)) {
      const line = `${JSON.stringify(ClaimSchema.parse(claim))}\n`;
      claims.push(claim);
      lines.push(line);
      bytes += Buffer.byteLength(line);
      last = seq;
      if (bytes >= MAX_BYTES) break;
    }
    const more = rows.length > 0 && rows.at(-1)?.seq !== last;
    const isFull = lines.length >= limit || bytes >= MAX_BYTES;
    if (!more || isFull) return { claims, lines, next: more ? last : null };
  }
}
