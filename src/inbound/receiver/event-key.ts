import { hash } from 'node:crypto';
import type { NewInboundEvent } from './queries.ts';

interface Identified {
  /** The id that a signature covers. */
  signedId: string | null;
  /** The text that Mailgun signs instead of the body. */
  token: string | null;
  /** In a header of its provider. */
  deliveryId: string | null;
  /** Members of the body. */
  eventId: string | null;
  messageId: string | null;
  body: Uint8Array;
}

/**
 * The key that makes a request this event and no other (decision I8): nothing that is not signed, since everybody who sends the bytes again could change
 * it. The id of a delivery in a header is not signed: it makes no second event of the same bytes. The kind stands before the value, so that an id of one kind is never one of another.
 */
export function eventKey({
  signedId,
  token,
  deliveryId,
  eventId,
  messageId,
  body,
}: Identified): Pick<NewInboundEvent, 'keyHash' | 'keyFrom' | 'bodyHash'> {
  const bodyHash = hash('sha256', body, 'buffer');
  const of = (keyFrom: NewInboundEvent['keyFrom'], value: string) => ({
    keyFrom,
    keyHash: hash('sha256', `${keyFrom}\n${value}`, 'buffer'),
    bodyHash,
  });
  if (signedId !== null) return of('webhook_id', signedId);
  if (token !== null) return of('token', token);
  if (deliveryId !== null) return of('delivery', deliveryId);
  if (eventId !== null) return of('event_id', eventId);
  if (messageId !== null) return of('message_id', `${messageId}\n${bodyHash.toString('hex')}`);
  return of('body', bodyHash.toString('hex'));
}
