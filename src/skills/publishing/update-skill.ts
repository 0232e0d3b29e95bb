import { z } from 'zod';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runKeptCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { canonicalJson } from '../../json/canonical.ts';
import { assertThat, CarnetError } from '../../errors/carnet-error.ts';
import type { JsonObject } from '../../json/value.ts';
import { checkSchemas } from './check-schemas.ts';
import { keptSkill, type KeptSkill } from '../kept-skill.ts';
import { findSkillRow, type SkillRow } from '../queries.ts';
import type { Skill, UpdateSkill } from '../schema.ts';
import { isAnsweredBySeller } from '../skill-code.ts';
import { assertOwnSkill, lockOwnSkill, showSkill } from '../show-skill.ts';
import { findPendingChange, keepWaiting, partChange } from './pending-change.ts';
import { assertMaySpendSellerKey } from './seller-key.ts';
import { saveChanges, type ChangeableFields } from './write-queries.ts';

/**
 * Changes the fields given and counts one more revision; a PATCH that changes nothing leaves the revision as it is. The promises of an approved skill
 * with code change when an administrator has looked at them, all else immediately (decision K1).
 * @throws CarnetError VALIDATION_ERROR for a refused schema, NOT_FOUND, NOT_OWNER, VERSION_IMMUTABLE; ADMIN_REQUIRED for the price where
 *   its seller's key answers.
 */
export async function updateSkill(
  context: Context,
  call: CommandCall,
  { id, body }: { id: string; body: UpdateSkill },
): Promise<Answered<Skill>> {
  // The owner is judged first: a schema takes up to a second of a thread.
  if (body.input_schema !== undefined || body.output_schema !== undefined)
    assertOwnSkill(call.caller, await findSkillRow(context.pool, id));
  await checkSchemas(context, call.caller, { input_schema: body.input_schema, output_schema: body.output_schema });
  return await runKeptCommand<Skill, KeptSkill>(context, call, {
    kept: keptSkill,
    work: async ({ connection, audit, changed }) => {
      const before = await lockOwnSkill(connection, call.caller, id);
      const waiting = await findPendingChange(connection, id);
      const { atOnce, waits } = partChange(before, waiting, body);
      const after = changeOf(before, atOnce);
      const fields = changedFields(before, after);
      if (fields.includes('price_per_invocation') && isAnsweredBySeller(before)) assertMaySpendSellerKey(call.caller);
      const proposed = waits === null ? after : changeOf(before, { ...atOnce, ...waits });
      if (proposed.version !== before.version) await refuseOtherSchemas(connection, id, proposed);
      if (after.version !== before.version) await refuseOtherSchemas(connection, id, after);
      const outcome = await keepWaiting(connection, id, { waiting, waits });
      if (outcome === 'proposed')
        await audit('skill.change_proposed', id, { fields: Object.keys(waits ?? {}), version: proposed.version });
      if (outcome === 'withdrawn') await audit('skill.change_withdrawn', id, { change: waiting?.id });
      if (fields.length > 0) {
        await saveChanges(connection, id, after);
        await audit('skill.updated', id, { fields, version: after.version });
      }
      if (fields.length > 0 || outcome !== 'same') changed(id);
      return { status: 200, body: await showSkill(context, connection, id) };
    },
  });
}

export const changeOf = (before: SkillRow, body: UpdateSkill): ChangeableFields => ({
  description: body.description ?? before.description,
  version: body.version ?? before.version,
  input_schema: body.input_schema ?? before.input_schema,
  output_schema: body.output_schema ?? before.output_schema,
  trust_level_required: body.trust_level_required ?? before.trust_level_required,
  tags: body.tags ?? before.tags,
  price_per_invocation: body.price_per_invocation ?? before.price_per_invocation,
});

export const changedFields = (before: SkillRow, after: ChangeableFields): string[] =>
  (Object.keys(after) as (keyof ChangeableFields)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );

/** The order of members means nothing. */
const sameSchema = (a: Record<string, unknown>, b: Record<string, unknown>): boolean =>
  canonicalJson(a as JsonObject) === canonicalJson(b as JsonObject);

const VersionSchemas = z.object({ input_schema: z.string(), output_schema: z.string() });

/** A version keeps its meaning: naming an earlier one again needs the schemas that it had last. */
export async function refuseOtherSchemas(
  connection: CommonQueryMethods,
  id: string,
  after: ChangeableFields,
): Promise<void> {
  const earlier = await connection.maybeOne(sql.type(VersionSchemas)`
    select i.schema as input_schema, o.schema as output_schema
    from skill_revisions r join skill_schemas i on i.hash = r.input_schema_hash join skill_schemas o on o.hash = r.output_schema_hash
    where r.skill_id = ${id} and r.version = ${after.version}
    order by r.revision desc limit 1`);
  if (earlier === null) return;
  const parse = (text: string) => JSON.parse(text) as Record<string, unknown>;
  const same =
    sameSchema(parse(earlier.input_schema), after.input_schema) &&
    sameSchema(parse(earlier.output_schema), after.output_schema);
  assertThat(
    same,
    () =>
      new CarnetError(
        'VERSION_IMMUTABLE',
        `Version ${after.version} was published with other schemas; name a new version, or send the schemas it had.`,
      ),
  );
}
