import { z } from 'zod';
import { describeLives, type LifeDescription } from '../../commands/life-description.ts';
import type { Context } from '../../context/context.ts';
import { textArray } from '../../database/columns.ts';
import { sql } from '../../database/pool.ts';

const Row = z.object({
  id: z.string(),
  operator_id: z.string(),
  started_at: z.string(),
  jti: z.string(),
  agent_id: z.string(),
  accountability: z.string(),
});

/** One query for several ids; ids without a row are left out. */
export async function describeSessions(context: Context, ids: string[]): Promise<Map<string, LifeDescription>> {
  const rows = await context.pool.any(sql.type(Row)`
    select s.id, s.operator_id, s.started_at, l.id as jti, l.agent_id, l.accountability
    from passport_sessions s join passport_lineages l on l.session_id = s.id and l.depth = 0
    where s.id = any(${textArray(ids)})`);
  return describeLives(rows, describe);
}

/** With neither token nor intent nor summary. The agent is the one with whose passport the session began. */
const describe = (row: z.infer<typeof Row>) => ({
  operatorIds: [row.operator_id],
  agentId: row.agent_id,
  summary: `Session of ${row.agent_id} for ${row.operator_id}`,
  details: [
    `Passport session \`${row.id}\``,
    `- operator \`${row.operator_id}\``,
    `- agent \`${row.agent_id}\` (${row.accountability})`,
    `- first passport \`${row.jti}\``,
    `- since ${row.started_at}`,
  ].join('\n'),
});
