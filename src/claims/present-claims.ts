import type { CommonQueryMethods } from '../database/pool.ts';
import { coSignaturesOf } from './co-signatures/queries.ts';
import { receiptsOf, type LoggedClaim } from './log/receipts.ts';
import { refsOf } from './named.ts';
import { findEarlierEnds, findExisting, type ClaimRow } from './queries.ts';
import type { Claim, ClaimDigest } from './schema/claim.ts';

/** What everybody may see of a claim; without a receipt while it has no place in the log. */
const digestOf = (
  { id, digest, revoked_at, erased_at, tombstone_id }: ClaimRow,
  logged: LoggedClaim | undefined,
): ClaimDigest => ({
  id,
  digest,
  log_index: logged?.logIndex ?? null,
  receipt: logged?.receipt ?? null,
  revoked_at,
  erased_at,
  tombstone_id,
});

export const presentDigest = async (connection: CommonQueryMethods, row: ClaimRow): Promise<ClaimDigest> =>
  digestOf(row, (await receiptsOf(connection, [row.id])).get(row.id));

/** Claims as their readers see them, in the order of the rows; references are looked up when a claim is read. */
export async function presentClaims(
  connection: CommonQueryMethods,
  rows: readonly ClaimRow[],
): Promise<(Claim & { seq: number })[]> {
  const refs = rows.map((row) => (row.schema === 'v1' ? refsOf(row.envelope.payload) : []));
  const named = refs.flat();
  const existing = new Set(named.length === 0 ? [] : await findExisting(connection, named));
  const ending = rows.filter(({ ends }) => ends !== null).map(({ id }) => id);
  const earlier = new Map(
    (ending.length === 0 ? [] : await findEarlierEnds(connection, ending)).map((found) => [found.id, found.earlier]),
  );
  const logged = await receiptsOf(
    connection,
    rows.map(({ id }) => id),
  );
  const coSignatures = await coSignaturesOf(
    connection,
    rows.map(({ id }) => id),
  );
  return rows.map((row, index) => ({
    ...digestOf(row, logged.get(row.id)),
    seq: row.seq,
    envelope: row.envelope,
    payload_effective: row.payload_effective ?? row.envelope.payload ?? null,
    co_signatures: coSignatures.get(row.id) ?? [],
    external_receipt_verified: row.receipt_verified,
    schema: row.schema,
    unresolved_refs: (refs[index] ?? []).filter((ref) => !existing.has(ref)),
    warnings: warningsOf(row, earlier.get(row.id)),
    revoke_reason: row.revoke_reason,
    created_at: row.created_at,
  }));
}

export async function presentClaim(connection: CommonQueryMethods, row: ClaimRow): Promise<Claim> {
  const [{ seq: _seq, ...claim }] = (await presentClaims(connection, [row])) as [Claim & { seq: number }];
  return claim;
}

const warningsOf = ({ ends }: ClaimRow, earlier: string | undefined): string[] =>
  earlier === undefined || ends === null
    ? []
    : [`An earlier claim of this issuer, ${earlier}, says how ${ends} ended.`];
