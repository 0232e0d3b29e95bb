import { z } from 'zod';
import { textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { SkillId } from '../ids/ids.ts';
import { hasCode, isExecutable } from './execution-schema.ts';
import { fieldsOf } from './schema-fields.ts';
import type { PublishSkill } from './schema.ts';
import type { NextState } from './status.ts';
import { keepSchemas, storedSchema } from './stored-schemas.ts';

const Nothing = z.object({});

const orNull = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value));

export interface NewSkill {
  id: SkillId;
  operatorId: string;
  body: PublishSkill;
  /** Waits for review, and is not public before. */
  review: boolean;
}

export async function insertSkill(
  connection: CommonQueryMethods,
  { id, operatorId, body, review }: NewSkill,
): Promise<void> {
  const [input, output] = [storedSchema(body.input_schema), storedSchema(body.output_schema)];
  await keepSchemas(connection, [input, output]);
  await connection.query(sql.type(Nothing)`
    insert into skills (id, operator_id, name, status, execution_mode, trust_level_required, price_per_invocation, version,
      input_schema_hash, output_schema_hash, description, tags, agent_id, credential_mode, required_credentials,
      seller_credential_limit, accepts_requests, llm_enabled, llm_provider, llm_model, execution_runtime, executable,
      review_status, approved_at, input_required, output_declared)
    values (${id}, ${operatorId}, ${body.name}, ${review ? 'pending_review' : 'active'}, ${body.execution_mode},
      ${body.trust_level_required}, ${body.price_per_invocation}, ${body.version}, ${sql.binary(input.hash)}, ${sql.binary(output.hash)},
      ${body.description}, ${textArray(body.tags)}, ${body.agent_id ?? null}, ${body.credential_mode},
      ${JSON.stringify(body.required_credentials)}, ${orNull(body.seller_credential_limit)}, ${body.accepts_requests},
      ${body.llm_enabled ?? null}, ${body.llm_provider ?? null}, ${body.llm_model ?? null}, ${body.execution_runtime ?? null},
      ${isExecutable(body)}, ${review ? 'pending' : 'exempt'}, ${review ? null : sql.fragment`now()`},
      ${textArray(fieldsOf(body.input_schema).required)}, ${textArray(fieldsOf(body.output_schema).declared)})`);
  await connection.query(sql.type(Nothing)`insert into skill_counts (skill_id) values (${id})`);
  await keepRevision(connection, id);
  if (hasCode(body)) {
    await connection.query(sql.type(Nothing)`
      insert into skill_code (skill_id, execution_steps, execution_script, dependencies, llm_config)
      values (${id}, ${orNull(body.execution_steps)}, ${body.execution_script ?? null}, ${body.dependencies ?? null}, ${orNull(body.llm_config)})`);
  }
}

/** The skill as it is now becomes one more revision; what an invocation names stays what it was (decisions K8). */
const keepRevision = (connection: CommonQueryMethods, id: string) =>
  connection.query(sql.type(Nothing)`
    insert into skill_revisions (skill_id, revision, version, input_schema_hash, output_schema_hash, price_per_invocation)
    select id, revision, version, input_schema_hash, output_schema_hash, price_per_invocation from skills where id = ${id}`);

/** What a PATCH can change, all of it as it will be. */
export interface Changeable {
  description: string;
  version: string;
  input_schema: Record<string, unknown>;
  output_schema: Record<string, unknown>;
  trust_level_required: string;
  tags: string[];
  price_per_invocation: number;
}

export async function saveChanges(connection: CommonQueryMethods, id: string, skill: Changeable): Promise<void> {
  const [input, output] = [storedSchema(skill.input_schema), storedSchema(skill.output_schema)];
  await keepSchemas(connection, [input, output]);
  await connection.query(sql.type(Nothing)`
    update skills
    set description = ${skill.description}, version = ${skill.version}, trust_level_required = ${skill.trust_level_required},
        tags = ${textArray(skill.tags)}, price_per_invocation = ${skill.price_per_invocation},
        input_schema_hash = ${sql.binary(input.hash)}, output_schema_hash = ${sql.binary(output.hash)},
        input_required = ${textArray(fieldsOf(skill.input_schema).required)},
        output_declared = ${textArray(fieldsOf(skill.output_schema).declared)},
        revision = revision + 1, updated_at = clock_timestamp()
    where id = ${id}`);
  await keepRevision(connection, id);
}

/** @param reviewed an administrator decided. */
export const saveState = (connection: CommonQueryMethods, id: string, next: NextState, reviewed: boolean) =>
  connection.query(sql.type(Nothing)`
    update skills
    set status = ${next.status}, review_status = ${next.review_status}, rejection_reason = ${next.rejection_reason},
        reviewed_at = ${reviewed ? sql.fragment`clock_timestamp()` : sql.fragment`reviewed_at`},
        approved_at = ${next.status === 'active' ? sql.fragment`coalesce(approved_at, clock_timestamp())` : sql.fragment`approved_at`},
        updated_at = clock_timestamp()
    where id = ${id}`);
