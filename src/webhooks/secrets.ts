import { randomBytes } from 'node:crypto';
import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import type { Context } from '../context/context.ts';
import type { Encryption } from '../context/encryption.ts';
import { encryptAgain } from '../context/encrypt-again.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';

/*
 * The secrets that webhooks are signed with, of those that are called and of those that are received. Each domain keeps its own in a table
 * with `id`, `secret`, `old_secret` and `old_secret_until`.
 */

const PREFIX = 'whsec_';

/** A new secret of a webhook: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`;

/**
 * Returns the key that Standard Webhooks makes of a secret: the bytes behind `whsec_`.
 * @returns null for a secret without `whsec_`, which keys hex signatures and those of Mailgun alone
 */
export const standardKeyOf = (secret: string): Buffer | null =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : null;

/** Whether a secret without `whsec_`, or one with at least `bytes` bytes of padded base64 behind it. */
export function hasUsableKey(secret: string, bytes: number): boolean {
  const key = standardKeyOf(secret);
  // Node passes over what is no base64: only a text that comes back the same was all of it.
  return key === null || (key.length >= bytes && key.toString('base64') === secret.slice(PREFIX.length));
}

interface SecretsTable {
  /** For the log: `secrets of webhooks`. */
  what: string;
  table: FragmentSqlToken;
  /** With the id of a row behind it, the context under which its secrets are sealed. */
  purpose: string;
}

/** The columns of a row that sign, sealed. */
interface SigningSecrets {
  id: string;
  /** Null: it is no webhook. */
  secret: string | null;
  /** The one before it, for a day after the rotation; null: there is none, or its day is over. */
  old_secret: string | null;
}

/** Secrets in a table of a domain: sealed, rotated with a day in which both count, and forgotten. */
export function secretsIn({ what, table, purpose }: SecretsTable) {
  const encryptionContextOf = (id: string): string => `${purpose}:${id}`;
  return {
    encrypt: ({ encrypt }: Encryption, { id, secret }: { id: string; secret: string }): string =>
      encrypt(secret, encryptionContextOf(id)),

    /**
     * The secrets of a row, the current one first.
     * @throws Error where no key of ENCRYPTION_KEY opens them, or it is no webhook
     */
    decrypt({ decrypt }: Encryption, { id, secret, old_secret: old }: SigningSecrets): readonly [string, ...string[]] {
      if (secret === null) throw new Error(`${id} is no webhook and has no secret.`);
      return [
        decrypt(secret, encryptionContextOf(id)),
        ...(old === null ? [] : [decrypt(old, encryptionContextOf(id))]),
      ];
    },

    /** The secret that there was counts beside the new one for a day, or ends immediately. @param rotation with `secret` sealed */
    async replace(
      connection: CommonQueryMethods,
      { id, secret, immediate = false }: { id: string; secret: string; immediate?: boolean },
    ): Promise<void> {
      await connection.query(sql.type(z.object({}))`
        update ${table} set secret = ${secret}, old_secret = case when not ${immediate}::boolean then secret end,
          old_secret_until = case when not ${immediate}::boolean then clock_timestamp() + interval '24 hours' end
        where id = ${id}`);
    },

    /** Deletes secrets whose day after a rotation is over. */
    async forgetOld(connection: CommonQueryMethods): Promise<void> {
      await connection.query(sql.type(z.object({}))`
        update ${table} set old_secret = null, old_secret_until = null
        where old_secret is not null and old_secret_until <= statement_timestamp()`);
    },

    /** At a start. A secret that no key opens neither signs nor verifies. */
    encryptAgain: (context: Context): Promise<void> =>
      encryptAgain(context, { what, table, id: sql.fragment`id`, keepsOld: true, encryptionContextOf }),
  };
}
