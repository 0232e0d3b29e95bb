import { createHmac } from 'node:crypto';
import type { Encryption } from '../../context/encryption.ts';
import { step } from '../../commands/fault-points.ts';
import type { JsonValue } from '../../json/value.ts';
import { endpointSecrets } from '../endpoints/secrets.ts';
import { attemptOf, type SealedEvent } from '../events/queries.ts';
import { openEvent, type ScannerContext } from '../events/life.ts';
import { authoriseForward, settleForward, type AuthorisedForward, type ForwardOutcome } from './queries.ts';

/** Milliseconds for the whole call, DNS and the answer included. */
const FORWARD_MS = 10_000;
/** Bytes of an answer that are read: only its status counts. */
const REPLY_BYTES = 65_536;

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
  step('forwardInbound:authorised');
  const outcome = await call(context, { allowed, event, id, body });
  step('forwardInbound:called');
  await settleForward(pool, allowed.id, outcome);
  rowEvents.changed(id, event.endpoint_id);
}

/** The payload is read from the stored content again, so what is forwarded is what was scanned. */
const forwardedBody = (
  id: string,
  event: SealedEvent,
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

interface Call {
  allowed: AuthorisedForward;
  event: SealedEvent;
  id: string;
  body: string;
}

async function call(
  { encryption, outbound }: ScannerContext,
  { allowed, event, id, body }: Call,
): Promise<ForwardOutcome> {
  const secret = secretOf(encryption, event.endpoint_id, allowed.secret);
  if (secret === null) {
    const error = 'No key of ENCRYPTION_KEY opens the secret of the endpoint, so the event could not be signed.';
    return { status: 'failed', reason: 'key_unavailable', statusCode: null, error, latencyMs: 0 };
  }
  const answer = await outbound.send({
    url: allowed.forward_url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Carnet-Inbound/1',
      'X-Service-Signature': createHmac('sha256', secret).update(body).digest('hex'),
      'X-Service-Event-Id': id,
    },
    body,
    timeoutMs: FORWARD_MS,
    maxReplyBytes: REPLY_BYTES,
  });
  const { latencyMs } = answer;
  const nothing = { statusCode: null, latencyMs };
  if (answer.outcome === 'refused')
    return { ...nothing, status: 'refused', reason: 'address_refused', error: answer.sentence };
  if (answer.outcome === 'not_sent')
    return { ...nothing, status: 'failed', reason: answer.cause, error: answer.sentence };
  if (answer.outcome === 'unknown')
    return { ...nothing, status: 'unknown', reason: answer.cause, error: answer.sentence };
  const { status: statusCode } = answer;
  if (statusCode >= 200 && statusCode < 300)
    return { status: 'forwarded', reason: null, statusCode, error: null, latencyMs };
  return {
    status: 'failed',
    reason: 'http_status',
    statusCode,
    error: `The receiver answered ${statusCode}.`,
    latencyMs,
  };
}

function secretOf(encryption: Encryption, endpointId: string, sealed: string): string | null {
  try {
    return endpointSecrets.open(encryption, { id: endpointId, secret: sealed, old_secret: null })[0];
  } catch {
    return null;
  }
}
