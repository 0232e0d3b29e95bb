import type { DatabasePool } from '../../src/database/pool.ts';

const READS: ReadonlySet<string | symbol> = new Set([
  'any',
  'anyFirst',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
  'exists',
  'many',
]);

/** A pool whose statements are counted. */
export function countedPool(real: DatabasePool): { pool: DatabasePool; count(): number } {
  let made = 0;
  const pool = new Proxy(real, {
    get(target, method: keyof DatabasePool) {
      if (READS.has(method)) made += 1;
      return target[method];
    },
  });
  return { pool, count: () => made };
}
