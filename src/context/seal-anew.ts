import { z } from 'zod';
import type { Context } from './context.ts';

/** The secrets of a row, encrypted: the current one, and the one before it while that still counts. */
export const SealedSecrets = z.object({ id: z.string(), secret: z.string(), old_secret: z.string().nullable() });
export type SealedSecrets = z.infer<typeof SealedSecrets>;

/** A table with secrets. */
interface Secrets {
  /** For the log: `secrets of webhooks`. */
  what: string;
  /** The context under which those of a row are sealed. */
  sealOf(id: string): string;
  /** In the order of their ids. @param after the id of the last one of the batch before, '' at first */
  list(after: string, limit: number): Promise<readonly SealedSecrets[]>;
  /** Where they are still those. */
  replace(before: SealedSecrets, after: SealedSecrets): Promise<void>;
}

/** Rows read together. */
const BATCH = 500;

/**
 * Seals the secrets of a table under the first key of ENCRYPTION_KEY, so that the one that sealed them can leave the list. At a start, since
 * a list is changed by starting again. What no key opens stays as it is: it needs another secret.
 */
export async function sealAnew({ encryption, log }: Context, { what, sealOf, list, replace }: Secrets): Promise<void> {
  let [sealed, lost, after] = [0, 0, ''];
  for (;;) {
    const rows = await list(after, BATCH);
    for (const row of rows) {
      const { id, secret, old_secret: old } = row;
      const anew = (text: string): string =>
        encryption.isCurrent(text) ? text : encryption.seal(encryption.open(text, sealOf(id)), sealOf(id));
      try {
        const fresh = { id, secret: anew(secret), old_secret: old === null ? null : anew(old) };
        if (fresh.secret === secret && fresh.old_secret === old) continue;
        await replace(row, fresh);
        sealed += 1;
      } catch (error) {
        log.debug({ err: error, id }, `${what}: not sealed anew`);
        lost += 1;
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) break;
    after = last.id;
  }
  if (sealed > 0) log.info({ sealed }, `${what} were sealed under the first key of ENCRYPTION_KEY`);
  if (lost > 0)
    log.error({ lost }, `no key of ENCRYPTION_KEY opens these ${what}: they are of no use until they are rotated`);
}
