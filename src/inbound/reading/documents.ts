import type { JsonValue } from '../../json/value.ts';
import { UnreadableBody } from './errors.ts';
import type { Body, Document, Selected } from './body.ts';
import { parseJsonBody, selectLeaves } from './json.ts';
import { MAX_SHORT_LINES, readMime, shortLinesIn } from './mail.ts';

/** A header line of those that a raw mail begins with. */
const FIRST_HEADER =
  /^\s{0,8}(?:from|to|cc|subject|date|received|return-path|reply-to|mime-version|content-[a-z-]{1,40}|message-id|delivered-to|dkim-signature|arc-[a-z-]{1,40}|x-[a-z-]{1,40})[ \t]{0,8}:/i;
const BLANK_LINE = /\n\r?\n/;
const MAX_MAILS = 20;
/** Characters of a document; no order has fewer. */
const MIN = 8;
/** JSON in a string of JSON: one for SNS, one for who passes that on. */
const MAX_DEPTH = 2;

/**
 * Documents that stand in texts as strings: raw mails (SES, SparkPost, Postmark), and JSON (SNS), which may hold mails. Each is read as its own reader reads it, and is
 * one more view of its text.
 */
export async function documentsIn({ selected, unscanned }: Body): Promise<Document[]> {
  const documents: Document[] = [];
  let mails = 0;
  let lines = 0;
  const textsOf = async (text: string, place: string, depth: number): Promise<string[]> => {
    if (FIRST_HEADER.test(text) && BLANK_LINE.test(text)) {
      const bytes = Buffer.from(text.trimStart());
      mails += 1;
      lines += shortLinesIn(bytes);
      if (mails > MAX_MAILS || lines > MAX_SHORT_LINES) {
        unscanned.push({ place, reason: 'The mails in the texts have more lines, or are more, than are read.' });
        return [];
      }
      return (await readOrNothing(() => readMime(bytes)))?.selected.map((one) => one.text) ?? [];
    }
    if (depth >= MAX_DEPTH || !/^\s{0,8}[{[]/.test(text)) return [];
    const value = await readOrNothing<JsonValue>(() => parseJsonBody(Buffer.from(text)));
    if (value === undefined) return [];
    const leaves: Selected[] = [];
    selectLeaves(value, '', leaves);
    const texts: string[] = [];
    for (const leaf of leaves) texts.push(leaf.text, ...(await textsOf(leaf.text, place, depth + 1)));
    return texts;
  };
  for (const [field, { place, text, isHtml }] of selected.entries()) {
    const texts = isHtml ? [] : await textsOf(text, place, 0);
    const whole = texts.join('\n');
    if (whole.length >= MIN) documents.push({ field, text: whole });
    if (unscanned.length > MAX_MAILS) break;
  }
  return documents;
}

/** A text that is no document after all is a text like others. */
async function readOrNothing<Read>(read: () => Read | Promise<Read>): Promise<Read | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableBody) return undefined;
    throw error;
  }
}
