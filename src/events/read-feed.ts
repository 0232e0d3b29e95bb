import type { Caller } from '../commands/caller.ts';
import type { Context } from '../context/context.ts';
import { assertThat, notFound } from '../errors/carnet-error.ts';
import { invalidCursor } from '../http/lists/cursors.ts';
import {
  beforeAll,
  databaseCopy,
  findEvent,
  lookThroughFeed,
  readEvents,
  type FeedEvent,
  type FeedFilters,
  type FeedOrder,
  type FeedPosition,
} from './queries.ts';

/** Events that one page of a filtered feed looks at: some ten milliseconds. */
const MAX_LOOKED_AT = 10_000;

/** @throws CarnetError NOT_FOUND for an event that is unknown, another operator's, or no longer kept */
export async function readEvent({ pool }: Pick<Context, 'pool'>, { operatorId }: Caller, id: string) {
  const event = await findEvent(pool, operatorId, id);
  assertThat(event, () => notFound('event'));
  return event;
}

interface FeedRequest {
  order: FeedOrder;
  /** Where the page before ended; null: at the first event of the order. */
  after: FeedPosition | null;
  limit: number;
  /** `since` counts where there is no position alone: a position has that of its first page. */
  filters: FeedFilters;
}

interface FeedPage {
  /** In their order. */
  events: FeedEvent[];
  /** Where to read on; behind what the filters left out, too. */
  next: FeedPosition;
  more: boolean;
}

/**
 * Up to `limit` events after a position. One page looks at ten thousand events at most, so it may have fewer and all the same not be the
 * last one.
 * @throws CarnetError INVALID_CURSOR where the database is another copy than the one that the position is of: which events the reader has
 *   had is not known there.
 */
export async function readFeed(
  { pool }: Pick<Context, 'pool'>,
  { operatorId }: Caller,
  { order, after, limit, filters: given }: FeedRequest,
): Promise<FeedPage> {
  const copy = await databaseCopy(pool);
  if (after !== null && after.copy !== copy) throw invalidCursor();
  const since = after === null ? (given.since ?? null) : after.since;
  const filters = { ...given, since: since ?? undefined };
  const filtered = Object.values(filters).some((filter) => filter !== undefined);
  const look = filtered ? MAX_LOOKED_AT : limit + 1;
  const from = after ?? { copy, ...beforeAll[order], since };
  const { looked, end, found } = await lookThroughFeed(pool, operatorId, {
    order,
    after: from,
    look,
    limit: limit + 1,
    filters,
  });
  const full = found.length > limit;
  const shown = found.slice(0, limit);
  const next = full ? shown.at(-1) : end;
  const events = new Map(
    (
      await readEvents(
        pool,
        shown.map(({ seq }) => seq),
      )
    ).map((event) => [event.seq, event]),
  );
  return {
    events: shown.flatMap(({ seq }) => events.get(seq) ?? []),
    next: { ...(next ?? from), copy, since },
    more: full || looked === look,
  };
}
