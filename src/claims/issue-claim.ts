import { z } from 'zod';
import { textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import type { ClaimId } from '../ids/ids.ts';
import { isShaped, payloadSchemas, type ClaimType, type PayloadOf } from './schema/payloads.ts';

interface IssuedClaim<Type extends ClaimType> {
  type: Type;
  /** `carnet://agent/ag_…`, `carnet://invocation/inv_…` or `carnet://passport/psp_…` */
  subject: string;
  payload: PayloadOf<Type>;
  agentId: string | null;
  missionRef: string | null;
  /** The operators that may read it in full; two at most. */
  operatorIds: readonly string[];
  /** The passport that the claim vouches for; revoking that revokes the claim. */
  passportJti?: string | null;
  /** Other claims that it names by what it is about. */
  refs?: readonly string[];
}

/**
 * Records a claim of the service in the caller's transaction. The issuer is op_platform, issued_at is in seconds of
 * Postgres' clock, and defaults of the payload are filled in. The same statement in the same second is the same claim.
 * @throws ZodError for a payload that does not have the shape of its type, which is a fault of the service.
 */
export async function issueClaim<Type extends ClaimType>(
  connection: CommonQueryMethods,
  { type, subject, payload, agentId, missionRef, operatorIds, passportJti = null, refs = [] }: IssuedClaim<Type>,
): Promise<ClaimId> {
  const whole = isShaped(type) ? payloadSchemas[type].parse(payload) : payload;
  const id = await connection.oneFirst(sql.type(z.object({ id: z.string() }))`
    select issue_claim(p_type => ${type}, p_subject => ${subject}, p_payload => ${canonicalJson(whole as JsonValue)},
      p_agent => ${agentId}, p_mission => ${missionRef}, p_operators => ${textArray(operatorIds)},
      p_passport => ${passportJti}, p_refs => ${textArray(refs)}) as id`);
  return id as ClaimId;
}
