import { z } from 'zod';

/** Who sends to inbound endpoints: a service that receives mail, or anybody else who signs. */
export const InboundProviderSchema = z.enum(['mail_provider', 'generic']);
export type InboundProvider = z.infer<typeof InboundProviderSchema>;
