import type { ReadBody } from '../reading/keys.ts';

/** Names the events that a request says it is the forward of. */
export interface NamedForwards {
  /** By `X-Service-Event-Id`, which a relay may pass on no matter what it makes of the body. */
  inHeader: string | null;
  /** By the members of the body, both of which every forward has. */
  inBody: { eventId: string; endpointId: string } | null;
}

/**
 * Reads what a request says about itself, to be held against the forwards that there are (decision I8).
 * @returns null for nearly every request: it names no event
 */
export function namedForwards(
  headers: NodeJS.ReadOnlyDict<string[]>,
  { eventId, endpointId }: ReadBody,
): NamedForwards | null {
  const [header = ''] = headers['x-service-event-id'] ?? [];
  const inHeader = isEventId(header) ? header : null;
  const inBody =
    eventId !== undefined && isEventId(eventId) && endpointId !== undefined ? { eventId, endpointId } : null;
  return inHeader === null && inBody === null ? null : { inHeader, inBody };
}

const isEventId = (text: string): boolean => text.startsWith('iev_');
