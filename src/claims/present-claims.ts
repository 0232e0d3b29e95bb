import type { CommonQueryMethods } from '../database/pool.ts';
import type { JsonValue } from '../json/value.ts';
import { ALTERED, isAltered, isAnother } from './altered.ts';
import { coSignaturesOf } from './co-signatures/queries.ts';
import { receiptsOf, type LoggedClaim } from './log/receipts.ts';
import { refsOf } from './named.ts';
import { findEarlierEnds, findExisting, type ClaimRow } from './queries.ts';
import type { Claim, ClaimDigest } from './schema/claim.ts';
import type { KeptCoSignature } from './schema/co-signature.ts';
import { isShaped, payloadSchemas } from './schema/payloads.ts';

/** Shows what everybody may see of a claim; without a receipt while it has no place in the log, and where that is another claim's. */
function digestShownOf(row: ClaimRow, logged: LoggedClaim | undefined): ClaimDigest {
  const { id, digest, revoked_at, erased_at, tombstone_id } = row;
  const receipt = logged?.isWhole === true && !isAnother(row, logged) ? logged.receipt : null;
  return { id, digest, log_index: logged?.logIndex ?? null, receipt, revoked_at, erased_at, tombstone_id };
}

/** A claim as everybody sees it who knows its id. */
export const presentDigest = async (connection: CommonQueryMethods, row: ClaimRow): Promise<ClaimDigest> =>
  digestShownOf(row, (await receiptsOf(connection, [row.id])).get(row.id));

type Presented = Claim & { seq: number };

/**
 * Claims as their readers see them, in the order of the rows; references are looked up when a claim is read. What one states is held against its
 * digest, and of one that was changed in the database nothing of that is shown (decision L76): one row takes no list away, and a gap would
 * hide a claim.
 */
export async function presentClaims(connection: CommonQueryMethods, rows: readonly ClaimRow[]): Promise<Presented[]> {
  const ids = rows.map(({ id }) => id);
  const logged = await receiptsOf(connection, ids);
  const altered = new Set(rows.filter((row) => isAltered(row, logged.get(row.id))).map(({ id }) => id));
  return presentWith(connection, rows, { logged, coSignatures: await coSignaturesOf(connection, rows), altered });
}

interface Beside {
  logged: ReadonlyMap<string, LoggedClaim>;
  coSignatures: ReadonlyMap<string, KeptCoSignature[]>;
  altered: ReadonlySet<string>;
}

async function presentWith(
  connection: CommonQueryMethods,
  rows: readonly ClaimRow[],
  { logged, coSignatures, altered }: Beside,
): Promise<Presented[]> {
  const refs = rows.map((row) => (row.schema === 'v1' && !altered.has(row.id) ? refsOf(row.envelope.payload) : []));
  const named = refs.flat();
  const existing = new Set(named.length === 0 ? [] : await findExisting(connection, named));
  const ending = rows.filter(({ ends }) => ends !== null).map(({ id }) => id);
  const earlier = new Map(
    (ending.length === 0 ? [] : await findEarlierEnds(connection, ending)).map((found) => [found.id, found.earlier]),
  );
  return rows.map((row, index) => ({
    ...digestShownOf(row, logged.get(row.id)),
    seq: row.seq,
    envelope: altered.has(row.id) ? {} : row.envelope,
    payload_effective: altered.has(row.id) ? null : effectivePayloadOf(row),
    co_signatures: coSignatures.get(row.id) ?? [],
    external_receipt_verified: row.receipt_verified,
    schema: row.schema,
    unresolved_refs: (refs[index] ?? []).filter((ref) => !existing.has(ref)),
    warnings: altered.has(row.id) ? [ALTERED] : warningsOf(row, earlier.get(row.id)),
    revoke_reason: row.revoke_reason,
    submitter: row.submitter,
    created_at: row.created_at,
  }));
}

/** Made of the payload itself, which has the digest: a payload with its defaults that stands beside it could have been changed. */
function effectivePayloadOf({
  claim_type: type,
  envelope: { payload = null },
  payload_effective: kept,
}: ClaimRow): JsonValue {
  return kept === null || !isShaped(type)
    ? payload
    : ((payloadSchemas[type].safeParse(payload).data ?? payload) as JsonValue);
}

const single = ([presented]: Presented[]): Claim => {
  const { seq: _seq, ...claim } = presented as Presented;
  return claim;
};

/** One claim as its readers see it. */
export const presentClaim = async (connection: CommonQueryMethods, row: ClaimRow): Promise<Claim> =>
  single(await presentClaims(connection, [row]));

/** A claim in the transaction that records it: it has no place in the log yet, and the co-signatures that came with it. */
export async function presentNewClaim(
  connection: CommonQueryMethods,
  row: ClaimRow,
  { isCoSigned }: { isCoSigned: boolean },
): Promise<Claim> {
  const coSignatures = isCoSigned ? await coSignaturesOf(connection, [row]) : new Map<string, KeptCoSignature[]>();
  return single(await presentWith(connection, [row], { logged: new Map(), coSignatures, altered: new Set() }));
}

const warningsOf = ({ ends }: ClaimRow, earlier: string | undefined): string[] =>
  earlier === undefined || ends === null
    ? []
    : [`An earlier claim of this issuer, ${earlier}, says how ${ends} ended.`];
