/** Names what the sealed address of a top-up's checkout belongs to. */
export const checkoutSeal = (topUpId: string): string => `top-up-checkout:${topUpId}`;

/** Names what the sealed `top_ups.receipt_url` belongs to. */
export const receiptSeal = (topUpId: string): string => `top-up-receipt:${topUpId}`;
