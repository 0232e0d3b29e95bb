import { randomInt } from 'node:crypto';
import type { Encryption } from '../context/encryption.ts';

const DIGITS = 6;

/** Six digits, of which every row of them is as likely as any other. */
export const newCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');

/** What is kept of an e-mail address that asked for a code; its case means nothing. */
export const addressMac = ({ mac }: Encryption, email: string): string => mac(email.toLowerCase(), 'sign-in-address');

/** What is kept of a code: it fits this address alone. A plain hash of six digits would be found in a second. */
export const codeMac = ({ mac }: Encryption, address: string, code: string): string =>
  mac(`${address}:${code}`, 'sign-in-code');

export const codeFits = ({ macFits }: Encryption, address: string, code: string, kept: string): boolean =>
  macFits(`${address}:${code}`, 'sign-in-code', kept);
