import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../database/pool.ts';

const Contract = z.object({ revision: z.int(), hash: z.string(), schema: z.string() });
const InputContract = Contract.extend({ execution_mode: z.enum(['open', 'sealed', 'source']) });

/** A schema that a payload is checked against: its text, its SHA-256 in hex, and the revision of the skill it belongs to. */
export type Contract = z.output<typeof Contract>;

/** And who executes the skill, which never changes. */
export type InputContract = z.output<typeof InputContract>;

/** The input schema that the skill has now; null where there is no such skill. Caches compare the revision later. */
export const findInputContract = (connection: CommonQueryMethods, skillId: string): Promise<InputContract | null> =>
  connection.maybeOne(sql.type(InputContract)`
    select s.revision, encode(c.hash, 'hex') as hash, c.schema, s.execution_mode
    from skills s join skill_schemas c on c.hash = s.input_schema_hash
    where s.id = ${skillId}`);

/** The output schema of the revision that was invoked; null where there is no such revision. */
export const findOutputContract = (
  connection: CommonQueryMethods,
  { skillId, revision }: { skillId: string; revision: number },
): Promise<Contract | null> =>
  connection.maybeOne(sql.type(Contract)`
    select r.revision, encode(c.hash, 'hex') as hash, c.schema
    from skill_revisions r join skill_schemas c on c.hash = r.output_schema_hash
    where r.skill_id = ${skillId} and r.revision = ${revision}`);
