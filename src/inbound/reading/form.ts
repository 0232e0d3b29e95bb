import { cut } from '../../json/shown.ts';
import { parseMultipart } from '@remix-run/multipart-parser';
import { MAX_FAULT, UnreadableBody } from './errors.ts';
import { attachmentOf, type Attachment } from './attachments.ts';
import type { Body } from './body.ts';
import { mailBody, readMime } from './mail.ts';

/** Fields of a form, the first of each name, and the files beside them. */
export interface Form {
  fields: ReadonlyMap<string, string>;
  files: readonly Attachment[];
  /** The mail itself, where the provider sends it raw. */
  mime: Uint8Array | undefined;
}

/** A body has 10 MiB at most, and each part a place in it. */
const MAX_BYTES = 16_777_216;
export const MAX_PARTS = 1_000;
/** Mailgun sends some thirty, and one for each attachment. */
const MAX_FIELDS = 1_000;
const AMPERSAND = 0x26;

export const isForm = (contentType: string | null): boolean =>
  /^\s*(multipart\/form-data|application\/x-www-form-urlencoded)\s*(;|$)/i.test(contentType ?? '');

/** @throws UnreadableBody */
export function readForm(contentType: string | null, body: Uint8Array): Form {
  return /^\s*multipart/i.test(contentType ?? '') ? readMultipart(contentType ?? '', body) : readUrlEncoded(body);
}

function readUrlEncoded(body: Uint8Array): Form {
  let count = 1;
  for (let at = body.indexOf(AMPERSAND); at >= 0; at = body.indexOf(AMPERSAND, at + 1)) count += 1;
  if (count > MAX_FIELDS) throw new UnreadableBody(`The form has more than ${MAX_FIELDS} fields; send fewer.`);
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(Buffer.from(body).toString('utf8')))
    if (!fields.has(name)) fields.set(name, value);
  const mime = fields.get('body-mime');
  return { fields, files: [], mime: mime === undefined ? undefined : Buffer.from(mime) };
}

/** The line between the parts of a form, behind two hyphens; undefined where the Content-Type does not say. */
export function formBoundary(contentType: string): string | undefined {
  const found = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(contentType);
  return found?.[1] ?? found?.[2];
}

function readMultipart(contentType: string, body: Uint8Array): Form {
  const boundary = formBoundary(contentType);
  if (boundary === undefined) throw new UnreadableBody('The Content-Type multipart/form-data has no boundary.');
  const fields = new Map<string, string>();
  const files: Attachment[] = [];
  let mime: Uint8Array | undefined;
  try {
    const limits = { maxHeaderSize: 16_384, maxFileSize: MAX_BYTES, maxParts: MAX_PARTS, maxTotalSize: MAX_BYTES };
    for (const part of parseMultipart(body, { boundary, ...limits })) {
      const name = part.name ?? '';
      if (name === 'body-mime') mime ??= part.bytes;
      else if (part.filename !== undefined)
        files.push(attachmentOf(part.filename, part.mediaType ?? 'application/octet-stream', part.bytes));
      else if (!fields.has(name)) fields.set(name, part.text);
    }
  } catch (error) {
    throw new UnreadableBody(`The form cannot be read: ${cut((error as Error).message, MAX_FAULT)}.`);
  }
  return { fields, files, mime };
}

/**
 * A mail as the fields of a form. Only what this names is forwarded; the rest of the form (stripped texts, signature, headers as a list)
 * says the same again, or is the provider's own.
 * @throws UnreadableBody
 */
export async function readMailForm({ fields, files, mime }: Form): Promise<Body> {
  if (mime !== undefined) return readMime(mime);
  const field = (...names: string[]): string => {
    for (const name of names) {
      const value = fields.get(name);
      if (value !== undefined) return value;
    }
    return '';
  };
  if (field('from', 'sender', 'subject', 'recipient', 'body-plain', 'body-html') === '')
    throw new UnreadableBody('The form is no mail: it has none of the fields from, subject, body-plain and body-html.');
  return mailBody({
    message_id: field('Message-Id', 'message-id') || null,
    from: field('from', 'From', 'sender'),
    reply_to: field('Reply-To', 'reply-to'),
    to: field('To', 'to', 'recipient'),
    cc: field('Cc', 'cc'),
    date: field('Date', 'date') || null,
    subject: field('subject', 'Subject'),
    text: field('body-plain', 'text'),
    html: field('body-html', 'html'),
    attachments: [...files],
  });
}
