import { z } from 'zod';
import { json, textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { newId } from '../../ids/ids.ts';
import { canonicalJson } from '../../json/canonical.ts';
import type { JsonValue } from '../../json/value.ts';
import type { SkillRow } from '../queries.ts';
import { PendingChangeSchema, type PendingChange, type UpdateSkill } from '../schema.ts';
import type { ChangeableFields } from './write-queries.ts';

const ChangeRow = z.object({
  id: z.string(),
  fields: json.pipe(PendingChangeSchema.shape.fields),
  proposed_at: z.string(),
});

/** The change of a skill that waits for an administrator; null: none does. */
export const findPendingChange = (connection: CommonQueryMethods, skillId: string): Promise<PendingChange | null> =>
  connection.maybeOne(
    sql.type(ChangeRow)`select id, fields, proposed_at from skill_changes where skill_id = ${skillId}`,
  );

/** The changes that wait, by skill. */
export async function findPendingChanges(
  connection: CommonQueryMethods,
  skillIds: readonly string[],
): Promise<Map<string, PendingChange>> {
  const rows = await connection.any(sql.type(ChangeRow.extend({ skill_id: z.string() }))`
    select skill_id, id, fields, proposed_at from skill_changes where skill_id = any(${textArray(skillIds)})`);
  return new Map(rows.map(({ skill_id: skillId, ...change }) => [skillId, change]));
}

/** The promises of a skill to who invokes it. */
const CONTRACT = ['description', 'input_schema', 'output_schema'] as const satisfies (keyof ChangeableFields)[];

/** Whether an administrator approved the code of this skill for what it says it does: then a change of that goes to one first. */
const isPromise = ({ has_code, review_status }: SkillRow): boolean => has_code && review_status === 'approved';

/**
 * Parts a PATCH into what takes effect immediately and what waits for an administrator, together with what waits already. The newer one
 * counts: a field that goes back to what was approved waits no more, and a change of which no promise is left is withdrawn. A version waits
 * with the promise that it names.
 */
export function partChange(
  before: SkillRow,
  waiting: PendingChange | null,
  body: UpdateSkill,
): { atOnce: UpdateSkill; waits: PendingChange['fields'] | null } {
  const promised = isPromise(before);
  const waits: PendingChange['fields'] = { ...waiting?.fields };
  for (const field of CONTRACT) {
    if (body[field] === undefined) continue;
    const isKept = promised && canonicalJson(body[field]) !== canonicalJson(before[field]);
    if (isKept) Object.assign(waits, { [field]: body[field] });
    else delete waits[field];
  }
  if (!CONTRACT.some((field) => waits[field] !== undefined)) return { atOnce: body, waits: null };
  const atOnce = { ...body };
  for (const field of promised ? ([...CONTRACT, 'version'] as const) : []) delete atOnce[field];
  if (body.version !== undefined) {
    if (promised) waits.version = body.version;
    else delete waits.version;
  }
  return { atOnce, waits };
}

/** Writes what waits. A change that becomes another one gets another id: who looked at the one before has not seen this. */
export async function keepWaiting(
  connection: CommonQueryMethods,
  skillId: string,
  { waiting, waits }: { waiting: PendingChange | null; waits: PendingChange['fields'] | null },
): Promise<'proposed' | 'withdrawn' | 'same'> {
  if (waits === null) {
    if (waiting === null) return 'same';
    await dropChange(connection, skillId);
    return 'withdrawn';
  }
  if (waiting !== null && canonicalJson(waits as JsonValue) === canonicalJson(waiting.fields as JsonValue))
    return 'same';
  await connection.query(sql.type(z.object({}))`
    insert into skill_changes (skill_id, id, fields) values (${skillId}, ${newId('sch')}, ${JSON.stringify(waits)})
    on conflict (skill_id) do update set id = excluded.id, fields = excluded.fields, proposed_at = excluded.proposed_at`);
  return 'proposed';
}

export const dropChange = (connection: CommonQueryMethods, skillId: string) =>
  connection.query(sql.type(z.object({}))`delete from skill_changes where skill_id = ${skillId}`);
