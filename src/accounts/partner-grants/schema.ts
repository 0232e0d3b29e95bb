import { z } from 'zod';
import { InboundProviderSchema } from '../../fields/inbound-providers.ts';
import { instant } from '../../fields/instant.ts';
import { distinct, name } from '../../fields/text.ts';

const example = {
  id: 'pgr_01K0000000000000000000000A',
  operator_id: 'op_01K0000000000000000000000A',
  name: 'Mail onboarding by Example Ltd',
  providers: ['mail_provider' as const],
  created_at: '2026-11-21T12:00:00.000Z',
};

export const PartnerGrantSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    name: z.string(),
    providers: z.array(InboundProviderSchema).meta({ description: 'Whom its endpoints may receive from' }),
    created_at: z.string(),
  })
  .meta({
    id: 'PartnerGrant',
    description:
      'Leave for somebody outside of the operator to register agents and make inbound endpoints for them. Its keys see nothing else.',
    examples: [example],
  });
export type PartnerGrant = z.infer<typeof PartnerGrantSchema>;

export const CreatePartnerGrantSchema = z
  .strictObject({
    name,
    providers: distinct(InboundProviderSchema, InboundProviderSchema.options.length).min(1),
    expires_at: instant.optional().meta({ description: 'When its key expires; without it, never.' }),
  })
  .meta({ id: 'CreatePartnerGrant' });
export type CreatePartnerGrant = z.infer<typeof CreatePartnerGrantSchema>;

export const CreatedPartnerGrantSchema = PartnerGrantSchema.extend({
  api_key: z.string().meta({ description: 'The key for the partner; shown only once.' }),
  api_key_id: z.string(),
  expires_at: z.string().nullable().meta({ description: 'When that key expires; null: never.' }),
}).meta({
  id: 'CreatedPartnerGrant',
  description: 'A new grant with its key.',
  examples: [
    {
      ...example,
      api_key: 'svc_live_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQ',
      api_key_id: 'key_01K0000000000000000000000A',
      expires_at: null,
    },
  ],
});
export type CreatedPartnerGrant = z.infer<typeof CreatedPartnerGrantSchema>;
