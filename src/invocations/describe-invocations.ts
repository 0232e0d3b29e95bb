import { z } from 'zod';
import { describeLives, type LifeDescription } from '../commands/life-description.ts';
import type { Context } from '../context/context.ts';
import { textArray } from '../database/columns.ts';
import { sql } from '../database/pool.ts';

const Row = z.object({
  id: z.string(),
  skill_id: z.string(),
  skill_name: z.string(),
  skill_version: z.string(),
  consumer_operator_id: z.string(),
  provider_operator_id: z.string(),
  agent_id: z.string().nullable(),
  price_cents: z.number(),
  expires_at: z.string(),
});

/** One query for several ids; ids without a row are left out. */
export async function describeInvocations(context: Context, ids: string[]): Promise<Map<string, LifeDescription>> {
  const rows = await context.pool.any(sql.type(Row)`
    select i.id, i.skill_id, s.name as skill_name, i.skill_version, i.consumer_operator_id, i.provider_operator_id, i.agent_id,
      i.price_cents, i.expires_at
    from invocations i join skill_names s on s.id = i.skill_id
    where i.id = any(${textArray(ids)})`);
  return describeLives(rows, describe);
}

/** With neither input nor output nor note. */
const describe = (row: z.infer<typeof Row>) => ({
  operatorIds: [...new Set([row.consumer_operator_id, row.provider_operator_id])],
  agentId: row.agent_id,
  skillId: row.skill_id,
  summary: `${row.skill_name} ${row.skill_version} for ${row.consumer_operator_id}`,
  details: [
    `Invocation of skill **${row.skill_name}** ${row.skill_version} (\`${row.skill_id}\`)`,
    `- consumer \`${row.consumer_operator_id}\`${row.agent_id === null ? '' : `, agent \`${row.agent_id}\``}`,
    `- provider \`${row.provider_operator_id}\``,
    `- price ${row.price_cents} cents`,
    `- expires at ${row.expires_at}`,
  ].join('\n'),
});
