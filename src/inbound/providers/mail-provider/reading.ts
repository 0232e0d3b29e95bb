import { isJsonObject, type JsonValue } from '../../../json/value.ts';
import type { Body, SentBody } from '../../reading/body.ts';
import { UnreadableBody } from '../../reading/errors.ts';
import { isForm, readForm, readMailForm } from '../../reading/form.ts';
import { parseJsonBody } from '../../reading/json.ts';
import { keysOfJson, textMember, type ReadBody } from '../../reading/keys.ts';
import { readMailJson, readMime } from '../../reading/mail.ts';

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
 * Reads all of JSON and forms, and of a raw mail its first headers: a mail that is broken further down is found by the scan alone.
 * @throws UnreadableBody
 */
export function identifyMail({ contentType, body }: SentBody): ReadBody {
  if (isJson(contentType, body)) return keysOfMail(parseJsonBody(body));
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

function keysOfMail(value: JsonValue): ReadBody {
  const mail = isJsonObject(value) && isJsonObject(value['data']) ? value['data'] : value;
  return { ...keysOfJson(value), messageId: textMember(mail, 'message_id') };
}

const headersOf = (body: Uint8Array): string => {
  const text = Buffer.from(body.subarray(0, MAX_HEADERS)).toString('latin1');
  return text.split(/\r?\n\r?\n/, 1)[0] ?? '';
};

const looksLikeHeaders = (body: Uint8Array): boolean => /^[!-9;-~]{1,80}[ \t]{0,8}:/.test(headersOf(body));

const messageIdOf = (body: Uint8Array): string | undefined =>
  /^message-id[ \t]{0,8}:\s{0,80}(<[^<>\s]{1,998}>)/im.exec(headersOf(body))?.[1];

/** @throws UnreadableBody */
export async function readMail({ contentType, body }: SentBody): Promise<Body> {
  if (isJson(contentType, body)) return readMailJson(parseJsonBody(body));
  if (isForm(contentType)) return readMailForm(readForm(contentType, body));
  return readMime(body);
}
