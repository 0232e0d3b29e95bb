import { z } from 'zod';
import type { KeptPart } from '../commands/run.ts';
import { json } from '../database/columns.ts';
import { sql } from '../database/pool.ts';
import { findPendingChange } from './publishing/pending-change.ts';
import { findCode } from './queries.ts';
import { skillSchemas, type Skill } from './schema.ts';
import { codeFields, NO_CODE, type Code } from './skill-code.ts';

export type KeptSkill = Omit<Skill, keyof Code | 'input_schema' | 'output_schema' | 'pending_change'>;

const { input_schema, output_schema } = skillSchemas;
const Schemas = z.object({ input_schema: json.pipe(input_schema), output_schema: json.pipe(output_schema) });

/**
 * Under an Idempotency-Key a skill is kept without its code, which would lie there in clear, and without its schemas: a megabyte for a call
 * of twenty bytes. The code never changes, and the schemas are those of the revision.
 */
export const keptSkill: KeptPart<Skill, KeptSkill> = {
  reduce({ input_schema: _input, output_schema: _output, pending_change: _change, ...skill }) {
    const code = new Set(Object.keys(codeFields));
    return Object.fromEntries(Object.entries(skill).filter(([field]) => !code.has(field))) as KeptSkill;
  },
  async restore(connection, skill) {
    const schemas = await connection.one(sql.type(Schemas)`
      select i.schema as input_schema, o.schema as output_schema
      from skill_revisions r join skill_schemas i on i.hash = r.input_schema_hash join skill_schemas o on o.hash = r.output_schema_hash
      where r.skill_id = ${skill.id} and r.revision = ${skill.revision}`);
    const pending_change = await findPendingChange(connection, skill.id);
    return { ...skill, ...schemas, pending_change, ...((await findCode(connection, skill.id)) ?? NO_CODE) };
  },
};
