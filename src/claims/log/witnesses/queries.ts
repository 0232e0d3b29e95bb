import { z } from 'zod';
import { textArray } from '../../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { VerifierKey } from '../../../fields/verifier-key.ts';
import type { LogRow } from '../queries.ts';
import type { VerifiedSignature } from '../signed-note.ts';

const Nothing = z.object({});
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
    await connection.query(sql.type(Nothing)`
      insert into log_cosignatures (tree_size, name, key_id, line)
      values (${treeSize}, ${key.name}, ${key.keyId}, ${line})
      on conflict (tree_size, name, key_id) do nothing`);
  }
}

/** Names a key of a witness in the row of the log. */
export const nameOfKey = ({ name, keyId }: VerifierKey): string => `${name}+${keyId}`;

/** Enough witnesses that had signed the log before have signed a tree of this size, which holds all that they signed: its life goes on. */
export async function noteConfirmed(connection: CommonQueryMethods, size: number): Promise<void> {
  await connection.query(sql.type(Nothing)`select confirm_log(${size})`);
}

/** The keys that know another tree, each as `nameOfKey` has it: names of keys have no spaces. */
export const contradicting = ({ contradicted_by: by }: Pick<LogRow, 'contradicted_by'>): ReadonlySet<string> =>
  new Set(by?.split(' ') ?? []);

/** Stops the log: these keys of witnesses have signed another tree of it, as others may have before. */
export async function noteContradicted(
  connection: CommonQueryMethods,
  { by, reason }: { by: readonly VerifierKey[]; reason: string },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update claim_log set contradicted_reason = ${reason}, stopped_reason = coalesce(stopped_reason, ${reason}),
      stopped_at = coalesce(stopped_at, clock_timestamp()),
      contradicted_by = array_to_string(array(
        select distinct key from unnest(string_to_array(contradicted_by, ' ') || ${textArray(by.map(nameOfKey))}) as key order by key), ' ')`);
}

/** These keys know this tree now. The log goes on when nobody knows another one, and its tree is proven next. */
export async function noteNotContradicted(connection: CommonQueryMethods, by: readonly VerifierKey[]): Promise<void> {
  await connection.query(sql.type(Nothing)`
    with others as (
      select nullif(array_to_string(array(
        select key from unnest(string_to_array(contradicted_by, ' ')) as key where key <> all(${textArray(by.map(nameOfKey))})), ' '), '') as keys
      from claim_log)
    update claim_log set contradicted_by = keys, contradicted_reason = case when keys is not null then contradicted_reason end
    from others where contradicted_by is distinct from keys`);
}

/** Enough others have confirmed the tree: nobody's word stands against it. */
export async function noteOutweighed(connection: CommonQueryMethods): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update claim_log set contradicted_by = null, contradicted_reason = null where contradicted_by is not null`);
}

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
