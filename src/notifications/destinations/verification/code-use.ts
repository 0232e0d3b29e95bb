import type { Encryption } from '../../../context/encryption.ts';
import type { CodeUse } from '../../../one-time-codes/codes.ts';
import type { ChannelType } from '../../channels/kinds.ts';

/** A code of one destination fits no other. */
export const codeOf = (destinationId: string): CodeUse => ({ purpose: 'destination-code', subject: destinationId });

/** Names what the sealed code of a row belongs to. */
export const verificationEncryptionContext = (id: string): string => `verification-code:${id}`;

/** Returns what is stored of an address with the codes that were sent to it: the limit is the same no matter who names it. */
export const destinationMac = ({ mac }: Encryption, channel: ChannelType, address: string): string =>
  mac(`${channel}:${address}`, 'destination-address');
