import type { Finding, ScanInput } from '../../../src/inbound/scanner/index.ts';
import type { JsonObject } from '../../../src/json/value.ts';

/** A mail in JSON, from Ana unless it says otherwise. */
export const jsonMail = (mail: JsonObject): ScanInput => ({
  provider: 'mail_provider',
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify({ from: 'Ana <ana@example.com>', ...mail })),
});

/** What a finding names in the text of its place. */
export const spanned = (text: string, finding: Finding | undefined): string =>
  [...text].slice(finding?.span.start, finding?.span.end).join('');
