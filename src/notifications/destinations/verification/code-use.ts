import type { CodeUse } from '../../../one-time-codes/codes.ts';

/** A code of one destination fits no other. */
export const codeOf = (destinationId: string): CodeUse => ({ purpose: 'destination-code', subject: destinationId });

/** Names what the sealed code of a row belongs to. */
export const verificationSeal = (id: string): string => `verification-code:${id}`;
