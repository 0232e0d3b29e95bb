import { z } from 'zod';
import { sql, type DatabasePool } from '../../database/pool.ts';
import { jsonPage, type NamedPage, type Page } from './page.ts';

/** How the parts are doing that commands do not need; absent where this process has none. */
export interface Health {
  temporalHealth?: () => 'ok' | 'degraded';
}

const One = z.object({ one: z.literal(1) });

/**
 * `/livez` is 200 while the process runs, `/readyz` (and `/healthz`) while it can serve: while the database answers.
 * Temporal's state is shown, but need not be ok: commands commit without it.
 */
export function healthPages(pool: DatabasePool, { temporalHealth }: Health): [string, NamedPage][] {
  const readiness = async (): Promise<Page> => {
    const database = await pool.oneFirst(sql.type(One)`select 1 as one`).then(
      () => 'ok' as const,
      () => 'unreachable' as const,
    );
    const status = database === 'ok' ? 'ok' : 'unavailable';
    return jsonPage(database === 'ok' ? 200 : 503, {
      status,
      database,
      ...(temporalHealth !== undefined && { temporal: temporalHealth() }),
    });
  };
  return [
    ['/livez', { operation: 'livez', page: () => jsonPage(200, { status: 'ok' }) }],
    ['/readyz', { operation: 'readyz', page: readiness }],
    ['/healthz', { operation: 'healthz', page: readiness }],
  ];
}
