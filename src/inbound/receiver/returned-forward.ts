import { isJsonObject, type JsonValue } from '../../json/value.ts';

/** Of which events a request says that it is the forward. */
export interface NamedForwards {
  /** By `X-Service-Event-Id`, which a relay may pass on whatever it makes of the body. */
  inHeader: string | null;
  /** By the members of the body, both of which every forward has. */
  inBody: { eventId: string; endpointId: string } | null;
}

/** As ids of events begin in every body of a forward. */
const EVENT_ID = '"iev_';

/**
 * What a request says about itself, to be held against the events that there are (decision I50).
 * @param body JSON that was read before, where `isJson`
 * @returns null for nearly every request: it names no event
 */
export function namedForwards(
  headers: NodeJS.ReadOnlyDict<string[]>,
  { isJson, body }: { isJson: boolean; body: Buffer },
): NamedForwards | null {
  const [header = null] = headers['x-service-event-id'] ?? [];
  const inHeader = header?.startsWith('iev_') === true ? header : null;
  const inBody = isJson && body.includes(EVENT_ID) ? membersOf(JSON.parse(body.toString()) as JsonValue) : null;
  return inHeader === null && inBody === null ? null : { inHeader, inBody };
}

function membersOf(value: JsonValue): NamedForwards['inBody'] {
  if (!isJsonObject(value)) return null;
  const { event_id: eventId, endpoint_id: endpointId } = value;
  return typeof eventId === 'string' && typeof endpointId === 'string' ? { eventId, endpointId } : null;
}
