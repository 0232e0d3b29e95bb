import { z } from 'zod';

export const AuditEventSchema = z
  .object({
    id: z.int(),
    actor: z.string().meta({ description: 'The API key, the agent, `temporal-signal` or `service`.' }),
    action: z.string(),
    target: z.string(),
    detail: z.record(z.string(), z.unknown()),
    request_id: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({
    id: 'AuditEvent',
    description: 'One change: who did what to what, and in which request.',
    examples: [
      {
        id: 4711,
        actor: 'key_01K0000000000000000000000A',
        action: 'agent.created',
        target: 'ag_01K0000000000000000000000A',
        detail: { name: 'researcher', accountability: 'standard' },
        request_id: '01K0000000000000000000000A',
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type AuditEvent = z.infer<typeof AuditEventSchema>;

/** Filters of the trail: the query of its route. */
export const auditFilters = {
  actor: z.string().max(300).optional().meta({ description: 'Only what this credential or part of the service did.' }),
  action: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Only acts whose name begins so: `agent.`, or `member.invited`.' }),
  target: z.string().max(300).optional().meta({ description: 'Only what was done to this.' }),
};
export type AuditFilters = z.output<z.ZodObject<typeof auditFilters>>;
