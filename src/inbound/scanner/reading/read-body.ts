import type { JsonValue } from '../../../json/value.ts';
import { isJsonObject } from '../../../json/value.ts';
import { UnreadableBody } from '../errors.ts';
import { withoutContents } from './attachments.ts';
import type { Body, ScanInput } from './body.ts';
import { isForm, readForm, readMailForm } from './form.ts';
import { parseJsonBody, selectLeaves } from './json.ts';
import { readMailJson, readMime } from './mail.ts';

/** The parts that a receiver needs of a body before it is scanned. */
export interface ReadBody {
  /** `event_id` of a JSON object, where it is a text; undefined elsewhere. */
  eventId: string | undefined;
  /** `endpoint_id` likewise, which stands beside it in what this service forwards. */
  endpointId: string | undefined;
  /** The Message-ID of a mail, in any form. */
  messageId: string | undefined;
}

/** Header lines that are searched for the Message-ID. */
const MAX_HEADERS = 65_536;

const isJson = (contentType: string | null, body: Uint8Array): boolean => {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type !== '' && type !== 'text/plain' && type !== 'application/octet-stream')
    return type === 'application/json' || type.endsWith('+json');
  // Without a type that says more, what begins like JSON is JSON: no header of a mail begins with a bracket.
  const first = body.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  return first === 0x7b || first === 0x5b;
};

/**
 * Reads what identifies a body, immediately. Of JSON and forms it reads all; of a raw mail its first headers, so a mail that is broken further
 * down is found by the scan alone.
 * @throws UnreadableBody
 */
export function readBody({ provider, contentType, body }: ScanInput): ReadBody {
  if (provider === 'generic' || isJson(contentType, body)) return keysOf(parseJsonBody(body), provider);
  if (isForm(contentType)) {
    const { fields, mime } = readForm(contentType, body);
    return {
      eventId: undefined,
      endpointId: undefined,
      messageId: (mime && messageIdOf(mime)) ?? fields.get('Message-Id') ?? fields.get('message-id'),
    };
  }
  if (!looksLikeHeaders(body))
    throw new UnreadableBody('The body is neither JSON, nor a form, nor a mail with its headers.');
  return { eventId: undefined, endpointId: undefined, messageId: messageIdOf(body) };
}

function keysOf(value: JsonValue, provider: ScanInput['provider']): ReadBody {
  const text = (from: JsonValue | undefined, name: string): string | undefined => {
    const member = isJsonObject(from) ? from[name] : undefined;
    return typeof member === 'string' && member !== '' ? member : undefined;
  };
  const mail = isJsonObject(value) && isJsonObject(value['data']) ? value['data'] : value;
  return {
    eventId: text(value, 'event_id'),
    endpointId: text(value, 'endpoint_id'),
    messageId: provider === 'mail_provider' ? text(mail, 'message_id') : undefined,
  };
}

const headersOf = (body: Uint8Array): string => {
  const text = Buffer.from(body.subarray(0, MAX_HEADERS)).toString('latin1');
  return text.split(/\r?\n\r?\n/, 1)[0] ?? '';
};

const looksLikeHeaders = (body: Uint8Array): boolean => /^[!-9;-~]{1,80}[ \t]{0,8}:/.test(headersOf(body));

const messageIdOf = (body: Uint8Array): string | undefined =>
  /^message-id[ \t]{0,8}:\s{0,80}(<[^<>\s]{1,998}>)/im.exec(headersOf(body))?.[1];

/** Reads the whole body, with every text that is scanned. @throws UnreadableBody */
export async function readWhole({ provider, contentType, body }: ScanInput): Promise<Body> {
  if (provider === 'generic') {
    const payload = withoutContents(parseJsonBody(body));
    const selected: Body['selected'] = [];
    selectLeaves(payload, '', selected);
    return { payload, selected, unscanned: [], sender: undefined };
  }
  if (isJson(contentType, body)) return readMailJson(parseJsonBody(body));
  if (isForm(contentType)) return readMailForm(readForm(contentType, body));
  return readMime(body);
}
