import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { IdentityClaimId } from '../../ids/ids.ts';
import { IdentityClaimSchema, type CreateIdentityClaim, type IdentityClaim } from './schema.ts';

const columns = sql.fragment`
  id, operator_id, agent_id, provider, layer, claim_type, assurance_level, inherit, humanity_verified, verified_at,
  expires_at, revoked_at, created_at`;

/** Null does not filter: claims of every operator, or of every agent and the account. */
interface IdentityClaimFilter {
  operatorId: string | null;
  agentId: string | null;
}

const matching = ({ operatorId, agentId }: IdentityClaimFilter) => sql.fragment`
  (${operatorId}::text is null or operator_id = ${operatorId}) and (${agentId}::text is null or agent_id = ${agentId})`;

/** Newest first. */
export const listIdentityClaims = (
  connection: CommonQueryMethods,
  filter: IdentityClaimFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly IdentityClaim[]> =>
  connection.any(sql.type(IdentityClaimSchema)`
    select ${columns} from identity_claims where ${matching(filter)} order by id desc limit ${limit} offset ${offset}`);

/** @param operatorId null: any operator. */
export const findIdentityClaim = (
  connection: CommonQueryMethods,
  { id, operatorId }: { id: string; operatorId: string | null },
): Promise<IdentityClaim | null> =>
  connection.maybeOne(sql.type(IdentityClaimSchema)`
    select ${columns} from identity_claims where id = ${id} and ${matching({ operatorId, agentId: null })}`);

export const countIdentityClaims = (connection: CommonQueryMethods, filter: IdentityClaimFilter): Promise<number> =>
  connection.oneFirst(
    sql.type(z.object({ count: z.number() }))`select count(*) from identity_claims where ${matching(filter)}`,
  );

export const insertIdentityClaim = (
  connection: CommonQueryMethods,
  claim: CreateIdentityClaim & { id: IdentityClaimId; operator_id: string },
): Promise<IdentityClaim> =>
  connection.one(sql.type(IdentityClaimSchema)`
    insert into identity_claims (id, operator_id, agent_id, provider, layer, claim_type, assurance_level, inherit,
                                 humanity_verified, verified_at, expires_at)
    values (${claim.id}, ${claim.operator_id}, ${claim.agent_id ?? null}, ${claim.provider}, ${claim.layer},
            ${claim.claim_type}, ${claim.assurance_level}, ${claim.inherit}, ${claim.humanity_verified},
            coalesce(${claim.verified_at ?? null}::timestamptz, now()), ${claim.expires_at ?? null}::timestamptz)
    returning ${columns}`);

/**
 * Charges the cost of a claim, with the fee, to the wallet of the operator that it is about; only once for each claim.
 * @throws CarnetError INSUFFICIENT_CREDITS
 */
export const chargeIdentityClaim = (
  connection: CommonQueryMethods,
  { id, operator_id: operatorId }: Pick<IdentityClaim, 'id' | 'operator_id'>,
  costMicrocents: number,
): Promise<unknown> =>
  connection.one(sql.type(z.object({ microcents: z.number() }))`
    select charge_usage(${id}, ${operatorId}, 'identity', ${costMicrocents}, 'Identity verification') as microcents`);

/** A second revocation keeps the time of the first. @returns whether there is such a claim. */
export const revokeIdentityClaim = async (connection: CommonQueryMethods, id: string): Promise<boolean> =>
  (await connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    update identity_claims set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = ${id} returning id`)) !==
  null;
