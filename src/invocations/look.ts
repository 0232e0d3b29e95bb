import { z } from 'zod';
import { failedLooks, type LookOfLives } from '../commands/lives.ts';
import { textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';

const Looked = z.object({
  changed: z.array(z.string()),
  ended: z.number(),
  late: z.array(z.string()),
  failed: z.array(z.string()),
});

/** Deadlines, lapsed claims and what follows an end, of invocations that no run has looked at in time: the same step as that of the run. */
export const lookAtInvocations: LookOfLives = async (context, { lives, wakes }) => {
  const { pool, log, rowEvents, delivery } = context;
  const { changed, late, failed, ...looked } = await pool.one(
    sql.type(Looked)`select * from look_at_invocations(${textArray(lives)}, ${wakes})`,
  );
  let { ended } = looked;
  for (const life of late) ended += (await lookAtInvocations(context, { lives: [life], wakes })).ended;
  failedLooks(log, failed);
  if (changed.length > 0) rowEvents.changed(...changed);
  if (changed.length > 0 || wakes) delivery.messagesCommitted();
  return { ended };
};

/** Releases holds that no open invocation needs, of the next that are looked at in turn. @returns how many. */
export const releaseOrphanedHolds = (pool: CommonQueryMethods): Promise<number> =>
  pool.oneFirst(sql.type(z.object({ released: z.number() }))`select release_orphaned_holds() as released`);
