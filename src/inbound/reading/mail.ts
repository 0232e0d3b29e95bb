import { cut } from '../../json/shown.ts';
import PostalMime, { type Address, type Email } from 'postal-mime';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { isJsonObject } from '../../json/value.ts';
import { MAX_FAULT, UnreadableBody } from './errors.ts';
import { attachmentOf, withoutContents, type Attachment } from './attachments.ts';
import type { Body, Selected } from './body.ts';
import { pointerTo, selectLeaves } from './json.ts';

/** A mail as it is forwarded, no matter which form it came in. */
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

/**
 * The parser takes about 12 microseconds for a line of text and 25 for one of messages inside of messages, however short it is; so the short lines of a mail take less than
 * a second. Programs break base64 at 60 characters and more, and a mail of 10 MiB has fewer long lines than would take two.
 */
export const MAX_SHORT_LINES = 30_000;
const SHORT_LINE = 60;
const LINE_FEED = 0x0a;

/** How many short lines a mail has; what is beyond the bound is not counted. */
export function shortLinesIn(bytes: Uint8Array): number {
  let short = 0;
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    if (end - start < SHORT_LINE) short += 1;
    if (short > MAX_SHORT_LINES) break;
    start = end + 1;
  }
  return short;
}

/** @throws UnreadableBody */
export async function readMime(bytes: Uint8Array): Promise<Body> {
  if (shortLinesIn(bytes) > MAX_SHORT_LINES)
    throw new UnreadableBody(
      `The mail has more than ${MAX_SHORT_LINES} lines of fewer than ${SHORT_LINE} characters; send the text as an attachment.`,
    );
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
    throw new UnreadableBody(`The mail cannot be read: ${cut((error as Error).message, MAX_FAULT)}.`);
  }
}

/** Returns what is forwarded of a mail, with every text in it selected. */
export function mailBody(mail: Mail): Body {
  const selected: Selected[] = [];
  select(selected, { place: 'from', text: mail.from });
  select(selected, { place: 'reply_to', text: mail.reply_to });
  select(selected, { place: 'to', text: mail.to });
  select(selected, { place: 'cc', text: mail.cc });
  select(selected, { place: 'message_id', text: mail.message_id ?? '' });
  select(selected, { place: 'date', text: mail.date ?? '' });
  select(selected, { place: 'subject', text: mail.subject });
  select(selected, { place: 'text', text: mail.text });
  select(selected, { place: 'html', text: mail.html, isHtml: true });
  selectAttachments(selected, mail.attachments);
  return {
    payload: { ...mail, attachments: mail.attachments.map((attachment) => ({ ...attachment })) },
    selected,
    unscanned: [],
    sender: { from: mail.from, replyTo: mail.reply_to, place: 'from' },
  };
}

const select = (
  selected: Selected[],
  { place, text, isHtml = false }: { place: string; text: string; isHtml?: boolean },
): void => {
  if (text !== '') selected.push({ place, text: text.toWellFormed(), isHtml });
};

function selectAttachments(selected: Selected[], attachments: readonly Attachment[]): void {
  for (const [index, { name, content_type }] of attachments.entries()) {
    select(selected, { place: `attachments/${index}/name`, text: name });
    select(selected, { place: `attachments/${index}/content_type`, text: content_type });
  }
}

/** Texts of a mail in JSON that have a place of their own. */
const placesOfMail = ['from', 'to', 'subject', 'text', 'html'];

/**
 * A mail as JSON, bare or under `data`, or in any shape that a provider of mail sends. All of it is forwarded but the contents of attachments, so every text in it is scanned;
 * what this form names has a place of its own.
 */
export function readMailJson(value: JsonValue): Body {
  const selected: Selected[] = [];
  const payload = withoutContents(value);
  const wrapped = isJsonObject(payload) && isJsonObject(payload['data']) && looksLikeMail(payload['data']);
  const mail = wrapped ? payload['data'] : payload;
  if (!isJsonObject(mail) || !looksLikeMail(mail)) {
    selectLeaves(payload, '', selected);
    return { payload, selected, unscanned: [], sender: undefined };
  }
  const rest: JsonObject = { ...mail };
  for (const name of placesOfMail)
    if (typeof mail[name] === 'string') {
      select(selected, { place: name, text: mail[name], isHtml: name === 'html' });
      delete rest[name];
    }
  if (Array.isArray(mail['attachments'])) {
    selectLeaves(mail['attachments'], 'attachments', selected);
    delete rest['attachments'];
  }
  const root = wrapped ? '/data' : '';
  selectLeaves(rest, root, selected);
  if (wrapped) selectLeaves({ ...payload, data: null }, '', selected);
  const from = memberOf(mail, 'from', 'fromfull', 'sender');
  const place = typeof mail['from'] === 'string' ? 'from' : pointerTo(root, from?.[0] ?? '');
  const replyTo = memberOf(mail, 'replyto', 'replytofull');
  return {
    payload,
    selected,
    unscanned: [],
    sender: { from: addressOfJson(from?.[1]), replyTo: addressOfJson(replyTo?.[1]), place },
  };
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');

const MAIL_MEMBERS = new Set(
  'from to subject text html textbody htmlbody bodyplain bodyhtml strippedtext strippedhtml'.split(' '),
);

const looksLikeMail = (value: JsonObject): boolean =>
  Object.keys(value).filter((name) => MAIL_MEMBERS.has(plain(name))).length >= 2;

/** The first member of one of these names, however it is spelled. */
const memberOf = (value: JsonObject, ...names: string[]): [string, JsonValue] | undefined =>
  names
    .map((wanted) => Object.entries(value).find(([name]) => plain(name) === wanted))
    .find((one) => one !== undefined);

/** An address as providers write it: a text, an object with `email` or `address`, or a list of these. */
function addressOfJson(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return addressOfJson(value[0]);
  if (!isJsonObject(value)) return '';
  const address = memberOf(value, 'email', 'address')?.[1];
  const name = memberOf(value, 'name')?.[1];
  return `${typeof name === 'string' ? name : ''} <${typeof address === 'string' ? address : ''}>`;
}

const bytesOf = (content: ArrayBuffer | Uint8Array | string): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

/** As people read it: `Name <address>`; a group is its members. */
function addressText(address: Address | undefined): string {
  if (address === undefined) return '';
  if (address.group) return `${address.name}: ${address.group.map(addressText).join(', ')};`;
  return address.name ? `${address.name} <${address.address ?? ''}>` : (address.address ?? '');
}
