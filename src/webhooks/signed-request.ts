import { createHmac } from 'node:crypto';

/** A request to a webhook as its receiver verifies it. */
interface SignedRequest {
  /** The bytes that are signed, as UTF-8. */
  body: string;
  headers: Record<string, string>;
}

interface Unsigned {
  /** Each `whsec_` and base64: the one of today first, behind it the one before while it still counts. */
  secrets: readonly [string, ...string[]];
  /** The `webhook-id`: the same for every delivery of one event, so that a receiver knows it again. */
  eventId: string;
  /** JSON. */
  body: string;
  now: Date;
}

const PREFIX = 'whsec_';
/** Receivers find us by it in their logs. */
const USER_AGENT = 'Carnet-Webhooks/1';

/**
 * Signs a body twice over: `X-Service-Signature` is the HMAC-SHA256 of the body in lower-case hex, keyed with the whole text of the secret of
 * today; the three headers of Standard Webhooks beside it cover id and time as well, keyed with the bytes behind `whsec_`, once a secret.
 */
export function signedRequest({ secrets, eventId, body, now }: Unsigned): SignedRequest {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': USER_AGENT,
      'X-Service-Signature': createHmac('sha256', secrets[0]).update(body).digest('hex'),
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
  };
}
