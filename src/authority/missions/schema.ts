import { z } from 'zod';
import { instant } from '../../fields/instant.ts';
import { text } from '../../fields/text.ts';

export const MissionSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    agent_id: z.string().nullable().meta({ description: 'The agent it is for; null: any agent of the operator.' }),
    declared_intent: z.string(),
    status: z.enum(['active', 'completed', 'expired']),
    claim_id: z.string().meta({ description: 'The claim of type mission that records it.' }),
    expires_at: z.string().nullable(),
    completed_at: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({
    id: 'Mission',
    description: 'The purpose that an operator has declared, for passports to refer to while it is active.',
    examples: [
      {
        id: 'ms_01K0000000000000000000000A',
        operator_id: 'op_01K0000000000000000000000A',
        agent_id: 'ag_01K0000000000000000000000A',
        declared_intent: 'Sort the open issues of the week',
        status: 'active',
        claim_id: 'pc_01K0000000000000000000000A',
        expires_at: '2026-11-28T12:00:00.000Z',
        completed_at: null,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Mission = z.infer<typeof MissionSchema>;

export const CreateMissionSchema = z
  .strictObject({
    declared_intent: text(1, 2_000),
    agent_id: z.string().optional(),
    expires_at: instant.optional(),
  })
  .meta({ id: 'CreateMission' });
export type CreateMission = z.infer<typeof CreateMissionSchema>;
