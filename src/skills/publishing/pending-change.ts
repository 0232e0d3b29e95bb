import { z } from 'zod';
import { json } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { newId } from '../../ids/ids.ts';
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

/** The promises of a skill to who invokes it. */
const CONTRACT = ['description', 'input_schema', 'output_schema'] as const satisfies (keyof ChangeableFields)[];

/** Whether this change goes to an administrator first: the service runs the code, and they approved it for what the skill said it does. */
export const needsNewReview = (
  { has_code, review_status }: Pick<SkillRow, 'has_code' | 'review_status'>,
  fields: readonly string[],
): boolean => has_code && review_status === 'approved' && CONTRACT.some((field) => fields.includes(field));

/** Adds to the change that waits, which gets another id: who looked at the one before has not seen this. */
export async function proposeChange(connection: CommonQueryMethods, skillId: string, body: UpdateSkill): Promise<void> {
  const waiting = await findPendingChange(connection, skillId);
  await connection.query(sql.type(z.object({}))`
    insert into skill_changes (skill_id, id, fields)
    values (${skillId}, ${newId('sch')}, ${JSON.stringify({ ...waiting?.fields, ...body })})
    on conflict (skill_id) do update set id = excluded.id, fields = excluded.fields, proposed_at = excluded.proposed_at`);
}

export const dropChange = (connection: CommonQueryMethods, skillId: string) =>
  connection.query(sql.type(z.object({}))`delete from skill_changes where skill_id = ${skillId}`);
