import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { SkillId } from '../../ids/ids.ts';
import { hasCodeFields, isExecutable } from '../skill-code.ts';
import { comparableProperties } from '../matching/comparable-properties.ts';
import type { PublishSkill, UpdateSkill } from '../schema.ts';
import type { NextState } from '../status.ts';
import { keepSchemas, storedSchema } from './stored-schemas.ts';

const Nothing = z.object({});

const jsonOrNull = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value));

interface NewSkill {
  id: SkillId;
  operatorId: string;
  body: PublishSkill;
  /** Whether it waits for review and is not public before. */
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
      seller_credential_limit, accepts_requests, executable,
      review_status, approved_at, input_required, output_declared)
    values (${id}, ${operatorId}, ${body.name}, ${review ? 'pending_review' : 'active'}, ${body.execution_mode},
      ${body.trust_level_required}, ${body.price_per_invocation}, ${body.version}, ${sql.binary(input.hash)}, ${sql.binary(output.hash)},
      ${body.description}, ${textArray(body.tags)}, ${body.agent_id ?? null}, ${body.credential_mode},
      ${JSON.stringify(body.required_credentials)}, ${jsonOrNull(body.seller_credential_limit)}, ${body.accepts_requests},
      ${isExecutable(body)}, ${review ? 'pending' : 'exempt'}, ${review ? null : sql.fragment`now()`},
      ${textArray(comparableProperties(body.input_schema).required)}, ${textArray(comparableProperties(body.output_schema).declared)})`);
  await connection.query(sql.type(Nothing)`insert into skill_counts (skill_id) values (${id})`);
  await keepRevision(connection, id);
  await noteWords(connection, id);
  if (hasCodeFields(body)) {
    await connection.query(sql.type(Nothing)`
      insert into skill_code (skill_id, execution_steps, execution_script, execution_runtime, dependencies, llm_enabled, llm_provider,
        llm_model, llm_config)
      values (${id}, ${jsonOrNull(body.execution_steps)}, ${body.execution_script ?? null}, ${body.execution_runtime ?? null},
        ${body.dependencies ?? null}, ${body.llm_enabled ?? null}, ${body.llm_provider ?? null}, ${body.llm_model ?? null},
        ${jsonOrNull(body.llm_config)})`);
  }
}

export const isNameTaken = (
  connection: CommonQueryMethods,
  { operatorId, name }: { operatorId: string; name: string },
): Promise<boolean> =>
  connection.exists(sql.type(Nothing)`select from skills where operator_id = ${operatorId} and name = ${name}`);

/** Stores the skill as it is now as one more revision: invocations name a revision, which must not change. */
const keepRevision = (connection: CommonQueryMethods, id: string) =>
  connection.query(sql.type(Nothing)`
    insert into skill_revisions (skill_id, revision, version, input_schema_hash, output_schema_hash, price_per_invocation)
    select id, revision, version, input_schema_hash, output_schema_hash, price_per_invocation from skills where id = ${id}`);

/** For searches that misspell them. */
const noteWords = (connection: CommonQueryMethods, id: string) =>
  connection.query(sql.type(Nothing)`select from note_skill_words(${id})`);

/** All fields that a PATCH can change, with their new values. */
export type ChangeableFields = { [Field in keyof UpdateSkill]-?: NonNullable<UpdateSkill[Field]> };

export async function saveChanges(connection: CommonQueryMethods, id: string, skill: ChangeableFields): Promise<void> {
  const [input, output] = [storedSchema(skill.input_schema), storedSchema(skill.output_schema)];
  await keepSchemas(connection, [input, output]);
  await connection.query(sql.type(Nothing)`
    update skills
    set description = ${skill.description}, version = ${skill.version}, trust_level_required = ${skill.trust_level_required},
        tags = ${textArray(skill.tags)}, price_per_invocation = ${skill.price_per_invocation},
        input_schema_hash = ${sql.binary(input.hash)}, output_schema_hash = ${sql.binary(output.hash)},
        input_required = ${textArray(comparableProperties(skill.input_schema).required)},
        output_declared = ${textArray(comparableProperties(skill.output_schema).declared)},
        revision = revision + 1, updated_at = clock_timestamp()
    where id = ${id}`);
  await keepRevision(connection, id);
  await noteWords(connection, id);
}

/** `reviewed`: an administrator decided. */
export const saveState = (
  connection: CommonQueryMethods,
  { id, next, reviewed }: { id: string; next: NextState; reviewed: boolean },
) =>
  connection.query(sql.type(Nothing)`
    update skills
    set status = ${next.status}, review_status = ${next.review_status}, rejection_reason = ${next.rejection_reason},
        reviewed_at = ${reviewed ? sql.fragment`clock_timestamp()` : sql.fragment`reviewed_at`},
        approved_at = ${next.status === 'active' ? sql.fragment`coalesce(approved_at, clock_timestamp())` : sql.fragment`approved_at`},
        updated_at = clock_timestamp()
    where id = ${id}`);
