import { randomInt } from 'node:crypto';
import type { Encryption } from '../context/encryption.ts';

const DIGITS = 6;

/** Six random digits; every combination is equally likely. */
export const newCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');

/** What is stored of an e-mail address that a code was requested for; upper and lower case are the same. */
export const addressMac = ({ mac }: Encryption, email: string): string => mac(email.toLowerCase(), 'sign-in-address');

/** What is stored of a code; it is bound to its address. The code behind a plain hash would be found in a second. */
export const codeMac = ({ mac }: Encryption, address: string, code: string): string =>
  mac(`${address}:${code}`, 'sign-in-code');

export const codeFits = ({ macFits }: Encryption, address: string, code: string, storedMac: string): boolean =>
  macFits(`${address}:${code}`, 'sign-in-code', storedMac);
