import { callReceiver } from '../../../webhooks/call.ts';
import { newWebhookSecret } from '../../../webhooks/secrets.ts';
import { signedRequest } from '../../../webhooks/signed-request.ts';
import { provenByCode, refusedAddress, type Channel, type OutgoingDelivery, type SenderContext } from '../channel.ts';
import { destinationSecrets } from '../secrets.ts';

/** Faults of the service and of its DNS: no receiver is blamed for them. */
const OURS: ReadonlySet<string | null> = new Set(['internal_error', 'dns_failed']);

export const webhookChannel: Channel = {
  ...provenByCode,
  words: {
    kind: 'Webhook',
    address: 'URL',
    hint: 'An https URL on the internet. It gets a signed request with six digits, of type destination.verification.',
    example: 'https://hooks.example.com/carnet',
  },
  isPaid: true,
  signs: true,
  assertConfigured: () => {},
  /** As WHATWG writes it. It is also looked up, and refused where it leads to what is not on the internet; where DNS does not say, each call decides again. */
  async normalise({ outbound }, destination) {
    const url = outbound.parse(destination);
    if (url.outcome === 'refused') return refusedAddress(url.sentence, url.rule);
    const found = await outbound.check(destination);
    return found.outcome === 'refused' ? refusedAddress(found.sentence, found.rule) : url.href;
  },
  keep: (_encryption, { given, normalised }) => ({
    destination: given,
    address: normalised,
    secret: newWebhookSecret(),
  }),
  code: {
    by: 'call',
    callOf: (context, { id: eventId, code, destination_id: id, expires_at, requested_at, ...found }) =>
      signedCall(context, {
        ...found,
        id,
        eventId,
        body: JSON.stringify({
          event_type: 'destination.verification',
          severity: 'info',
          payload: { code, destination_id: id, expires_at },
          timestamp: requested_at,
        }),
      }),
  },
  callOf: (context, { destination_id: id, event_id: eventId, ...delivery }) =>
    signedCall(context, { ...delivery, id, eventId, body: bodyOf(delivery) }),
  isFaultOfReceiver: (reason) => !OURS.has(reason),
  /** By its host alone: path and query may open something. */
  nameOf: ({ destination_id: id, address }) => `webhook ${id} at ${new URL(address).host}`,
};

/** The body is made of the event alone, so that every delivery of an event has the same bytes. */
const bodyOf = ({
  event_type: eventType,
  severity,
  payload,
  occurred_at: timestamp,
}: Pick<OutgoingDelivery, 'event_type' | 'severity' | 'payload' | 'occurred_at'>): string =>
  // The payload as it was written: parsed and written again its numbers could differ.
  `{"event_type":${JSON.stringify(eventType)},"severity":${JSON.stringify(severity)},"payload":${payload},"timestamp":${JSON.stringify(timestamp)}}`;

interface SignedCall extends Pick<OutgoingDelivery, 'address' | 'secret' | 'old_secret'> {
  /** The destination. */
  id: string;
  eventId: string;
  body: string;
}

function signedCall(
  { encryption, outbound }: SenderContext,
  { id, secret, old_secret, eventId, address: url, body }: SignedCall,
) {
  const secrets = destinationSecrets.decrypt(encryption, { id, secret, old_secret });
  return () => callReceiver(outbound, { url, ...signedRequest({ secrets, eventId, body, now: new Date() }) });
}
