import { randomInt } from 'node:crypto';
import type { Encryption } from '../context/encryption.ts';
import { CarnetError } from '../errors/carnet-error.ts';

/*
 * Six digits that prove an address: those that people sign in with, and those that destinations are verified with (decision N2). Each
 * domain has a table of its own for them; when the next may be sent, `next_code_at` says.
 */

const DIGITS = 6;
/** After this many wrong tries a code is refused no matter what is sent. */
const MAX_TRIES = 5;

/** Six random digits; every combination is equally likely. */
export const newCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');

/** The purpose of a code: codes of one purpose and subject fit nowhere else. */
export interface CodeUse {
  purpose: 'sign-in-code' | 'destination-code';
  /** Names what it proves, as the table that keeps the code names it. */
  subject: string;
}

/** Returns what is stored of a code. The code behind a plain hash would be found in a second. */
export const codeMac = ({ mac }: Encryption, { purpose, subject }: CodeUse, code: string): string =>
  mac(`${subject}:${code}`, purpose);

export const codeFits = (
  { macFits }: Encryption,
  { purpose, subject }: CodeUse,
  { code, mac }: { code: string; mac: string },
): boolean => macFits(`${subject}:${code}`, { purpose, mac });

/** A code as the row has it that a try is judged by. */
interface StoredCode {
  /** Its MAC; null: it was used, or another has taken its place. */
  code: string | null;
  /** Wrong ones so far. */
  tries: number;
  /** Its time is not over. */
  live: boolean;
}

/** A code that may still be tried. */
type LiveCode<Stored extends StoredCode> = Stored & { code: string; live: true };

export const isLive = <Stored extends StoredCode>(stored: Stored | null): stored is LiveCode<Stored> =>
  stored !== null && stored.code !== null && stored.live && stored.tries < MAX_TRIES;

/** @param of `address`, `destination` */
export const noLiveCode = (of: string): CarnetError =>
  new CarnetError(
    'CODE_EXPIRED',
    `There is no valid code for this ${of}: it is too old, was used, or was tried too often. Request a new one.`,
    { extra: { verified: false } },
  );

/** The refusal of a wrong code. The try must be counted and committed, so the refusal is returned and not thrown (decision C8). */
export function wrongCode({ tries }: StoredCode): CarnetError {
  const left = MAX_TRIES - tries - 1;
  return new CarnetError(
    'INVALID_CODE',
    left === 0
      ? 'The code is wrong, and this was the last try; request a new one.'
      : `The code is wrong; tries left: ${left}.`,
    { extra: { verified: false, tries_left: left } },
  );
}

/** @param wait seconds */
export const tooEarlyForCode = (wait: number): CarnetError =>
  new CarnetError('RATE_LIMITED', `Codes are on their way to this address; the next can be sent in ${wait} seconds.`, {
    headers: { 'Retry-After': String(wait) },
  });

/** How long a code is good for, in words. */
export function minutesOf(seconds: number): string {
  const minutes = Math.max(1, Math.floor(seconds / 60));
  return `${minutes} minute${minutes === 1 ? '' : 's'}`;
}
