import { json } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { SkillVersionSchema, type SkillVersion } from './schema.ts';

const VersionRow = SkillVersionSchema.extend({
  input_schema: json.pipe(SkillVersionSchema.shape.input_schema),
  output_schema: json.pipe(SkillVersionSchema.shape.output_schema),
});

/** The revisions of a skill, newest first. */
export const listVersions = (
  connection: CommonQueryMethods,
  id: string,
  { after, limit }: { after: number | null; limit: number },
): Promise<readonly SkillVersion[]> =>
  connection.any(sql.type(VersionRow)`
    select r.revision, r.version, i.schema as input_schema, o.schema as output_schema, r.price_per_invocation, r.created_at
    from skill_revisions r join skill_schemas i on i.hash = r.input_schema_hash join skill_schemas o on o.hash = r.output_schema_hash
    where r.skill_id = ${id} ${after === null ? sql.fragment`` : sql.fragment`and r.revision < ${after}`}
    order by r.revision desc limit ${limit}`);
