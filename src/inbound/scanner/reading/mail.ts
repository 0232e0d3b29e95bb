import { hash } from 'node:crypto';
import PostalMime, { type Address, type Email } from 'postal-mime';
import type { JsonObject, JsonValue } from '../../../json/value.ts';
import { isJsonObject } from '../../../json/value.ts';
import { UnreadableBody } from '../errors.ts';
import type { Body, Selected } from './body.ts';
import { selectLeaves } from './json.ts';

/** An attachment as it is forwarded: its content is not scanned, so it does not leave. `size` is in bytes, `sha256` in hex. */
export interface Attachment {
  name: string;
  size: number;
  sha256: string;
  content_type: string;
}

/** A mail as it is forwarded, whatever form it came in. */
export interface Mail {
  message_id: string | null;
  from: string;
  reply_to: string;
  to: string;
  cc: string;
  date: string | null;
  subject: string;
  text: string;
  html: string;
  attachments: Attachment[];
}

/** Parts inside one another; a mail that people write has five. */
const MAX_NESTING = 32;
const MAX_MESSAGES_INSIDE = 4;

/** @throws UnreadableBody */
export async function readMime(bytes: Uint8Array): Promise<Body> {
  const mail = await parse(bytes);
  if (mail.headers.length === 0 || !(mail.from ?? mail.subject ?? mail.messageId ?? mail.to))
    throw new UnreadableBody('The body is no mail: it has none of the headers From, To, Subject and Message-ID.');
  const attachments = mail.attachments.map(({ filename, mimeType, content, rfc822DepthExceeded }) => ({
    // A message too deep inside is an attachment like others: its content does not leave.
    ...attachmentOf(filename ?? (rfc822DepthExceeded ? 'message.eml' : ''), mimeType, bytesOf(content)),
  }));
  return mailBody({
    message_id: mail.messageId ?? null,
    from: addressText(mail.from),
    reply_to: (mail.replyTo ?? []).map(addressText).join(', '),
    to: (mail.to ?? []).map(addressText).join(', '),
    cc: (mail.cc ?? []).map(addressText).join(', '),
    date: mail.date ?? null,
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    attachments,
  });
}

async function parse(bytes: Uint8Array): Promise<Email> {
  try {
    // A copy of its own: of a view into a larger buffer the parser would read all.
    return await PostalMime.parse(new Uint8Array(bytes), {
      maxNestingDepth: MAX_NESTING,
      maxRfc822NestingDepth: MAX_MESSAGES_INSIDE,
      maxHeadersSize: 262_144,
    });
  } catch (error) {
    throw new UnreadableBody(`The mail cannot be read: ${(error as Error).message}.`);
  }
}

/** What is forwarded of a mail, with every text in it selected. */
export function mailBody(mail: Mail): Body {
  const selected: Selected[] = [];
  select(selected, 'from', mail.from, 'address');
  select(selected, 'reply_to', mail.reply_to, 'address');
  select(selected, 'to', mail.to, 'address');
  select(selected, 'cc', mail.cc, 'address');
  select(selected, 'message_id', mail.message_id ?? '', 'name');
  select(selected, 'date', mail.date ?? '', 'name');
  select(selected, 'subject', mail.subject, 'text');
  select(selected, 'text', mail.text, 'text');
  select(selected, 'html', mail.html, 'html');
  selectAttachments(selected, mail.attachments);
  return {
    payload: { ...mail, attachments: mail.attachments.map((attachment) => ({ ...attachment })) },
    selected,
    unscanned: [],
    sender: { from: mail.from, replyTo: mail.reply_to },
  };
}

const select = (selected: Selected[], place: string, text: string, kind: Selected['kind']): void => {
  if (text !== '') selected.push({ place, text: text.toWellFormed(), kind });
};

function selectAttachments(selected: Selected[], attachments: readonly Attachment[]): void {
  for (const [index, { name, content_type }] of attachments.entries()) {
    select(selected, `attachments/${index}/name`, name, 'name');
    select(selected, `attachments/${index}/content_type`, content_type, 'name');
  }
}

/** Texts of a mail in JSON that have a place of their own. */
const placesOfMail = { from: 'address', to: 'address', subject: 'text', text: 'text', html: 'html' } as const;

/**
 * A mail as JSON, bare or under `data`. Members that this form does not name are forwarded too, so their texts are scanned like those of any
 * JSON; attachments are replaced by what may leave of them.
 */
export function readMailJson(value: JsonValue): Body {
  const unscanned: Body['unscanned'] = [];
  const selected: Selected[] = [];
  const wrapped = isJsonObject(value) && isJsonObject(value['data']) && looksLikeMail(value['data']);
  const mail = wrapped ? (value['data'] as JsonObject) : value;
  if (!isJsonObject(mail) || !looksLikeMail(mail)) {
    selectLeaves(value, '', selected);
    return { payload: value, selected, unscanned, sender: undefined };
  }
  const attachments = Array.isArray(mail['attachments']) ? mail['attachments'].map(attachmentOfJson) : undefined;
  for (const [name, kind] of Object.entries(placesOfMail)) {
    const text = mail[name];
    if (typeof text === 'string') select(selected, name, text, kind);
  }
  if (attachments) selectAttachments(selected, attachments);
  const rest = Object.fromEntries(
    Object.entries(mail).filter(
      ([name, member]) =>
        !(Object.hasOwn(placesOfMail, name) && typeof member === 'string') && !(name === 'attachments' && attachments),
    ),
  );
  selectLeaves(rest, wrapped ? '/data' : '', selected);
  if (wrapped)
    selectLeaves(Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'data')), '', selected);
  const kept: JsonObject = attachments ? { ...mail, attachments: attachments.map((one) => ({ ...one })) } : mail;
  return {
    payload: wrapped ? { ...value, data: kept } : kept,
    selected,
    unscanned,
    sender: { from: firstText(mail['from']), replyTo: firstText(mail['reply_to'] ?? mail['replyTo']) },
  };
}

const looksLikeMail = (value: JsonObject): boolean =>
  ['from', 'to', 'subject', 'text', 'html'].filter((name) => name in value).length >= 2;

const firstText = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : Array.isArray(value) && typeof value[0] === 'string' ? value[0] : '';

/** Content in JSON is base64, as every provider sends it. */
function attachmentOfJson(value: JsonValue): Attachment {
  const from: JsonObject = isJsonObject(value) ? value : {};
  const text = (...names: string[]): string => {
    for (const name of names) if (typeof from[name] === 'string') return from[name];
    return '';
  };
  return attachmentOf(
    text('filename', 'name'),
    text('content_type', 'contentType', 'type'),
    Buffer.from(text('content', 'data'), 'base64'),
  );
}

export const attachmentOf = (name: string, contentType: string, content: Uint8Array): Attachment => ({
  name: name.toWellFormed(),
  size: content.byteLength,
  sha256: hash('sha256', content, 'hex'),
  content_type: contentType.toWellFormed(),
});

const bytesOf = (content: ArrayBuffer | Uint8Array | string): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

/** As people read it: `Name <address>`; a group is its members. */
function addressText(address: Address | undefined): string {
  if (address === undefined) return '';
  if (address.group) return `${address.name}: ${address.group.map(addressText).join(', ')};`;
  return address.name ? `${address.name} <${address.address ?? ''}>` : (address.address ?? '');
}
