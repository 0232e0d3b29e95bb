import { z } from 'zod';
import type { Encryption } from '../../context/encryption.ts';
import { canonicalJson, sha256Hex } from '../../json/canonical.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import type { JsonObject } from '../../json/value.ts';

/** Names what a cursor belongs to: on another list, for another operator or under other filters it is refused. */
export interface CursorScope {
  list: string;
  operatorId: string;
  /** The values that chose the items: parameters of the path, and the parsed query without `limit` and `cursor`. */
  filters: object;
}

const DAY_MS = 24 * 3_600_000;
const PURPOSE = 'cursor';

const Content = z.object({ s: z.string(), p: z.unknown(), e: z.int() });

const scopeHash = (scope: CursorScope): string =>
  sha256Hex(canonicalJson(JSON.parse(JSON.stringify(scope)) as JsonObject)).slice(0, 32);

/**
 * `base64url(JSON).mac`: the place where a page ended, for a request of the same scope.
 * @param days for so long: one is enough to read a list, and short enough that a leaked cursor is soon worth nothing
 */
export function signCursor(
  encryption: Encryption,
  scope: CursorScope,
  { position, days = 1 }: { position: unknown; days?: number | undefined },
): string {
  const content: z.input<typeof Content> = { s: scopeHash(scope), p: position, e: Date.now() + days * DAY_MS };
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${text}.${encryption.mac(text, PURPOSE)}`;
}

/** @throws CarnetError INVALID_CURSOR for a cursor that was altered, has expired, or belongs to another list, operator or filter. */
export function readCursor<Position extends z.ZodType>(
  encryption: Encryption,
  scope: CursorScope,
  { cursor, position }: { cursor: string; position: Position },
): z.output<Position> {
  const [text, mac, ...rest] = cursor.split('.');
  if (
    text === undefined ||
    mac === undefined ||
    rest.length > 0 ||
    !encryption.macFits(text, { purpose: PURPOSE, mac })
  )
    throw invalidCursor();
  // The mac proves that this is our own text, so it parses.
  const content = Content.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  if (content.e < Date.now() || content.s !== scopeHash(scope)) throw invalidCursor();
  const at = position.safeParse(content.p);
  if (!at.success) throw invalidCursor();
  return at.data;
}

export const invalidCursor = (): CarnetError =>
  new CarnetError(
    'INVALID_CURSOR',
    'The cursor was altered, has expired, or belongs to another list, filter or copy of the database; start again without one.',
    {
      errors: [
        { path: 'query.cursor', code: 'invalid_cursor', message: 'is not a cursor of this list under these filters' },
      ],
    },
  );
