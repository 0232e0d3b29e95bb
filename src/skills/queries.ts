import { z } from 'zod';
import { json, textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import {
  ListedSkillSchema,
  ReviewStatus,
  SellerCredentialUseSchema,
  skillSchemas,
  type SellerCredentialUse,
} from './schema.ts';
import type { Code } from './skill-code.ts';

/** A skill as lists read it: without its code and its schemas. */
export const ListedSkillRow = ListedSkillSchema.omit({
  review: true,
  average_rating: true,
  rating_count: true,
  seller: true,
}).extend({
  required_credentials: json.pipe(ListedSkillSchema.shape.required_credentials),
  seller_credential_limit: json.pipe(ListedSkillSchema.shape.seller_credential_limit).nullable(),
  executable: z.boolean(),
  has_code: z.boolean(),
  review_status: ReviewStatus,
  rejection_reason: z.string().nullable(),
  reviewed_at: z.string().nullable(),
  approved_at: z.string().nullable(),
  rated_1: z.int(),
  rated_2: z.int(),
  rated_3: z.int(),
  rated_4: z.int(),
  rated_5: z.int(),
  verified_count: z.int(),
  seller_name: z.string(),
  seller_verified: z.boolean(),
});
export type ListedSkillRow = z.output<typeof ListedSkillRow>;

/** A skill as it is stored, without its code. */
const SkillRow = ListedSkillRow.extend({
  input_schema: json.pipe(skillSchemas.input_schema),
  output_schema: json.pipe(skillSchemas.output_schema),
});
export type SkillRow = z.output<typeof SkillRow>;

export const listedColumns = sql.fragment`
  s.id, s.operator_id, s.name, s.description, s.version, s.revision, s.status,
  s.trust_level_required, s.tags, s.price_per_invocation, s.agent_id, s.execution_mode, s.credential_mode, s.required_credentials,
  s.seller_credential_limit, s.accepts_requests, s.executable,
  exists (select from skill_code where skill_id = s.id) as has_code, s.review_status, s.rejection_reason, s.reviewed_at, s.approved_at,
  s.created_at, s.updated_at, c.invocation_count, c.rated_1, c.rated_2, c.rated_3, c.rated_4, c.rated_5, c.verified_count,
  (select o.name from operator_names o where o.operator_id = s.operator_id) as seller_name,
  trust_level_of(s.operator_id, null) > 0 as seller_verified`;

/** The table that `listedColumns` need beside `skills s`. */
export const listedJoin = sql.fragment`join skill_counts c on c.skill_id = s.id`;

const skillColumns = sql.fragment`${listedColumns}, i.schema as input_schema, o.schema as output_schema`;

/** The tables that `skillColumns` need beside `skills s`. */
const skillJoins = sql.fragment`
  join skill_schemas i on i.hash = s.input_schema_hash
  join skill_schemas o on o.hash = s.output_schema_hash
  ${listedJoin}`;

/** Active, and of an operator that is not suspended: the skills of a suspended one cannot be invoked. */
export const onTheMarket = sql.fragment`
  s.status = 'active' and not exists (select from operator_standings o where o.operator_id = s.operator_id and o.suspended)`;

export const findSkillRow = (connection: CommonQueryMethods, id: string): Promise<SkillRow | null> =>
  connection.maybeOne(sql.type(SkillRow)`select ${skillColumns} from skills s ${skillJoins} where s.id = ${id}`);

/** The names of these skills, by id. */
export async function findSkillNames(
  connection: CommonQueryMethods,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.any(sql.type(z.object({ id: z.string(), name: z.string() }))`
    select id, name from skills where id = any(${textArray([...new Set(ids)])})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A skill that is known to exist. */
export const getSkillRow = (connection: CommonQueryMethods, id: string): Promise<SkillRow> =>
  connection.one(sql.type(SkillRow)`select ${skillColumns} from skills s ${skillJoins} where s.id = ${id}`);

/** As `findSkillRow`, and locked until the transaction ends; schemas and counts are not locked. */
export const lockSkillRow = (connection: CommonQueryMethods, id: string): Promise<SkillRow | null> =>
  connection.maybeOne(sql.type(SkillRow)`
    select ${skillColumns} from skills s ${skillJoins} where s.id = ${id} for no key update of s`);

const CodeRow = z.object({
  execution_steps: json.nullable(),
  execution_script: z.string().nullable(),
  execution_runtime: z.string().nullable(),
  dependencies: z.string().nullable(),
  llm_enabled: z.boolean().nullable(),
  llm_provider: z.string().nullable(),
  llm_model: z.string().nullable(),
  llm_config: json.nullable(),
});

/** The code of a skill, which never changes once published. */
export const findCode = async (connection: CommonQueryMethods, id: string): Promise<Code | null> =>
  (await connection.maybeOne(sql.type(CodeRow)`
    select execution_steps, execution_script, execution_runtime, dependencies, llm_enabled, llm_provider, llm_model, llm_config
    from skill_code where skill_id = ${id}`)) as Code | null;

/** It has taken so much of its owner's keys in this month; a month without a row is one without use. */
export const findSellerCredentialUse = (connection: CommonQueryMethods, id: string): Promise<SellerCredentialUse> =>
  connection.one(sql.type(SellerCredentialUseSchema)`
    select coalesce(u.calls, 0) as calls, coalesce(u.cost_microcents, 0) as cost_microcents,
      iso_time((now_month.month + interval '1 month') at time zone 'UTC') as resets_at
    from (select utc_month(clock_timestamp()) as month) now_month
    left join seller_credential_uses u on u.skill_id = ${id} and u.month = now_month.month`);

interface OwnSkillsPage {
  operatorId: string;
  /** The last id of the page before. */
  after: string | null;
  limit: number;
}

/** The skills of one operator in every status, newest first. */
export const listOwnSkills = (
  connection: CommonQueryMethods,
  { operatorId, after, limit }: OwnSkillsPage,
): Promise<readonly ListedSkillRow[]> =>
  connection.any(sql.type(ListedSkillRow)`
    select ${listedColumns} from skills s ${listedJoin}
    where s.operator_id = ${operatorId} ${after === null ? sql.fragment`` : sql.fragment`and s.id < ${after}`}
    order by s.id desc limit ${limit}`);

/** The skills that wait for review, and those with a change that does, longest waiting first. */
export const listPendingReviews = (
  connection: CommonQueryMethods,
  after: string | null,
  limit: number,
): Promise<readonly ListedSkillRow[]> =>
  connection.any(sql.type(ListedSkillRow)`
    select ${listedColumns} from skills s ${listedJoin}
    where s.id in (select id from skills where status = 'pending_review' union all select skill_id from skill_changes) ${after === null ? sql.fragment`` : sql.fragment`and s.id > ${after}`}
    order by s.id limit ${limit}`);
