import { z } from 'zod';
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
  for (const { key, timestamp, line } of verified) {
    await connection.query(sql.type(z.object({}))`
      insert into log_cosignatures (tree_size, name, key_id, line, signed_at)
      values (${treeSize}, ${key.name}, ${key.keyId}, ${line}, to_timestamp(${timestamp ?? 0}))
      on conflict (tree_size, name, key_id) do nothing`);
  }
}

/** The largest tree that this key has signed; 0: none. */
export const largestSignedBy = (connection: CommonQueryMethods, { name, keyId }: VerifierKey): Promise<number> =>
  connection.oneFirst(sql.type(z.object({ size: z.number() }))`
    select coalesce(max(tree_size), 0) as size from log_cosignatures where name = ${name} and key_id = ${keyId}`);

/** The largest published tree, of this size at least, that any witness has signed; null: there is none. */
export const largestWitnessed = (connection: CommonQueryMethods, atLeast: number): Promise<number | null> =>
  connection.oneFirst(sql.type(z.object({ size: z.number().nullable() }))`
    select max(s.tree_size) as size from log_cosignatures s, claim_log l
    where s.tree_size between greatest(${atLeast}, 1) and l.published_size`);
