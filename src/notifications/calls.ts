import type { Outbound } from '../outbound/index.ts';
import { signedRequest } from '../webhooks/signed-request.ts';
import type { OutgoingSms, Texter } from './texter.ts';

/** The outcome of one call to where somebody is notified. */
export interface CallOutcome {
  /** `unknown`: it may have been delivered. */
  status: 'delivered' | 'failed' | 'unknown';
  /** A word; null where it is delivered. */
  reason: string | null;
  /** The status of a webhook that answered. */
  statusCode: number | null;
  /** A sentence; null where it is delivered. */
  error: string | null;
}

/** Milliseconds that a webhook has for the whole call, DNS and the answer included (decision N10). */
const WEBHOOK_MS = 10_000;
/** Bytes of an answer that are read: only its status counts. */
const REPLY_BYTES = 65_536;

export const DELIVERED: CallOutcome = { status: 'delivered', reason: null, statusCode: null, error: null };
export const failed = (reason: string, error: string): CallOutcome => ({
  ...DELIVERED,
  status: 'failed',
  reason,
  error,
});
export const unknown = (reason: string, error: string): CallOutcome => ({
  ...failed(reason, error),
  status: 'unknown',
});

interface WebhookCall {
  url: string;
  /** Opened, the current one first. */
  secrets: readonly [string, ...string[]];
  /** The `webhook-id`. */
  id: string;
  /** JSON. */
  body: string;
}

/** Sends a signed request, once. */
export async function callWebhook(outbound: Outbound, { url, secrets, id, body }: WebhookCall): Promise<CallOutcome> {
  const request = signedRequest({ secrets, eventId: id, body, now: new Date() });
  const answer = await outbound.send({ url, ...request, timeoutMs: WEBHOOK_MS, maxReplyBytes: REPLY_BYTES });
  if (answer.outcome === 'refused') return failed('address_refused', answer.sentence);
  if (answer.outcome === 'not_sent') return failed(answer.cause, answer.sentence);
  if (answer.outcome === 'unknown') return unknown(answer.cause, answer.sentence);
  const { status: statusCode } = answer;
  if (statusCode >= 200 && statusCode < 300) return { ...DELIVERED, statusCode };
  return { ...failed('http_status', `The receiver answered ${statusCode}.`), statusCode };
}

/** Hands an SMS to the provider, once. @param id of what is sent, for the log */
export async function sendSms(texter: Texter, id: string, sms: OutgoingSms): Promise<CallOutcome> {
  const outcome = await texter.send(id, sms);
  if (outcome === 'sent') return DELIVERED;
  if (outcome === 'refused')
    return failed('refused', 'The provider of SMS refused the number: look whether it is right.');
  if (outcome === 'not_taken')
    return failed('not_taken', 'The provider of SMS could not be reached, or did not take the SMS.');
  return unknown('broken', 'The SMS was sent, and the provider did not confirm it.');
}
