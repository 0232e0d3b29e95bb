import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Encryption } from '../context/encryption.ts';
import type { Visit } from '../http/pages/people-pages.ts';

/*
 * A form that came when its session had ended goes through signing in as one sealed field, and is shown again afterwards. Nothing of it is stored.
 */

const PURPOSE = 'console-typed';
/** Bytes of JSON at most: packed and sealed they fit into a form of signing in, beside its other fields. */
const MAX_BYTES = 8_000;
/** Fields that are on no page once they were sent. The form gets another key. */
const SECRET = /key|secret|token|code|password/i;

/** A form, and the address that it was sent to. */
interface Kept {
  path: string;
  form: Visit['query'];
}

/** @returns '' where the form is too long to be kept */
export function encryptTyped({ encryptBytes }: Pick<Encryption, 'encryptBytes'>, { path, form }: Kept): string {
  const plain = Object.entries(form).filter(([name]) => !SECRET.test(name));
  const text = JSON.stringify({ path, form: Object.fromEntries(plain) });
  return Buffer.byteLength(text) > MAX_BYTES ? '' : encryptBytes(deflateRawSync(text), PURPOSE).toString('base64url');
}

/** @returns null where nobody sealed it here */
export function decryptTyped({ decryptBytes }: Pick<Encryption, 'decryptBytes'>, sealed: string): Kept | null {
  try {
    const packed = decryptBytes(Buffer.from(sealed, 'base64url'), PURPOSE);
    return JSON.parse(inflateRawSync(packed).toString('utf8')) as Kept;
  } catch {
    return null; // the cipher throws errors of many kinds for what it has not sealed
  }
}
