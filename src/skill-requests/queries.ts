import { z } from 'zod';
import { json, textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import type { SkillRequestId } from '../ids/ids.ts';
import {
  ListedSkillRequestSchema,
  SkillRequestSchema,
  type ListedSkillRequest,
  type PostSkillRequest,
  type SkillRequest,
  type SkillRequestStatus,
} from './schema.ts';

const SkillRequestRow = SkillRequestSchema.extend({
  desired_input_schema: json.pipe(SkillRequestSchema.shape.desired_input_schema).nullable(),
  desired_output_schema: json.pipe(SkillRequestSchema.shape.desired_output_schema).nullable(),
});

const listedColumns = sql.fragment`
  id, operator_id, description, max_price_cents, tags, status, created_at, updated_at`;
const columns = sql.fragment`${listedColumns}, desired_input_schema, desired_output_schema`;

export const findSkillRequest = (connection: CommonQueryMethods, id: string): Promise<SkillRequest | null> =>
  connection.maybeOne(sql.type(SkillRequestRow)`select ${columns} from skill_requests where id = ${id}`);

/** As `findSkillRequest`, and locked until the transaction ends. */
export const lockSkillRequest = (connection: CommonQueryMethods, id: string): Promise<SkillRequest | null> =>
  connection.maybeOne(
    sql.type(SkillRequestRow)`select ${columns} from skill_requests where id = ${id} for no key update`,
  );

const jsonOrNull = (schema: object | undefined): string | null =>
  schema === undefined ? null : JSON.stringify(schema);

export const insertSkillRequest = (
  connection: CommonQueryMethods,
  { id, operatorId, body }: { id: SkillRequestId; operatorId: string; body: PostSkillRequest },
): Promise<SkillRequest> =>
  connection.one(sql.type(SkillRequestRow)`
    insert into skill_requests (id, operator_id, description, desired_input_schema, desired_output_schema, max_price_cents, tags)
    values (${id}, ${operatorId}, ${body.description}, ${jsonOrNull(body.desired_input_schema)}, ${jsonOrNull(body.desired_output_schema)},
            ${body.max_price_cents ?? null}, ${textArray(body.tags)})
    returning ${columns}`);

export const saveSkillRequest = (
  connection: CommonQueryMethods,
  { id, status, description }: SkillRequest,
): Promise<SkillRequest> =>
  connection.one(sql.type(SkillRequestRow)`
    update skill_requests set status = ${status}, description = ${description}, updated_at = clock_timestamp(), text_purged_at = null
    where id = ${id} returning ${columns}`);

interface Page {
  status?: SkillRequestStatus | undefined;
  limit: number;
  offset: number;
}

/** Newest first. */
export async function pageOfSkillRequests(
  connection: CommonQueryMethods,
  { status, limit, offset }: Page,
): Promise<{ skillRequests: readonly ListedSkillRequest[]; total: number }> {
  const where = status === undefined ? sql.fragment`true` : sql.fragment`status = ${status}`;
  const total = await connection.oneFirst(
    sql.type(z.object({ count: z.int() }))`select count(*) from skill_requests where ${where}`,
  );
  const skillRequests = await connection.any(sql.type(ListedSkillRequestSchema)`
    select ${listedColumns} from skill_requests where ${where} order by created_at desc, id desc limit ${limit} offset ${offset}`);
  return { skillRequests, total };
}
