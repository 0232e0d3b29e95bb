import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { Context } from './context.ts';

/** The secrets of a row, encrypted: the current one, and the one before it while that still counts. */
const EncryptedSecrets = z.object({ id: z.string(), secret: z.string(), old_secret: z.string().nullable() });
type EncryptedSecrets = z.infer<typeof EncryptedSecrets>;

/** A table with secrets, in a column `secret`. */
interface EncryptedTable {
  /** For the log: `secrets of webhooks`. */
  what: string;
  table: FragmentSqlToken;
  /** Stands for the id of a row. */
  id: FragmentSqlToken;
  /** It has a column `old_secret`. */
  keepsOld: boolean;
  /** The context under which those of a row are sealed. */
  encryptionContextOf(id: string): string;
}

/** Rows read together. */
const BATCH = 500;

/**
 * Encrypts the secrets of a table under the first key of ENCRYPTION_KEY, so that the one that sealed them can leave the list. At a start, since
 * a list is changed by starting again. What no key opens stays as it is: it needs another secret.
 */
export async function encryptAgain({ pool, encryption, log }: Context, secrets: EncryptedTable): Promise<void> {
  const { what, encryptionContextOf } = secrets;
  let [sealed, lost, after] = [0, 0, ''];
  for (;;) {
    const rows = await list(pool, secrets, after);
    for (const row of rows) {
      const { id, secret, old_secret: old } = row;
      const anew = (text: string): string =>
        encryption.isCurrent(text)
          ? text
          : encryption.encrypt(encryption.decrypt(text, encryptionContextOf(id)), encryptionContextOf(id));
      try {
        const fresh = { id, secret: anew(secret), old_secret: old === null ? null : anew(old) };
        if (fresh.secret === secret && fresh.old_secret === old) continue;
        await replace(pool, secrets, { row, fresh });
        sealed += 1;
      } catch (error) {
        log.debug({ err: error, id }, `${what}: not encrypted again`);
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

/** In the order of their ids. @param after the id of the last one of the batch before, '' at first */
const list = (
  connection: CommonQueryMethods,
  { table, id, keepsOld }: EncryptedTable,
  after: string,
): Promise<readonly EncryptedSecrets[]> =>
  connection.any(sql.type(EncryptedSecrets)`
    select ${id} as id, secret, ${keepsOld ? sql.fragment`old_secret` : sql.fragment`null`} as old_secret from ${table}
    where secret is not null and ${id} > ${after} order by ${id} limit ${BATCH}`);

/** The same secrets, sealed otherwise; where one was rotated meanwhile both stay. */
async function replace(
  connection: CommonQueryMethods,
  { table, id, keepsOld }: EncryptedTable,
  { row, fresh }: { row: EncryptedSecrets; fresh: EncryptedSecrets },
): Promise<void> {
  const old = keepsOld ? sql.fragment`, old_secret = ${fresh.old_secret}` : sql.fragment``;
  const oldIsThere = keepsOld ? sql.fragment`and old_secret is not distinct from ${row.old_secret}` : sql.fragment``;
  await connection.query(sql.type(z.object({}))`
    update ${table} set secret = ${fresh.secret} ${old} where ${id} = ${row.id} and secret = ${row.secret} ${oldIsThere}`);
}
