import { z } from 'zod';
import { findClaimsAbout } from '../../claims/index.ts';
import type { Context } from '../../context/context.ts';
import { json } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { findBudget, type PassportBudget } from '../budgets/queries.ts';
import type { Passport, PassportStatus } from '../schema.ts';
import { PASSPORT_CLAIM, PassportClaimsSchema, PassportPayloadSchema, type ServiceScope } from '../token.ts';
import type { OperatorId } from '../../ids/ids.ts';

/** The intent of an issue request, as it was sent. */
const Intent = z.object({
  summary: z.string(),
  services: z.array(z.string()),
  estimated_duration_seconds: z.number().optional(),
  refs: z.array(z.string()).optional(),
});

const { identity_claims, authority_refs, mission_ids, services } = PassportClaimsSchema.shape;
const { aud } = PassportPayloadSchema.shape;

const PassportRow = z.object({
  jti: z.string(),
  agent_id: z.string(),
  session_id: z.string(),
  depth: z.number(),
  parent_jti: z.string().nullable(),
  payload: json.pipe(z.object({ aud, [PASSPORT_CLAIM]: z.object({ identity_claims, authority_refs, mission_ids }) })),
  intent: json.pipe(Intent).nullable(),
  checkpoint_interval_seconds: z.number().nullable(),
  checkpoint_count: z.number(),
  last_checkpoint_at: z.string().nullable(),
  issued_at: z.string(),
  expires_at: z.string(),
  status: z.enum(['active', 'expired', 'revoked']),
  revoked_at: z.string().nullable(),
  revoke_reason: z.string().nullable(),
});

const columns = sql.fragment`
  p.jti, p.agent_id, p.session_id, p.depth, p.parent_jti, p.payload, l.intent, l.checkpoint_interval_seconds, l.checkpoint_count,
  l.last_checkpoint_at, p.issued_at, p.expires_at, p.revoked_at, p.revoke_reason,
  case when p.revoked_at is not null then 'revoked' when p.expires_at <= now() then 'expired' else 'active' end as status`;

const toPassport = ({ payload, intent, depth, parent_jti, ...row }: z.output<typeof PassportRow>): Passport => {
  const claims = payload[PASSPORT_CLAIM];
  return {
    ...row,
    audience: payload.aud ?? null,
    delegation_depth: depth,
    parent_passport_id: parent_jti,
    identity_claim_ids: claims.identity_claims.map(({ claim_id: id }) => id),
    authority_refs: claims.authority_refs,
    intent_summary: intent?.summary ?? null,
    intent_services: intent?.services ?? [],
    intent_refs: intent?.refs ?? [],
    mission_ids: claims.mission_ids,
    estimated_duration_seconds: intent?.estimated_duration_seconds ?? null,
  };
};

/** @returns null where it is not this operator's. */
export async function findPassport(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  jti: string,
): Promise<Passport | null> {
  const row = await connection.maybeOne(sql.type(PassportRow)`
    select ${columns} from passports p join passport_lineages l on l.id = p.lineage_id
    where p.jti = ${jti} and p.operator_id = ${operatorId}`);
  return row === null ? null : toPassport(row);
}

interface PassportFilter {
  operatorId: OperatorId;
  agentId?: string | undefined;
  sessionId?: string | undefined;
  status?: PassportStatus | undefined;
  /** The last jti of the previous page; null: the first page. */
  after: string | null;
  limit: number;
}

/** A filter that was not sent is left out of the statement, so that Postgres can plan with the best index. */
const nothing = sql.fragment``;

const STATUS = {
  active: sql.fragment`and p.jti in (select jti from active)`,
  expired: sql.fragment`and p.revoked_at is null and p.expires_at <= now()`,
  revoked: sql.fragment`and p.revoked_at is not null`,
} as const satisfies Record<PassportStatus, unknown>;

/**
 * Newest first; jtis sort by creation. Active ones are found by an index of their own: they may be few in a long
 * history.
 */
export async function listPassports(
  connection: CommonQueryMethods,
  { operatorId, agentId, sessionId, status, after, limit }: PassportFilter,
): Promise<Passport[]> {
  const active = sql.fragment`
    with active as materialized (
      select jti from passports where operator_id = ${operatorId} and revoked_at is null and expires_at > now())`;
  const rows = await connection.any(sql.type(PassportRow)`
    ${status === 'active' ? active : nothing}
    select ${columns} from passports p join passport_lineages l on l.id = p.lineage_id
    where p.operator_id = ${operatorId}
      ${after === null ? nothing : sql.fragment`and p.jti < ${after}`}
      ${agentId === undefined ? nothing : sql.fragment`and p.agent_id = ${agentId}`}
      ${sessionId === undefined ? nothing : sql.fragment`and p.session_id = ${sessionId}`}
      ${status === undefined ? nothing : STATUS[status]}
    order by p.jti desc limit ${limit}`);
  return rows.map(toPassport);
}

const RightsRow = z.object({
  payload: json.pipe(z.object({ [PASSPORT_CLAIM]: z.object({ services }) })),
  budgets: z.array(z.string()).nullable(),
});

/** The rights of a passport that is there, as they were signed, and its budget as it is now. */
export async function rightsOfPassport(
  connection: CommonQueryMethods,
  jti: string,
): Promise<{ services: ServiceScope[]; budget: PassportBudget | null }> {
  const { payload, budgets } = await connection.one(
    sql.type(RightsRow)`select payload, budgets from passports where jti = ${jti}`,
  );
  return { services: payload[PASSPORT_CLAIM].services, budget: await findBudget(connection, budgets) };
}

/** Reads which agent stands at the root of a passport's chain; null: no such passport. */
export const findRootAgent = (connection: CommonQueryMethods, jti: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ root_agent_id: z.string() }))`
    select l.root_agent_id from passports p join passport_lineages l on l.id = p.lineage_id where p.jti = ${jti}`);

/** Ids, in the order in which they were recorded; the subject is that of `subject_of_passport` in SQL. */
export const claimsOfPassport = async ({ pool }: Context, jti: string): Promise<string[]> => [
  ...(await findClaimsAbout(pool, `carnet://passport/${jti}`)),
];
