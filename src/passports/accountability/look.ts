import { z } from 'zod';
import { failedLooks, type LookOfLives } from '../../commands/lives.ts';
import { textArray } from '../../database/columns.ts';
import { sql } from '../../database/pool.ts';

const Looked = z.object({ raised: z.number(), ended: z.number(), failed: z.array(z.string()) });

/** Missed reports of sessions that no run has looked at in time: the same step as that of the run. */
export const lookAtSessions: LookOfLives = async ({ pool, config, log, delivery }, { lives, wakes }) => {
  const { raised, ended, failed } = await pool.one(sql.type(Looked)`
    select * from look_at_sessions(${textArray(lives)}, ${wakes}, ${config.missedCheckoutGraceSeconds})`);
  failedLooks(log, failed);
  if (raised > 0 || wakes) delivery.messagesCommitted();
  return { ended };
};
