import { z } from 'zod';

export const PortalSchema = z
  .object({ url: z.string().meta({ description: 'Open it in a browser soon: it is valid for minutes.' }) })
  .meta({
    id: 'Portal',
    description: 'The page of the payment provider for invoices and payment methods.',
    examples: [{ url: 'https://billing.stripe.com/p/session/test_a1b2c3' }],
  });
export type Portal = z.infer<typeof PortalSchema>;

/** `gone`: there is no such row. */
export const portalStatuses = ['opening', 'open', 'answered', 'refused', 'expired', 'gone'] as const;
export type PortalStatus = (typeof portalStatuses)[number];
