import { z } from 'zod';
import type { CommandCall } from '../../commands/command.ts';
import type { Context } from '../../context/context.ts';
import { readCursor, signCursor, type CursorScope } from './cursors.ts';
import { queryIntegerOr } from '../query.ts';
import type { Links } from '../route.ts';

/** A page ends before the item that would bring its JSON above this, and has one at least: writing it holds everybody else up for 10 ms. */
const MAX_PAGE_BYTES = 1_048_576;

/** The first items of a page, as many as it may have. */
function fitting<Item>(items: Item[]): Item[] {
  let bytes = 0;
  const end = items.findIndex((item, at) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return at > 0 && bytes > MAX_PAGE_BYTES;
  });
  return end < 0 ? items : items.slice(0, end);
}

/** `limit` (1 to 100, 20 unless given) and `offset` of a list; spread them into the query schema of the route. */
export const offsetQuery = {
  limit: queryIntegerOr({ standard: 20, minimum: 1, maximum: 100 }),
  offset: queryIntegerOr({ standard: 0, minimum: 0, maximum: 1_000_000_000 }),
};

/** `{<name>: […], total, limit, offset}`, the reply of a list with `offsetQuery`. */
export const offsetList = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({ ...named(name, item), total: z.int(), limit: z.int(), offset: z.int() });

interface OffsetPage<Item> {
  items: Item[];
  /** How many there are in all, pages apart. */
  total: number;
  /** The parsed query of the request. */
  query: { limit: number; offset: number };
}

/** The answer of an `offsetList`, with Link headers to the pages beside it. A page that ends by its bytes is followed by one that begins there. */
export function offsetAnswer<Name extends string, Item>(
  name: Name,
  { items, total, query: { limit, offset } }: OffsetPage<Item>,
) {
  const links: Links = {};
  const shown = fitting(items);
  if (offset > 0) links.prev = { limit, offset: Math.max(0, offset - limit) };
  if (offset + shown.length < total)
    links.next = { limit, offset: offset + (shown.length < items.length ? shown.length : limit) };
  return { status: 200 as const, body: { ...named(name, shown), total, limit, offset }, links };
}

interface CursorOptions<Position extends z.ZodType> {
  /** Where a page ended, e.g. `z.object({ created_at: z.string(), id: z.string() })`; plain JSON. */
  position: Position;
  /** Items of a page at most, and without `limit`. */
  maximum: number;
  standard: number;
  /** For how many days its cursors hold; one, unless it is read on from. */
  days?: number;
  /** Members of the query that the position has, so that only the first page needs them; all others are the same on every page. */
  inPosition?: readonly string[];
}

interface CursorListOptions<
  Name extends string,
  Item extends z.ZodType,
  Position extends z.ZodType,
> extends CursorOptions<Position> {
  /** The member of the answer that holds the items. */
  name: Name;
  item: Item;
}

interface CursorRequest {
  context: Context;
  call: CommandCall | null;
  params: unknown;
  /** The parsed query: `limit`, `cursor` and the filters. */
  query: { limit: number; cursor?: string | undefined };
}

/** The members of every answer that is read by cursor, beside its items. */
export const cursorMembers = {
  next_cursor: z.string().nullable().meta({ description: 'null on the last page' }),
  has_more: z.boolean(),
};

/**
 * Reading by cursor, for answers of any shape: spread `cursorMembers` into the reply. Cursors are signed and hold for their
 * operation, operator and filters.
 */
