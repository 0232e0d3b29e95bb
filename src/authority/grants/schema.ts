import { z } from 'zod';
import { ConstraintSchema, ConstraintsSchema } from '../constraints.ts';
import { distinctNames } from '../../fields/text.ts';

export const GrantSchema = z
  .object({
    agent_id: z.string(),
    service_connection_id: z.string(),
    service_id: z.string(),
    service_name: z.string(),
    scopes: z.array(z.string()).meta({ description: '`*`: all that the connection has when a passport is signed.' }),
    constraints: z.array(ConstraintSchema),
    allow_data_from: z.array(z.string()).meta({
      description:
        'Names of services whose content may flow into this one; `*`: all that are granted to the agent when a ' +
        'passport is signed. Empty: none.',
    }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'Grant',
    description: 'The scopes of a connected service that an agent may use; its passports can never allow more.',
    examples: [
      {
        agent_id: 'ag_01K0000000000000000000000A',
        service_connection_id: 'con_01K0000000000000000000000A',
        service_id: 'github',
        service_name: 'ada-github',
        scopes: ['repo:read'],
        constraints: [{ param: 'repository', op: 'prefix', value: 'ada/' }],
        allow_data_from: ['ada-slack'],
        created_at: '2026-11-21T12:00:00.000Z',
        updated_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Grant = z.infer<typeof GrantSchema>;

export const PutGrantSchema = z
  .strictObject({
    scopes: distinctNames,
    constraints: ConstraintsSchema.default([]),
    allow_data_from: distinctNames.default([]),
  })
  .meta({ id: 'PutGrant', description: 'The whole grant: a list that is left out is empty.' });
export type PutGrant = z.infer<typeof PutGrantSchema>;
