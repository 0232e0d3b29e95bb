import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { findReport } from './queries.ts';
import type { AccountabilityReport } from './schema.ts';
import { findPassport } from '../lists/queries.ts';

/**
 * How an agent used a passport: checkpoints, flags, checkout and review, those of all its refreshes included.
 * @throws CarnetError NOT_FOUND
 */
export async function readReport(context: Context, { operatorId }: Caller, jti: string): Promise<AccountabilityReport> {
  const [passport, parts] = await Promise.all([
    findPassport(context.pool, operatorId, jti),
    findReport(context.pool, operatorId, jti),
  ]);
  assertThat(passport !== null && parts !== null, () => notFound('passport'));
  return { passport, ...parts };
}
