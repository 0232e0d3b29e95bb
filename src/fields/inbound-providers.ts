import { z } from 'zod';

/** Who sends to inbound endpoints: a service that receives mail, GitHub, or anybody else who signs. Each has its folder in src/inbound/providers. */
export const InboundProviderSchema = z.enum(['mail_provider', 'generic', 'github']);
export type InboundProvider = z.infer<typeof InboundProviderSchema>;
