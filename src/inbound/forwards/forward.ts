import { createHmac } from 'node:crypto';
import type { Encryption } from '../../context/encryption.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import type { JsonValue } from '../../json/value.ts';
import { notDelivered } from '../../outbound/outcomes.ts';
import { noteStanding } from '../../webhooks/standing.ts';
import { callReceiver } from '../../webhooks/call.ts';
import { endpointSecrets } from '../endpoints/secrets.ts';
import { attemptOf, type EncryptedEvent } from '../events/queries.ts';
import { openEvent, type ScannerContext } from '../events/life.ts';
import { authoriseForward, settleForward, type AuthorisedForward, type ForwardOutcome } from './queries.ts';

/**
 * Forwards an event, once: the row that says so is written before the call, and a call whose outcome is lost is not made again. All that can
 * go wrong on our side goes wrong before. Nothing is done where the policy, a revocation or a rival has decided otherwise meanwhile.
 */
export async function forwardInbound(context: ScannerContext, id: string): Promise<void> {
  const { pool, rowEvents } = context;
  const attempt = await attemptOf(pool, id);
  const opened = await openEvent(context, { id, attempt }, (scanner, { input, operatorId }) =>
    scanner.read(input, operatorId),
  );
  if (opened === null) return;
  const { event, content, read: payload } = opened;
  const body = forwardedBody(id, event, { headers: content.headers, payload });
  const allowed = await authoriseForward(pool, id, attempt);
  if (allowed === null) return;
  faultPoint('forwardInbound:authorised');
  const outcome = await call(context, { allowed, event, id, body });
  faultPoint('forwardInbound:called');
  await settleForward(pool, allowed.id, outcome);
  noteStanding(context, { endpointId: event.endpoint_id, operatorId: event.operator_id }, outcome);
  rowEvents.changed(id, event.endpoint_id);
}

/** The payload is read from the stored content again, so what is forwarded is what was scanned. */
const forwardedBody = (
  id: string,
  event: EncryptedEvent,
  { headers, payload }: { headers: Record<string, string>; payload: JsonValue },
): string =>
  JSON.stringify({
    event_id: id,
    endpoint_id: event.endpoint_id,
    agent_id: event.agent_id,
    provider: event.provider,
    received_at: event.received_at,
    body_authenticated: event.body_authenticated,
    verdict: event.verdict,
    headers,
    payload,
  });

async function call(
  { encryption, outbound }: ScannerContext,
  { allowed, event, id, body }: { allowed: AuthorisedForward; event: EncryptedEvent; id: string; body: string },
): Promise<ForwardOutcome> {
  const secret = secretOf(encryption, event.endpoint_id, allowed.secret);
  if (secret === null) {
    const error = 'No key of ENCRYPTION_KEY opens the secret of the endpoint, so the event could not be signed.';
    return { ...notDelivered({ status: 'failed', reason: 'key_unavailable', error }), latencyMs: 0 };
  }
  return await callReceiver(outbound, {
    url: allowed.forward_url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Carnet-Inbound/1',
      'X-Service-Signature': createHmac('sha256', secret).update(body).digest('hex'),
      'X-Service-Event-Id': id,
    },
    body,
  });
}

function secretOf(encryption: Encryption, endpointId: string, sealed: string): string | null {
  try {
    return endpointSecrets.decrypt(encryption, { id: endpointId, secret: sealed, old_secret: null })[0];
  } catch {
    return null;
  }
}
