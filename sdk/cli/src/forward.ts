import { createHmac, randomBytes } from 'node:crypto';
import { signWebhook } from '../../typescript/src/index.ts';
import { Misuse } from './terminal.ts';

export interface Forwarded {
  event_type: string;
  severity: string;
  payload: object;
  timestamp: string;
}

export const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

/** Only this machine: events of an operator are sent to nobody else. */
export function localAddress(text: string | undefined): URL {
  const url = URL.parse(text ?? '');
  if (url === null || url.protocol !== 'http:' || !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))
    throw new Misuse('--forward needs an address of this machine, as http://localhost:8080/hooks');
  return url;
}

/** How an event was taken: the status, or why it was not delivered. */
export interface Outcome {
  outcome: string;
  taken: boolean;
}

/** Sends an event as the service sends a webhook: the same body and headers, signed with a secret of this terminal. */
export async function forward(
  to: URL,
  { id, event, secret }: { id: string; event: Forwarded; secret: string },
): Promise<Outcome> {
  const { event_type, severity, payload, timestamp } = event;
  const body = JSON.stringify({ event_type, severity, payload, timestamp });
  const sentAt = Math.floor(Date.now() / 1_000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(sentAt),
    'webhook-signature': signWebhook({ id, sentAt, body, secret }),
    'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
  };
  try {
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return { outcome: String(response.status), taken: response.ok };
  } catch (error) {
    const { name, cause } = error as Error;
    return { outcome: `not delivered (${(cause as NodeJS.ErrnoException | undefined)?.code ?? name})`, taken: false };
  }
}
