import { createHash } from 'node:crypto';
import { createPool, createTypeParserPreset, sql, type DatabasePool, type Interceptor } from 'slonik';
import type { z } from 'zod';
import { SchemaValidationError } from 'slonik';
import { ownRelease, searchPathOf } from './functions.ts';

export { sql };
export type { DatabasePool, DatabaseTransactionConnection, CommonQueryMethods } from 'slonik';

/** Statement texts that get a name, and so a plan kept by each connection; beyond this many (lists of varying length) they go unnamed. */
const NAMED_STATEMENTS = 400;
const statementNames = new Map<string, string>();

/**
 * slonik hands `name` to the driver but never sets one: unnamed, Postgres parses and plans every statement anew. A text without
 * parameters (BEGIN, COMMIT, migrations) stays unnamed.
 */
const nameStatements: Interceptor = {
  name: 'name-statements',
  transformQuery: (_context, query) => {
    if (query.values.length === 0) return query;
    let name = statementNames.get(query.sql);
    if (name === undefined) {
      if (statementNames.size >= NAMED_STATEMENTS) return query;
      name = createHash('sha256').update(query.sql).digest('base64url').slice(0, 22);
      statementNames.set(query.sql, name);
    }
    return { ...query, name };
  },
};

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

export interface PoolOptions {
  /** Connections at most: 8 for the API, 8 for the worker, 4 for delivery (rule 13). */
  size: number;
  applicationName: string;
  /** Milliseconds a statement may take; 10 s unless a check of everything needs longer. */
  statementTimeoutMs?: number;
}

/**
 * A slonik pool. Timeouts are start-up parameters of the session, so no statement sets session state and the reset on
 * release can be nothing (0.47 → 0.72 of bare pg). Lock waits end after 3 s, statements after 10 s.
 */
export async function openPool(databaseUrl: string, options: PoolOptions): Promise<DatabasePool> {
  const uri = new URL(databaseUrl);
  uri.searchParams.set(
    'options',
    `-c lock_timeout=3000 -c TimeZone=UTC -c DateStyle=ISO -c search_path=${searchPathOf(ownRelease())}`,
  );
  uri.searchParams.set('application_name', options.applicationName);
  return createPool(uri.href, {
    maxPoolSize: options.size,
    statementTimeout: options.statementTimeoutMs ?? 10_000,
    idleInTransactionSessionTimeout: 10_000,
    idleTimeout: 60_000,
    connectionTimeout: 5_000,
    resetConnection: async () => {},
    interceptors: [nameStatements, parseRows],
    typeParsers: [
      ...createTypeParserPreset().filter((parser) => parser.name !== 'timestamptz' && parser.name !== 'int8'),
      { name: 'timestamptz', parse: isoFromPostgres },
      { name: 'int8', parse: Number }, // cents and counts: whole numbers that JSON carries exactly
    ],
  });
}
