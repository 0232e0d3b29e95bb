import { existsSync, readFileSync } from 'node:fs';
import { Fault, messageOf } from './fault.ts';
import { parseVerifierKey } from './keys.ts';

/** Returns what `read` makes of a file of UTF-8, where a byte order mark is a character like any other. @throws Fault that names the file */
export function reading<Read>(file: string, read: (text: string) => Read): Read {
  try {
    return read(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file)));
  } catch (error) {
    throw new Fault(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Reads `--key`: a verifier key, or a file whose first line is one, as /v1/log/vkey gives it. @throws Fault */
export function verifierKeyGiven(given: string): string {
  const checked = (text: string): string => {
    parseVerifierKey(text);
    return text;
  };
  if (existsSync(given)) return reading(given, (text) => checked(text.split('\n')[0]?.trim() ?? ''));
  try {
    return checked(given.trim());
  } catch (error) {
    throw new Fault(`--key cannot be read: ${messageOf(error)}`);
  }
}
