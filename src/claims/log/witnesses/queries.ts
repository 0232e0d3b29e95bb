import { z } from 'zod';
import { textArray } from '../../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { VerifierKey } from '../../../fields/verifier-key.ts';
import type { VerifiedSignature } from '../signed-note.ts';

const Line = z.object({ line: z.string() });

/** The lines of witnesses under the checkpoint of a tree, in the order in which they came. */
export const linesOf = (connection: CommonQueryMethods, treeSize: number): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(Line)`
    select line from log_cosignatures where tree_size = ${treeSize} order by created_at, name, key_id`);

/** Adds the cosignatures among these; the first one of each key stands. */
export async function insertCosignatures(
  connection: CommonQueryMethods,
  treeSize: number,
  verified: readonly VerifiedSignature[],
): Promise<void> {
  for (const { key, line } of verified) {
    await connection.query(sql.type(z.object({}))`
      insert into log_cosignatures (tree_size, name, key_id, line)
      values (${treeSize}, ${key.name}, ${key.keyId}, ${line})
      on conflict (tree_size, name, key_id) do nothing`);
  }
}

/** Names a key of a witness in the row of the log. */
export const nameOfKey = ({ name, keyId }: VerifierKey): string => `${name}+${keyId}`;

/** The largest tree that this key has signed; 0: none. */
export const largestSignedBy = (connection: CommonQueryMethods, { name, keyId }: VerifierKey): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ size: z.number() }))`
    select coalesce(max(tree_size), 0) as size from log_cosignatures where name = ${name} and key_id = ${keyId}`);

const SignedRow = z.object({ name: z.string(), key_id: z.string(), size: z.number() });

/** For each of these keys that has signed a published tree from `atLeast` to `atMost` leaves the largest of them. */
export const largestSignedWithin = (
  connection: CommonQueryMethods,
  keys: readonly VerifierKey[],
  { atLeast, atMost }: { atLeast: number; atMost: number },
): Promise<readonly z.infer<typeof SignedRow>[]> =>
  connection.any(sql.type(SignedRow)`
    select k.name, k.key_id, s.tree_size as size
    from unnest(${textArray(keys.map(({ name }) => name))}, ${textArray(keys.map(({ keyId }) => keyId))}) as k (name, key_id),
      claim_log l, lateral (
        select tree_size from log_cosignatures
        where name = k.name and key_id = k.key_id and tree_size between ${atLeast} and least(${atMost}, l.published_size)
        order by tree_size desc limit 1) s`);