export function cursorPages<Position extends z.ZodType>({
  position,
  maximum,
  standard,
  days,
  inPosition = [],
}: CursorOptions<Position>) {
  const sign = (request: CursorRequest, at: z.output<Position>): string =>
    signCursor(request.context.encryption, scope(request), { position: at, days });
  const scope = ({
    call,
    params,
    query: { limit: _limit, cursor: _cursor, ...filters },
  }: CursorRequest): CursorScope => ({
    list: call?.operation ?? '',
    operatorId: call?.caller.operatorId ?? '',
    filters: {
      params,
      filters: Object.fromEntries(Object.entries(filters).filter(([name]) => !inPosition.includes(name))),
    },
  });
  return {
    query: {
      limit: queryIntegerOr({ standard, minimum: 1, maximum }),
      cursor: z.string().optional().meta({ description: 'next_cursor of the page before' }),
    },

    /** @returns where the page before ended, null on the first page. @throws CarnetError INVALID_CURSOR */
    after(request: CursorRequest): z.output<Position> | null {
      const { cursor } = request.query;
      return cursor === undefined ? null : readCursor(request.context.encryption, scope(request), { cursor, position });
    },

    sign,

    /** @param last where this page ends; null: it is the last one. */
    next(request: CursorRequest, last: z.output<Position> | null) {
      const cursor = last === null ? null : sign(request, last);
      const links: Links = cursor === null ? {} : { next: { cursor } };
      return { members: { next_cursor: cursor, has_more: cursor !== null }, links };
    },
  };
}

/**
 * A list that is read by cursor: `{<name>: […], next_cursor, has_more}`.
 *
 *     query: z.object({ ...pages.query, status: Status.optional() }), reply: pages.reply,
 *     handler: async (request) => {
 *       const rows = await invocationsOf(pool, { after: pages.after(request), limit: request.query.limit + 1 });
 *       return pages.answer(request, rows, ({ created_at, id }) => ({ created_at, id }));
 *     }
 */
export function cursorList<Name extends string, Item extends z.ZodType, Position extends z.ZodType>(
  options: CursorListOptions<Name, Item, Position>,
) {
  const { name, item } = options;
  const pages = cursorPages(options);
  return {
    query: pages.query,

    reply: z.object({ ...named(name, item), ...cursorMembers }),

    after: pages.after,

    sign: pages.sign,

    next: pages.next,

    /** @param rows up to `limit + 1` of them: one that the page does not have means that there is more. */
    answer<Row extends z.input<Item>>(
      request: CursorRequest,
      rows: Row[],
      positionOf: (row: Row) => z.output<Position>,
    ) {
      const items = fitting(rows.slice(0, request.query.limit));
      const last = rows.length > items.length ? items.at(-1) : undefined;
      const { members, links } = pages.next(request, last === undefined ? null : positionOf(last));
      return { status: 200 as const, body: { ...named(name, items), ...members }, links };
    },
  };
}

interface FeedPage<Item, Position> {
  items: Item[];
  /** Where to read on. */
  next: Position;
  /** Whether there is more already. */
  more: boolean;
}

/**
 * A list to which more is added at its end, read on from where one was: `{<name>: […], next_cursor, has_more}`. The cursor is there on
 * the last page too, and fetches later what has come since.
 */
export function cursorFeed<Name extends string, Item extends z.ZodType, Position extends z.ZodType>(
  options: CursorListOptions<Name, Item, Position>,
) {
  const { name, item } = options;
  const pages = cursorPages(options);
  return {
    query: pages.query,

    reply: z.object({
      ...named(name, item),
      next_cursor: z.string().meta({ description: 'Where to read on, now or later.' }),
      has_more: z.boolean().meta({ description: 'Whether there is more already.' }),
    }),

    after: pages.after,

    answer<Row extends z.input<Item>>(
      request: CursorRequest,
      { items, next, more }: FeedPage<Row, z.output<Position>>,
    ) {
      const cursor = pages.sign(request, next);
      const links: Links = more ? { next: { cursor } } : {};
      return { status: 200 as const, body: { ...named(name, items), next_cursor: cursor, has_more: more }, links };
    },
  };
}

function named<Name extends string, Item extends z.ZodType>(name: Name, item: Item): { [N in Name]: z.ZodArray<Item> };
function named<Name extends string, Item>(name: Name, items: Item[]): { [N in Name]: Item[] };
function named(name: string, content: z.ZodType | unknown[]) {
  return { [name]: Array.isArray(content) ? content : z.array(content) };
}
