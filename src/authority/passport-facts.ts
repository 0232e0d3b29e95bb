import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { OperatorId } from '../ids/ids.ts';
import { ConstraintSchema } from './constraints.ts';
import { AgentSchema } from '../accounts/index.ts';

const seconds = z.int().nullable();

const GrantFactSchema = z.object({
  connection_id: z.string(),
  service_id: z.string(),
  service_name: z.string(),
  connection_scopes: z.array(z.string()),
  /** The scopes that the grant allows now: `*` expanded, without scopes that the connection no longer has. */
  scopes: z.array(z.string()),
  credential_ref: z.string().nullable(),
  constraints: z.array(ConstraintSchema),
  /** Names of services, `*` expanded. */
  allow_data_from: z.array(z.string()),
});

const IdentityClaimFactSchema = z.object({
  claim_id: z.string(),
  provider: z.string(),
  layer: z.string(),
  claim_type: z.string(),
  assurance_level: z.string(),
  verified_at: z.int(),
  expires_at: seconds,
  humanity_verified: z.boolean(),
  /** null: the account's own. */
  agent_id: z.string().nullable(),
  inherit: z.boolean(),
});

const AuthorityBindingFactSchema = z.object({
  binding_id: z.string(),
  binding_version: z.int(),
  binding_claim_id: z.string(),
  binding_digest: z.string(),
  receiver_id: z.string(),
  receiver_profile_version_id: z.string(),
  expires_at: z.int(),
});

/** The facts that a passport of one agent is composed from; instants are whole seconds since 1970. */
const FactsSchema = z.object({
  operator_status: z.enum(['active', 'suspended']),
  agent: AgentSchema.pick({
    id: true,
    name: true,
    status: true,
    accountability: true,
    checkpoint_interval_seconds: true,
  }).extend({ key_thumbprint: z.string().nullable() }),
  grants: z.array(GrantFactSchema),
  identity_claims: z.array(IdentityClaimFactSchema),
  authority_bindings: z.array(AuthorityBindingFactSchema),
});

const FactsRow = z.object({
  facts: z.object({ revision: z.int(), digest: z.string(), facts: FactsSchema }).nullable(),
});

export interface PassportFacts extends z.infer<typeof FactsSchema> {
  /** While `authority_revision(operator)` is this number, the facts have not changed. */
  revision: number;
  /** After another revision they are still the same if their digest is this. */
  digest: string;
}

/** Reads the facts in one statement, so all are of one moment. @returns null where the agent is not this operator's. */
export async function passportFacts(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  agentId: string,
): Promise<PassportFacts | null> {
  const row = await connection.oneFirst(sql.type(FactsRow)`select passport_facts(${operatorId}, ${agentId}) as facts`);
  return row === null ? null : { ...row.facts, revision: row.revision, digest: row.digest };
}
