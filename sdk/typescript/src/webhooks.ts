import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Notification } from './generated.ts';

export class WebhookRefused extends Error {
  override name = 'WebhookRefused';
}

type Headers = Record<string, string | string[] | undefined> | { get(name: string): string | null };

/** A request that is older, or newer, was not sent now. */
const TOLERANCE_SECONDS = 300;
/** A secret of the service has 32; one that is empty or was left out would let anybody sign. */
const SHORTEST_SECRET = 16;

const headerOf = (headers: Headers, name: string): string => {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : '';
};

/** By Standard Webhooks, keyed with what is behind `whsec_`. @throws TypeError where that is no secret */
export function signWebhook({
  id,
  sentAt,
  body,
  secret,
}: {
  id: string;
  sentAt: number;
  body: string | Uint8Array;
  secret: string;
}): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length < SHORTEST_SECRET)
    throw new TypeError('The secret of a webhook is whsec_ and base64 of 16 bytes or more.');
  return `v1,${createHmac('sha256', key).update(`${id}.${sentAt}.`).update(body).digest('base64')}`;
}

/**
 * The event of a webhook, once one of its signatures is that of the secret. `body` is as it came, not parsed. Store the event
 * under its id and refuse an id that you have: within five minutes anybody who saw the request can send it again.
 * @throws WebhookRefused
 */
export function verifyWebhook(
  headers: Headers,
  body: string | Uint8Array,
  secret: string,
): Notification & { id: string } {
  const [id, sent] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')];
  if (id === '' || !/^\d{1,15}$/.test(sent))
    throw new WebhookRefused('There is no webhook-id, or no webhook-timestamp.');
  const sentAt = Number(sent);
  if (Math.abs(Date.now() / 1_000 - sentAt) > TOLERANCE_SECONDS)
    throw new WebhookRefused('The webhook was not sent within the last five minutes.');
  const wanted = Buffer.from(signWebhook({ id, sentAt, body, secret }));
  const fits = headerOf(headers, 'webhook-signature')
    .split(' ')
    .map((one) => Buffer.from(one))
    .some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
  if (!fits) throw new WebhookRefused('No signature is that of the secret.');
  return { ...(JSON.parse(Buffer.from(body).toString()) as Notification), id };
}
