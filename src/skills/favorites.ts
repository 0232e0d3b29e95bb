import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { ListedSkillRow, listedColumns, listedJoin } from './queries.ts';
import { findVisibleRow } from './show-skill.ts';

const Nothing = z.object({});
const FavoriteRow = ListedSkillRow.extend({ position: z.int() });
type FavoriteRow = z.output<typeof FavoriteRow>;

/**
 * Adds a skill to the operator's favourites or removes it; repeating is no fault. A favourite can be removed no matter who may see the skill by now.
 * @throws CarnetError NOT_FOUND
 */
export const setFavorite = (
  context: Context,
  call: CommandCall,
  { id, favorited }: { id: string; favorited: boolean },
): Promise<Answered<{ favorited: boolean }>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const { operatorId } = call.caller;
    if (favorited) await findVisibleRow(connection, call.caller, id);
    const { rowCount } = favorited
      ? await insertFavorite(connection, { operatorId, id })
      : await deleteFavorite(connection, { operatorId, id });
    if (!favorited && rowCount === 0) await findVisibleRow(connection, call.caller, id);
    if (rowCount > 0) await audit(favorited ? 'skill.favorited' : 'skill.unfavorited', id);
    return { status: 200, body: { favorited } };
  });

const insertFavorite = (connection: CommonQueryMethods, { operatorId, id }: { operatorId: string; id: string }) =>
  connection.query(sql.type(Nothing)`
    insert into skill_favorites (operator_id, skill_id) values (${operatorId}, ${id}) on conflict do nothing`);

const deleteFavorite = (connection: CommonQueryMethods, { operatorId, id }: { operatorId: string; id: string }) =>
  connection.query(
    sql.type(Nothing)`delete from skill_favorites where operator_id = ${operatorId} and skill_id = ${id}`,
  );

/** The favourites that the operator may see now, last added first. @param page.skillId that one alone, where it is one */
export const listFavorites = (
  connection: CommonQueryMethods,
  { operatorId }: Caller,
  { after, limit, skillId }: { after: number | null; limit: number; skillId?: string | undefined },
): Promise<readonly FavoriteRow[]> =>
  connection.any(sql.type(FavoriteRow)`
    select ${listedColumns}, f.position
    from skill_favorites f join skills s on s.id = f.skill_id ${listedJoin}
    where f.operator_id = ${operatorId} and skill_visible_to(s, ${operatorId})
      ${skillId === undefined ? sql.fragment`` : sql.fragment`and f.skill_id = ${skillId}`}
      ${after === null ? sql.fragment`` : sql.fragment`and f.position < ${after}`}
    order by f.position desc limit ${limit}`);
