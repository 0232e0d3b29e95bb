import type { Encryption } from '../context/encryption.ts';

/** Returns what is stored of an e-mail address that a code was requested for; upper and lower case are the same. */
export const addressMac = ({ mac }: Encryption, email: string): string => mac(email.toLowerCase(), 'sign-in-address');
