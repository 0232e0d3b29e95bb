import { setImmediate as othersFirst } from 'node:timers/promises';
import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { CoseFault } from '../../cose/sign1.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { thumbprintOf } from '../../fields/thumbprint.ts';
import { canonicalJson, sha256Hex } from '../../json/canonical.ts';
import type { ClaimRow } from '../queries.ts';
import { signedBytesOf } from '../signed-bytes.ts';
import { assertSigned, unreadableFor } from './profile.ts';
import type { CoSignature, KeptCoSignature } from '../schema/co-signature.ts';

const KeptRow = z.object({
  claim_id: z.string(),
  digest: z.string(),
  signer_kid: z.string(),
  signer_role: z.enum(['operator_attestation', 'agent_self', 'witness']),
  cose_sign1: z.string(),
  public_jwk: z.record(z.string(), z.string()).nullable(),
  verified_at: z.string().nullable(),
  unverified_reason: z.string().nullable(),
  created_at: z.string(),
});
type KeptRow = z.infer<typeof KeptRow>;

const columns = sql.fragment`claim_id, digest, signer_kid, signer_role, cose_sign1, public_jwk, verified_at, unverified_reason,
  created_at`;

/** Role, kid and message: the same ones are kept once. */
const rowDigestOf = ({ signer_role: role, signer_kid: kid, cose_sign1: message }: CoSignature): string =>
  sha256Hex(canonicalJson([role, kid, message]));

const CHANGED =
  'This co-signature was changed in the database: role, kid, message or key are not what was kept. The platform restores it from a copy.';

/** Whether what is kept is not what was sent, or beside another key than it names. */
export const isChanged = ({ warnings }: KeptCoSignature): boolean => warnings.includes(CHANGED);

type CoSigned = Pick<ClaimRow, 'id' | 'envelope' | 'erased_at'>;

/** Null of an erased claim: nothing is left of what was signed. */
const payloadOf = ({ envelope, erased_at: erasedAt }: CoSigned): Buffer | null =>
  erasedAt === null ? signedBytesOf(envelope) : null;

const isOfKey = (jwk: Record<string, string>, kid: string): boolean =>
  jwk['kty'] === 'OKP' && jwk['crv'] === 'Ed25519' && thumbprintOf(jwk['x'] ?? '') === kid;

/**
 * Why what a row says was verified is not called so: a row that was changed, one that an older release verified and no verifier reads (decision
 * L120), and one that its key did not make over this claim.
 */
function faultOf({ digest, public_jwk: jwk, ...row }: KeptRow, payload: Buffer | null): string | null {
  if (digest !== rowDigestOf(row) || (jwk !== null && !isOfKey(jwk, row.signer_kid))) return CHANGED;
  if (jwk === null) return null;
  const fault = unreadableFor(row);
  if (fault !== null)
    return `It was taken by an older release and cannot be read: it ${fault}. Its signer signs again, by the profile of co-signatures.`;
  const lost = payload === null ? null : unsignedBy(row, { x: jwk['x'] ?? '', payload });
  return lost === null ? null : `What is recorded here does not hold any more: it ${lost}.`;
}

function unsignedBy(row: CoSignature, key: { x: string; payload: Buffer }): string | null {
  try {
    assertSigned(row, key);
    return null;
  } catch (error) {
    if (!(error instanceof CoseFault)) throw error;
    return error.message;
  }
}

/** @param payload what was signed; null: nobody has it any more */
function present(kept: KeptRow, payload: Buffer | null): KeptCoSignature {
  const { claim_id: _claimId, digest: _digest, unverified_reason: reason, ...row } = kept;
  const fault = faultOf(kept, payload);
  if (fault !== null) return { ...row, public_jwk: null, verified_at: null, verified: false, warnings: [fault] };
  return { ...row, verified: row.public_jwk !== null, warnings: reason === null ? [] : [reason] };
}

/** Signatures are verified in a row, each 0.1 to 0.25 ms, before others have their turn. */
const AT_ONCE = 64;

