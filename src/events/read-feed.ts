import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import { invalidCursor } from '../http/lists/cursors.ts';
import { databaseCopy, readFeed, type FeedEvent, type FeedPosition } from './queries.ts';
import type { Severity } from './types.ts';

interface FeedRequest {
  /** Where the page before ended; null: at the oldest event that is kept. */
  after: FeedPosition | null;
  limit: number;
  /** `since` in milliseconds. */
  filters: { event_type?: string | undefined; severity?: Severity | undefined; since?: number | undefined };
}

/**
 * Up to `limit` events after a position, the oldest first, and the position before the first of them.
 * @throws CarnetError INVALID_CURSOR where the database is another copy than the one that the position is of: which events the reader has
 *   had cannot be told there.
 */
export async function eventsAfter(
  { pool }: Context,
  { operatorId }: Caller,
  { after, limit, filters }: FeedRequest,
): Promise<{ events: FeedEvent[]; from: FeedPosition }> {
  const copy = await databaseCopy(pool);
  if (after !== null && after.copy !== copy) throw invalidCursor();
  const from = after ?? { copy, tx: '0', seq: 0 };
  return { events: [...(await readFeed(pool, operatorId, { after: from, limit, filters }))], from };
}
