/** Names what the sealed address of a top-up's checkout belongs to. */
export const checkoutEncryptionContext = (topUpId: string): string => `top-up-checkout:${topUpId}`;

/** Names what the sealed `top_ups.receipt_url` belongs to. */
export const receiptEncryptionContext = (topUpId: string): string => `top-up-receipt:${topUpId}`;
