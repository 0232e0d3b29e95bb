import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createPool, createTypeParserPreset, sql, type DatabasePool, type Interceptor } from 'slonik';
import type { z } from 'zod';
import { SchemaValidationError } from 'slonik';
import { withOptions } from './connect.ts';
import { unavailable } from './errors.ts';
import { ownRelease, restoreFunctions, searchPathOf } from './functions.ts';
import { driverWithNotices } from './notices.ts';
import { driverWithinTime } from './silence.ts';

export { sql };
export type { DatabasePool, DatabaseTransactionConnection, CommonQueryMethods } from 'slonik';

/** Statement texts that are remembered; the service has about as many that are used often. */
const REMEMBERED_STATEMENTS = 400;

/**
 * slonik hands `name` to the driver but never sets one: unnamed, Postgres parses and plans every statement again. A text gets its name,
 * and so a plan kept by each connection, when it comes again while it is remembered: those that come once take no room there, and
 * forget nothing that is used. A text without parameters (BEGIN, COMMIT, migrations) stays unnamed.
 */
function nameStatements(): Interceptor {
  const names = new LRUCache<string, string>({ max: REMEMBERED_STATEMENTS });
  return {
    name: 'name-statements',
    transformQuery: (_context, query) => {
      if (query.values.length === 0) return query;
      const known = names.get(query.sql);
      if (known === undefined) {
        names.set(query.sql, UNNAMED);
        return query;
      }
      const name = known === UNNAMED ? nameOf(query.sql) : known;
      if (known === UNNAMED) names.set(query.sql, name);
      return { ...query, name };
    },
  };
}

/** Stands for the name of a text that has come once. */
const UNNAMED = '';
const nameOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** A function, type or schema that is not there; XX000 where it went while the call looked at it. */
const MISSING: ReadonlySet<unknown> = new Set(['42883', '42704', '3F000', 'XX000']);

/**
 * A call that does not find a function is 503 where the functions of this release were dropped, which are installed again immediately; it
 * stays what it was where they are there, since the call is wrong then.
 */
function restoreMissingFunctions(databaseUrl: string): Interceptor {
  let restoring: Promise<boolean> | undefined;
  return {
    name: 'restore-missing-functions',
    async queryExecutionError({ queryInputTime }, _query, error) {
      if (!('code' in error) || !MISSING.has(error.code)) return null;
      const sinceMs = Number(process.hrtime.bigint() - BigInt(queryInputTime)) / 1e6;
      restoring ??= restoreFunctions(databaseUrl, sinceMs).finally(() => (restoring = undefined));
      if (await restoring)
        throw unavailable(
          'The SQL functions were missing and are installed again; repeat the call in a moment.',
          error,
        );
      return null;
    },
  };
}

/** Rows pass the zod schema given to `sql.type`; a row that does not is a fault of ours, never an answer. */
const parseRows: Interceptor = {
  name: 'parse-rows',
  transformRow: (context, query, row) => {
    const parser = context.resultParser as z.ZodType | undefined;
    if (parser === undefined || typeof parser.safeParse !== 'function') return row;
    const parsed = parser.safeParse(row);
    if (!parsed.success) throw new SchemaValidationError(query, row, parsed.error.issues);
    return parsed.data as typeof row;
  },
};

/** `2026-11-21 12:03:13.123456+00` (sessions run in UTC) as the ISO 8601 that the API speaks: `2026-11-21T12:03:13.123Z`. */
const isoFromPostgres = (text: string): string => new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z')).toISOString();

interface PoolOptions {
  /** Connections at most: 8 for the API, 8 for the worker, 4 for delivery (rule 13). */
  size: number;
  applicationName: string;
  /** Milliseconds a statement may take; 10 s unless a check of everything needs longer. */
  statementTimeoutMs?: number;
  /** Called where a transaction leaves messages for lives that no statement of it returns. */
  onMessages?: () => void;
}

/**
 * A slonik pool. Timeouts are start-up parameters of the session, so no statement sets session state and the reset on
 * release can be nothing (0.47 → 0.72 of bare pg). Lock waits end after 3 s, statements after 10 s; a connection
 * on which nothing comes for another 5 s is given up.
 */
export async function openPool(databaseUrl: string, options: PoolOptions): Promise<DatabasePool> {
  const settings = `-c lock_timeout=3000 -c TimeZone=UTC -c DateStyle=ISO -c search_path=${searchPathOf(ownRelease())}`;
  const uri = new URL(withOptions(databaseUrl, settings));
  uri.searchParams.set('application_name', options.applicationName);
  const { statementTimeoutMs = 10_000, onMessages } = options;
  const driver = driverWithinTime(statementTimeoutMs);
  return createPool(uri.href, {
    maxPoolSize: options.size,
    driverFactory: onMessages === undefined ? driver : driverWithNotices(driver, onMessages),
    statementTimeout: statementTimeoutMs,
    idleInTransactionSessionTimeout: 10_000,
    idleTimeout: 60_000,
    connectionTimeout: 5_000,
    resetConnection: async () => {},
    interceptors: [nameStatements(), parseRows, restoreMissingFunctions(databaseUrl)],
    typeParsers: [
      ...createTypeParserPreset().filter((parser) => parser.name !== 'timestamptz' && parser.name !== 'int8'),
      { name: 'timestamptz', parse: isoFromPostgres },
      { name: 'int8', parse: Number }, // cents and counts: whole numbers that JSON carries exactly
    ],
  });
}
