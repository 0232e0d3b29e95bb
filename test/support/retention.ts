import type { PurgeStep } from '../../src/commands/purge.ts';
import type { Context } from '../../src/context/context.ts';
import type { Tier } from '../../src/fields/tiers.ts';

/** How long each tier keeps what is purged by tier: an age just inside and one just outside. */
export const RETENTION: Readonly<Record<Tier, [inside: string, outside: string]>> = {
  free: ['6 days 23 hours', '7 days 1 hour'],
  developer: ['29 days 23 hours', '30 days 1 hour'],
  pro: ['12 months -1 hour', '12 months 1 hour'],
  business: ['24 months -1 hour', '24 months 1 hour'],
  enterprise: ['12 months -1 hour', '12 months 1 hour'],
};

/** Runs steps until every operator was looked at. @returns how many rows each purged. */
export async function purgeAll(context: Context, step: PurgeStep): Promise<number[]> {
  const steps: number[] = [];
  for (let from: string | null = ''; from !== null;) {
    const batch: Awaited<ReturnType<PurgeStep>> = await step(context, { from, to: null });
    steps.push(batch.purged);
    from = batch.next;
  }
  return steps;
}
