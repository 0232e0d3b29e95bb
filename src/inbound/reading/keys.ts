import { isJsonObject, type JsonValue } from '../../json/value.ts';

/** The parts that a receiver needs of a body before it is scanned. */
export interface ReadBody {
  /** `event_id` of a JSON object, where it is a text; undefined elsewhere. */
  eventId: string | undefined;
  /** `endpoint_id` likewise, which stands beside it in what this service forwards. */
  endpointId: string | undefined;
  /** The Message-ID of a mail, in any form. */
  messageId: string | undefined;
}

/** A member that is a text and not empty. */
export function textMember(from: JsonValue | undefined, name: string): string | undefined {
  const member = isJsonObject(from) ? from[name] : undefined;
  return typeof member === 'string' && member !== '' ? member : undefined;
}

/** The keys of JSON that is no mail. */
export const keysOfJson = (value: JsonValue): ReadBody => ({
  eventId: textMember(value, 'event_id'),
  endpointId: textMember(value, 'endpoint_id'),
  messageId: undefined,
});
