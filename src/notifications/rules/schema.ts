import { z } from 'zod';
import { EventNameSchema, SeveritySchema } from '../../events/index.ts';
import { withSomeField } from '../../fields/objects.ts';
import { DestinationSchema } from '../destinations/schema.ts';

const EventsSchema = z
  .array(EventNameSchema)
  .min(1)
  .max(100)
  .transform((names) => [...new Set(names)])
  .meta({ description: 'Types of GET /v1/notifications/event-types, or all of a family, `invocation.*`.' });
const DestinationIdsSchema = z
  .array(z.string().max(128))
  .min(1)
  .max(20)
  .transform((ids) => [...new Set(ids)])
  .meta({ description: 'Verified destinations.' });

const { channel_type: channelType } = DestinationSchema.shape;

const example = {
  id: 'chn_01K0000000000000000000000A',
  operator_id: 'op_01K0000000000000000000000A',
  channel_type: 'webhook' as const,
  destination: 'https://ada.example/hooks',
  destination_id: 'dst_01K0000000000000000000000A',
  destination_ids: ['dst_01K0000000000000000000000A'],
  events: ['passport.flagged', 'invocation.*'],
  min_severity: 'warning' as const,
  verified: true,
  active: true,
  created_at: '2026-11-21T12:00:00.000Z',
};

export const RuleSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    channel_type: channelType
      .nullable()
      .meta({ description: 'The id of the first destination, as the two below; null: none is left.' }),
    destination: z.string().nullable(),
    destination_id: z.string().nullable(),
    destination_ids: z.array(z.string()),
    events: z.array(z.string()),
    min_severity: SeveritySchema,
    verified: z.boolean().meta({ description: 'Whether all of its destinations are.' }),
    active: z.boolean().meta({ description: 'false: all of its destinations were deleted.' }),
    created_at: z.string(),
  })
  .meta({
    id: 'NotificationRule',
    description: 'Which events an operator is notified of, and where.',
    examples: [example],
  });
export type Rule = z.infer<typeof RuleSchema>;

export const ListedRuleSchema = RuleSchema.extend({
  delivery_methods: z.array(DestinationSchema).meta({ description: 'Its destinations.' }),
}).meta({
  id: 'ListedNotificationRule',
  description: 'A rule with its destinations.',
  examples: [{ ...example, delivery_methods: [] }],
});
export type ListedRule = z.infer<typeof ListedRuleSchema>;

export const CreateRuleSchema = z
  .strictObject({
    destination_ids: DestinationIdsSchema,
    events: EventsSchema.optional().meta({
      description:
        'Left out: passport.flagged, passport.blocked, agent.blocked and passport.missed_checkout. Others are optional: `invocation.*` for example.',
    }),
    min_severity: SeveritySchema.default('info'),
  })
  .meta({ id: 'CreateNotificationRule' });
export type CreateRule = z.output<typeof CreateRuleSchema>;

export const UpdateRuleSchema = withSomeField(
  z.strictObject({
    destination_ids: DestinationIdsSchema.optional(),
    events: EventsSchema.optional(),
    min_severity: SeveritySchema.optional(),
  }),
).meta({ id: 'UpdateNotificationRule' });
export type UpdateRule = z.output<typeof UpdateRuleSchema>;
