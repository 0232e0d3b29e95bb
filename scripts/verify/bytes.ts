import { createHash } from 'node:crypto';
import { must } from './fault.ts';

/** 32 bytes of SHA-256 over the parts, one after the other. */
export function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/**
 * Bytes of a text in exactly one spelling: what is written differently and decodes to the same bytes is refused, so that no
 * character of a proof can be changed without being noticed.
 * @param what names the text in the message
 * @throws Fault
 */
export function decoded(text: string, encoding: 'base64' | 'base64url' | 'hex', what: string): Buffer {
  const bytes = Buffer.from(text, encoding);
  must(bytes.toString(encoding) === text, `${what} is not ${encoding === 'hex' ? 'lower-case hex' : encoding}`);
  return bytes;
}

/** A SHA-256 hash in hex or base64. @throws Fault */
export function decodedHash(text: string, encoding: 'base64' | 'hex', what: string): Buffer {
  const bytes = decoded(text, encoding, what);
  must(bytes.length === 32, `${what} has ${bytes.length} bytes, a SHA-256 hash has 32`);
  return bytes;
}

/** A text of a stranger as it may stand in a line of a terminal: one line, no control characters, at most 300 characters. */
export function oneLine(text: string): string {
  const plain = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return plain.length <= 300 ? plain : `${plain.slice(0, 300)}…`;
}
