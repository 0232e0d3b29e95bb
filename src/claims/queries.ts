import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { json, textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { PLATFORM_OPERATOR_ID, type ClaimId } from '../ids/ids.ts';
import { SubmitterSchema, type ClaimFilters, type Submitter } from './schema/claim.ts';

const ClaimRowSchema = z.object({
  seq: z.number(),
  id: z.string(),
  digest: z.string(),
  issuer: z.string(),
  claim_type: z.string(),
  agent_id: z.string().nullable(),
  envelope: json.transform((value) => value as JsonObject),
  payload_effective: json.transform((value) => value as JsonValue).nullable(),
  schema: z.enum(['v1', 'none']),
  receipt_verified: z.boolean().nullable(),
  operator_ids: z.array(z.string()),
  revoked_at: z.string().nullable(),
  revoke_reason: z.string().nullable(),
  erased_at: z.string().nullable(),
  tombstone_id: z.string().nullable(),
  ends: z.string().nullable(),
  submitter: SubmitterSchema,
  created_at: z.string(),
});
export type ClaimRow = z.infer<typeof ClaimRowSchema>;

const columns = sql.fragment`
  seq, id, digest, issuer, claim_type, agent_id, envelope, payload_effective, schema, receipt_verified, operator_ids, revoked_at,
  revoke_reason, erased_at, tombstone_id, ends, submitter, created_at`;

export interface SubmittedClaim {
  id: ClaimId;
  /** JSON as it was sent. */
  envelope: string;
  /** The bytes of which digest and leaf are. */
  signed: Buffer;
  /** JSON; null: the same as in the envelope. */
  payloadEffective: string | null;
  agentId: string | null;
  missionRef: string | null;
  /** The intent or invocation that it says has ended. */
  ends: string | null;
  /** The claims that its payload names. */
  refs: readonly string[];
  /** Whether a receipt that came with it was verified; null: none did. */
  receiptVerified: boolean | null;
  submitter: Submitter;
}

/** Null where a claim of this digest exists; waits for a command that is just recording it. */
export const recordClaim = (connection: CommonQueryMethods, claim: SubmittedClaim): Promise<ClaimRow | null> =>
  connection.maybeOne(sql.type(ClaimRowSchema)`
    select ${columns} from record_claim(${claim.id}, ${claim.envelope}, ${sql.binary(claim.signed)}, ${claim.submitter}, ${claim.agentId},
      ${claim.missionRef}, ${textArray(claim.refs)}, p_effective => ${claim.payloadEffective}, p_ends => ${claim.ends},
      p_receipt_verified => ${claim.receiptVerified})`);

/** @throws CarnetError TIER_LIMIT_EXCEEDED where the operator keeps as many bytes as its tier allows */
export const refuseFullStorage = (connection: CommonQueryMethods, operatorId: string): Promise<unknown> =>
  connection.query(sql.type(z.object({}))`select refuse_full_storage(${operatorId})`);

/** The claim of a digest that is known to be recorded. @throws NotFoundError of slonik where it is not */
export const getClaimByDigest = (connection: CommonQueryMethods, digest: string): Promise<ClaimRow> =>
  connection.one(sql.type(ClaimRowSchema)`select ${columns} from claims where digest = ${digest}`);

/** Null where there is none of this digest. */
export const findClaimByDigest = (connection: CommonQueryMethods, digest: string): Promise<ClaimRow | null> =>
  connection.maybeOne(sql.type(ClaimRowSchema)`select ${columns} from claims where digest = ${digest}`);

export const findClaim = (connection: CommonQueryMethods, id: string): Promise<ClaimRow | null> =>
  connection.maybeOne(sql.type(ClaimRowSchema)`select ${columns} from claims where id = ${id}`);

/** As `findClaim`, with the row locked until the transaction ends. */
export const lockClaim = (connection: CommonQueryMethods, id: string): Promise<ClaimRow | null> =>
  connection.maybeOne(sql.type(ClaimRowSchema)`select ${columns} from claims where id = ${id} for no key update`);

/** Null where the claim is revoked already. */
export const markRevoked = (
  connection: CommonQueryMethods,
  id: string,
  reason: string | null,
): Promise<ClaimRow | null> =>
  connection.maybeOne(sql.type(ClaimRowSchema)`
    update claims set revoked_at = clock_timestamp(), revoke_reason = ${reason}
    where id = ${id} and revoked_at is null
    returning ${columns}`);

/** Takes the payload of a claim out of the database, with all that was read from it, and records that by a tombstone. */
export const erasePayload = (
  connection: CommonQueryMethods,
  { id, reason }: { id: string; reason: string | null },
): Promise<ClaimRow> =>
  connection.one(sql.type(ClaimRowSchema)`select ${columns} from erase_claim_payload(${id}, ${reason})`);

const EarlierEnd = z.object({ id: z.string(), earlier: z.string() });

/** Finds those of these claims before which the same issuer said that the same thing had ended, with the first claim that did. */
export const findEarlierEnds = (
  connection: CommonQueryMethods,
  ids: readonly string[],
): Promise<readonly z.infer<typeof EarlierEnd>[]> =>
  connection.any(sql.type(EarlierEnd)`
    select c.id, e.id as earlier from claims c cross join lateral (
      select id from claims where ends = c.ends and issuer = c.issuer and seq < c.seq order by seq limit 1) e
    where c.id = any(${textArray(ids)}) and c.ends is not null`);

/** Claims of the service about one thing, in the order in which they were recorded; a thousand at most. */
export const findClaimsAbout = (connection: CommonQueryMethods, subject: string): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from claims where subject = ${subject} and issuer = 'op_platform' order by seq limit 1000`);

/** The newest claim of this type that the service has issued about each of these, of those that concern the operator. */
export const findNewestIssued = (
  connection: CommonQueryMethods,
  operatorId: string,
  { subjects, claimType }: { subjects: readonly string[]; claimType: string },
): Promise<readonly ClaimRow[]> =>
  connection.any(sql.type(ClaimRowSchema)`
    select ${columns} from unnest(${textArray(subjects)}) as about (it) cross join lateral (
      select * from claims where subject = about.it and issuer = 'op_platform' and claim_type = ${claimType}
        and ${operatorId} = any(operator_ids)
      order by seq desc limit 1) newest`);

/** Those of these claims that are there and are about somebody else than an agent of this operator. */
export const findOfOthers = (
  connection: CommonQueryMethods,
  ids: readonly string[],
  { operatorId, agentId }: { operatorId: string; agentId: string },
): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from claims where id = any(${textArray(ids)})
      and not (issuer = ${operatorId} and coalesce(agent_id = ${agentId}, subject = ${`carnet://agent/${agentId}`}))`);

export const findExisting = (connection: CommonQueryMethods, ids: readonly string[]): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(z.object({ id: z.string() }))`select id from claims where id = any(${textArray(ids)})`);

