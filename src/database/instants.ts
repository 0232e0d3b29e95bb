import { z } from 'zod';
import { sql, type CommonQueryMethods } from './pool.ts';
import { assertThat, invalid } from '../errors/carnet-error.ts';

/**
 * That `expires_at` of a body lies ahead, by Postgres' clock, the one that will act on it.
 * @throws CarnetError VALIDATION_ERROR
 */
export async function assertFuture(connection: CommonQueryMethods, expiresAt: string): Promise<void> {
  const past = await connection.oneFirst(
    sql.type(z.object({ past: z.boolean() }))`select ${expiresAt}::timestamptz <= clock_timestamp() as past`,
  );
  assertThat(!past, () => invalid({ path: 'expires_at', message: 'must lie in the future', code: 'in_the_past' }));
}

/** Whole seconds since 1970, as claims and tokens write instants. @param instant ISO 8601 */
export const epochSeconds = (instant: string): number => Math.floor(Date.parse(instant) / 1_000);

/** Now by Postgres' clock, the one by which claims are issued, in whole seconds since 1970. */
export const secondsNow = (connection: CommonQueryMethods): Promise<number> =>
  connection.oneFirst(
    sql.type(z.object({ now: z.number() }))`select floor(extract(epoch from clock_timestamp()))::bigint as now`,
  );
