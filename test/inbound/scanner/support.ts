import type { ScanInput } from '../../../src/inbound/reading/body.ts';
import type { Finding, Verdict } from '../../../src/inbound/scanner/index.ts';
import { makeBodyScanner } from '../../../src/inbound/scanner/scan.ts';
import type { JsonObject, JsonValue } from '../../../src/json/value.ts';

/** A mail in JSON, from Ana unless it says otherwise. */
export const jsonMail = (mail: JsonObject): ScanInput => ({
  provider: 'mail_provider',
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify({ from: 'Ana <ana@example.com>', ...mail })),
});

/** Returns what a finding names in the text of its place. */
export const spanned = (text: string, finding: Finding | undefined): string =>
  [...text].slice(finding?.span.start, finding?.span.end).join('');

/** All that the steps of an event read of a body. */
export interface Scanned {
  verdict: Verdict;
  payload: JsonValue;
  excerpt: string;
}

export function makeWholeScan(): (input: ScanInput) => Promise<Scanned> {
  const scanner = makeBodyScanner();
  return async (input) => {
    const verdict = await scanner.scan(input);
    return {
      verdict,
      payload: await scanner.read(input),
      excerpt: await scanner.excerpt(input, verdict.findings),
    };
  };
}