/** Lists those of each claim that has some, in the order in which they came. Each that counts as verified is verified again: a row says so alone. */
export async function coSignaturesOf(
  connection: CommonQueryMethods,
  claims: readonly CoSigned[],
): Promise<ReadonlyMap<string, KeptCoSignature[]>> {
  const rows = await connection.any(sql.type(KeptRow)`
    select ${columns} from claim_co_signatures where claim_id = any(${textArray(claims.map(({ id }) => id))}) order by seq`);
  const payloads = new Map<string, Buffer | null>();
  const byClaim = new Map<string, KeptCoSignature[]>();
  const claimOf = new Map(claims.map((claim) => [claim.id, claim]));
  for (const [at, row] of rows.entries()) {
    if (at > 0 && at % AT_ONCE === 0) await othersFirst();
    const { claim_id: id } = row;
    if (!payloads.has(id)) payloads.set(id, payloadOf(claimOf.get(id) as CoSigned));
    const kept = byClaim.get(id) ?? [];
    kept.push(present(row, payloads.get(id) ?? null));
    byClaim.set(id, kept);
  }
  return byClaim;
}

/** With the key that verified it, or a sentence that says why none did. */
export type JudgedCoSignature = CoSignature &
  ({ publicJwk: Record<string, string>; unverified: null } | { publicJwk: null; unverified: string });

/** Repeated ones are left out. @param addedBy the operator whose share of the places they take */
export async function insertCoSignatures(
  connection: CommonQueryMethods,
  { claimId, addedBy, judged }: { claimId: string; addedBy: string; judged: readonly JudgedCoSignature[] },
): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    insert into claim_co_signatures (claim_id, digest, signer_kid, signer_role, cose_sign1, public_jwk, verified_at,
      unverified_reason, added_by, created_at)
    select ${claimId}, digest, kid, role, message, jwk::jsonb, case when jwk is not null then moment end, nullif(reason, ''),
      ${addedBy}, moment
    from unnest(${textArray(judged.map(rowDigestOf))}, ${textArray(judged.map((one) => one.signer_kid))},
      ${textArray(judged.map((one) => one.signer_role))}, ${textArray(judged.map((one) => one.cose_sign1))},
      ${textArray(judged.map((one) => (one.publicJwk === null ? '' : JSON.stringify(one.publicJwk))))},
      ${textArray(judged.map((one) => one.unverified ?? ''))})
      with ordinality as given (digest, kid, role, message, key, reason, place),
      lateral (select nullif(key, '') as jwk, clock_timestamp() as moment) j
    order by place
    on conflict (claim_id, digest) do nothing`);
}

/** An unverified one of the claim is verified from now on. The caller holds the claim. */
export const markVerified = async (
  connection: CommonQueryMethods,
  claim: CoSigned,
  { publicJwk, ...coSignature }: CoSignature & { publicJwk: Record<string, string> },
): Promise<KeptCoSignature> =>
  present(
    await connection.one(sql.type(KeptRow)`
      update claim_co_signatures
      set public_jwk = ${JSON.stringify(publicJwk)}::jsonb, verified_at = clock_timestamp(), unverified_reason = null
      where claim_id = ${claim.id} and digest = ${rowDigestOf(coSignature)}
      returning ${columns}`),
    payloadOf(claim),
  );

/** The same one, if the claim has it. */
export async function findCoSignature(
  connection: CommonQueryMethods,
  claim: CoSigned,
  coSignature: CoSignature,
): Promise<KeptCoSignature | null> {
  const row = await connection.maybeOne(sql.type(KeptRow)`
    select ${columns} from claim_co_signatures where claim_id = ${claim.id} and digest = ${rowDigestOf(coSignature)}`);
  return row === null ? null : present(row, payloadOf(claim));
}

/** The first one that this key verified in this role and that holds. */
export async function findVerified(
  connection: CommonQueryMethods,
  claim: CoSigned,
  { signer_kid: kid, signer_role: role }: CoSignature,
): Promise<KeptCoSignature | null> {
  const rows = await connection.any(sql.type(KeptRow)`
    select ${columns} from claim_co_signatures
    where claim_id = ${claim.id} and signer_kid = ${kid} and signer_role = ${role} and public_jwk is not null
    order by seq`);
  const payload = payloadOf(claim);
  return rows.map((row) => present(row, payload)).find(({ verified }) => verified) ?? null;
}

const Counted = z.object({ all: z.number(), own: z.number() });

/** How many a claim has, and how many of them this operator has added. */
export const countCoSignatures = (
  connection: CommonQueryMethods,
  claimId: string,
  operatorId: string,
): Promise<z.infer<typeof Counted>> =>
  connection.one(sql.type(Counted)`
    select count(*)::int as all, count(*) filter (where added_by = ${operatorId})::int as own
    from claim_co_signatures where claim_id = ${claimId}`);
