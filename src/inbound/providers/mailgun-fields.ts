import { UnreadableBody } from '../reading/errors.ts';
import { formBoundary, MAX_PARTS } from '../reading/form.ts';
import { parseJsonBody } from '../reading/json.ts';
import type { JsonValue } from '../../json/value.ts';
import { isJsonObject } from '../../json/value.ts';
import type { MailgunFields } from './schemes.ts';

/** Events that Mailgun sends as JSON have some KiB, and are no mails: what is larger is not read for a signature. */
const MAX_BYTES_OF_JSON = 65_536;
/** Bytes of one field with its name and headers: a token has 50 characters, a signature 64, and the headers of a part some sixty. */
const MAX_BYTES_OF_FIELD = 512;

const NAMES = ['timestamp', 'token', 'signature'] as const;
type Name = (typeof NAMES)[number];
type Found = Partial<Record<Name, string>>;

/**
 * The fields that Mailgun signs, from the bytes of a body. Anybody may send these bytes, so nothing else is read before the signature fits: a
 * form is searched as it is and only short fields are decoded, and JSON is parsed up to 64 KiB.
 * @returns null where the body has not all three
 */
export function mailgunFields(contentType: string | null, body: Buffer): MailgunFields | null {
  const { timestamp, token, signature } = foundIn(contentType, body);
  return timestamp && token && signature ? { timestamp, token, signature } : null;
}

function foundIn(contentType: string | null, body: Buffer): Found {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded')
    return Object.fromEntries(NAMES.map((name) => [name, urlEncodedField(body, name)]));
  if (type === 'multipart/form-data') return fieldsOfParts(formBoundary(contentType ?? ''), body);
  return body.length <= MAX_BYTES_OF_JSON ? membersOf(body) : {};
}

/** The first field of this name; undefined where there is none or it is too long. Its name is taken as Mailgun writes it, without escapes. */
function urlEncodedField(body: Buffer, name: Name): string | undefined {
  const key = Buffer.from(`${name}=`);
  const behind = body.indexOf(`&${name}=`);
  if (behind < 0 && !startsWith(body, key)) return undefined;
  const start = startsWith(body, key) ? key.length : behind + 1 + key.length;
  const near = body.subarray(start, start + MAX_BYTES_OF_FIELD);
  const end = near.indexOf('&');
  if (end < 0 && near.length === MAX_BYTES_OF_FIELD) return undefined;
  const value = near.subarray(0, end < 0 ? near.length : end).toString('latin1');
  return new URLSearchParams(`value=${value}`).get('value') ?? undefined;
}

const startsWith = (body: Buffer, key: Buffer): boolean => body.subarray(0, key.length).equals(key);

/** From one delimiter to the next; what stands in a long part, a mail for example, is not looked at. */
function fieldsOfParts(boundary: string | undefined, body: Buffer): Found {
  if (boundary === undefined) return {};
  const delimiter = Buffer.from(`--${boundary}`);
  const next = Buffer.concat([Buffer.from('\r\n'), delimiter]);
  const found: Found = {};
  // Mailgun writes nothing before the first delimiter.
  let start = startsWith(body, delimiter) ? delimiter.length : body.length;
  for (let parts = 0; parts < MAX_PARTS && NAMES.some((name) => !(name in found)); parts += 1) {
    const end = body.indexOf(next, start);
    if (end < 0) break;
    if (end - start <= MAX_BYTES_OF_FIELD) {
      const field = fieldOfPart(body.subarray(start, end).toString('utf8'));
      if (field !== undefined) found[field.name] ??= field.value;
    }
    start = end + next.length;
  }
  return found;
}

/** One of the three; a file of that name is none. */
function fieldOfPart(part: string): { name: Name; value: string } | undefined {
  const end = part.indexOf('\r\n\r\n');
  const named = /^content-disposition:[ \t]*form-data;[ \t]*name="?([a-z]{1,20})"?[ \t]*$/im.exec(
    part.slice(0, Math.max(end, 0)).replaceAll('\r\n', '\n'),
  );
  const name = NAMES.find((known) => known === named?.[1]);
  return name && { name, value: part.slice(end + 4) };
}

/** From the member `signature`, or beside one another. */
function membersOf(body: Buffer): Found {
  const value = parsed(body);
  if (!isJsonObject(value)) return {};
  const signed = isJsonObject(value['signature']) ? value['signature'] : value;
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const member = signed[name];
      return typeof member === 'string' ? [[name, member]] : [];
    }),
  );
}

/** Undefined: it is no JSON that is read. */
function parsed(body: Buffer): JsonValue | undefined {
  try {
    return parseJsonBody(body);
  } catch (error) {
    if (error instanceof UnreadableBody) return undefined;
    throw error;
  }
}