export interface ClaimPage {
  /** The operator that reads; null: the platform, which sees every claim. */
  readerId: string | null;
  filters: ClaimFilters;
  /** The last `seq` of the page before. */
  before: number | null;
  limit: number;
}

/** A filter that was not given is left out of the statement, so that every plan can use its index fully. */
const nothing = sql.fragment``;

/** Newest first. A reader's claims are found by three indexes, each in the order of the list. */
export function listClaims(connection: CommonQueryMethods, page: ClaimPage): Promise<readonly ClaimRow[]> {
  const { readerId, limit } = page;
  const narrowed = narrowing(page);
  const newest = sql.fragment`order by seq desc limit ${limit}`;
  if (readerId === null) {
    return connection.any(sql.type(ClaimRowSchema)`select ${columns} from claims where true ${narrowed} ${newest}`);
  }
  // Each way of reading a claim has its index, in the order of the list, so that each reads a page at most. A claim that is found twice is one of
  // the union: to leave the reader's own ones out of the later ways would read all of them.
  const others = readerId === PLATFORM_OPERATOR_ID ? sql.fragment`and issuer <> ${readerId}` : nothing;
  const way = (condition: FragmentSqlToken) =>
    sql.fragment`(select seq from claims where ${condition} ${narrowed} ${newest})`;
  return connection.any(sql.type(ClaimRowSchema)`
    with found as (
      ${way(sql.fragment`issuer = ${readerId} and issuer <> 'op_platform'`)} union
      ${way(sql.fragment`operator_ids[1] = ${readerId} ${others}`)} union
      ${way(sql.fragment`operator_ids[2] = ${readerId} ${others}`)} ${newest})
    select ${columns} from claims join found using (seq) order by seq desc`);
}

function narrowing({ filters, before }: ClaimPage) {
  const { issuer, subject, claim_type: type, agent_id: agentId, mission_ref: missionRef, since, until, ref } = filters;
  return sql.fragment`
    ${before === null ? nothing : sql.fragment`and seq < ${before}`}
    ${ref === undefined ? nothing : sql.fragment`and seq in (select r.seq from claim_refs r where r.ref = ${ref})`}
    ${issuer === undefined ? nothing : sql.fragment`and issuer = ${issuer}`}
    ${subject === undefined ? nothing : sql.fragment`and subject = ${subject}`}
    ${type === undefined ? nothing : sql.fragment`and claim_type = ${type}`}
    ${agentId === undefined ? nothing : sql.fragment`and agent_id = ${agentId}`}
    ${missionRef === undefined ? nothing : sql.fragment`and mission_ref = ${missionRef}`}
    ${since === undefined ? nothing : sql.fragment`and issued_at_ms >= ${since}`}
    ${until === undefined ? nothing : sql.fragment`and issued_at_ms < ${until}`}`;
}
