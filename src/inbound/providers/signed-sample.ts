import { createHmac } from 'node:crypto';
import { standardKeyOf } from '../../webhooks/secrets.ts';
import { signedRequest } from '../../webhooks/signed-request.ts';
import type { SampleRequest } from './provider.ts';

/** JSON, signed as Standard Webhooks and by a hex HMAC, or by the second alone where the secret keys no more. */
export function signedSample(
  { secret, eventId, now }: { secret: string; eventId: string; now: Date },
  body: string,
): SampleRequest {
  if (standardKeyOf(secret) === null)
    return {
      headers: {
        'Content-Type': 'application/json',
        'X-Service-Signature': createHmac('sha256', secret).update(body).digest('hex'),
      },
      body,
    };
  const { 'User-Agent': _ours, ...headers } = signedRequest({ secrets: [secret], eventId, body, now }).headers;
  return { headers, body };
}
