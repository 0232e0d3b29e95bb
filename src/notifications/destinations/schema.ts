import { z } from 'zod';

export const DestinationSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    channel_type: z.enum(['email', 'sms', 'webhook']),
    destination: z.string(),
    verified: z.boolean(),
    created_at: z.string(),
  })
  .meta({
    id: 'Destination',
    description: 'An address that an operator is notified at, once it is verified.',
    examples: [
      {
        id: 'dst_01K0000000000000000000000A',
        operator_id: 'op_01K0000000000000000000000A',
        channel_type: 'webhook',
        destination: 'https://ada.example/hooks',
        verified: true,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Destination = z.infer<typeof DestinationSchema>;
