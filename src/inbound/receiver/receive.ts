import { inTransaction } from '../../commands/unit.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import { refuseWhereOverloaded } from '../../lives/index.ts';
import type { Context } from '../../context/context.ts';
import type { Encryption } from '../../context/encryption.ts';
import { assertThat, CarnetError, invalid, notFound } from '../../errors/carnet-error.ts';
import { lifeId } from '../../ids/life-ids.ts';
import { newId } from '../../ids/ids.ts';
import { endpointSecrets } from '../endpoints/secrets.ts';
import { encryptContent } from '../events/content.ts';
import { mailgunFields } from '../providers/mailgun-fields.ts';
import { readBody } from '../providers/read-body.ts';
import { providers } from '../providers/registry.ts';
import type { Verification } from '../providers/schemes.ts';
import { verifySignature } from '../providers/verify-signature.ts';
import { UnreadableBody } from '../reading/errors.ts';
import type { ReadBody } from '../reading/keys.ts';
import { eventKey } from './event-key.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import {
  countRejected,
  findForwarded,
  findReceiver,
  replaceContent,
  takeInboundEvent,
  type Receiver,
  type Taken,
} from './queries.ts';
import { namedForwards } from './returned-forward.ts';

/** Whom a request names in its path. */
export interface Addressed {
  provider: string;
  slug: string;
}

export interface ReceivedRequest {
  headers: NodeJS.ReadOnlyDict<string[]>;
  body: Buffer;
}

/**
 * The endpoint that a request is sent to.
 * @throws CarnetError NOT_FOUND where there is none of this slug and provider; ENDPOINT_REVOKED
 */
async function receiverOf({ pool }: Context, { provider, slug }: Addressed): Promise<Receiver> {
  const receiver = await findReceiver(pool, slug);
  if (receiver === null || receiver.provider !== provider) throw notFound('endpoint');
  assertThat(
    !receiver.revoked,
    () =>
      new CarnetError(
        'ENDPOINT_REVOKED',
        'This endpoint is revoked: nothing sent to it is taken any more. Stop sending.',
      ),
  );
  return receiver;
}

/** Before the body is read. @returns bytes of body at most, the operator, and the endpoint as it is now @throws as `receiverOf` */
export async function admitRequest(
  context: Context,
  addressed: Addressed,
): Promise<{ limit: number; owner: string; found: Receiver }> {
  const found = await receiverOf(context, addressed);
  return { limit: providers[found.provider].bodyLimit, owner: found.operator_id, found };
}

/**
 * Takes what a provider sent: judges the signature, then who it is, then what is new, in this order. What is new is stored, sealed, and its
 * life started, in one transaction.
 * @param receiver as it was when the request was admitted; a revocation since then is found by the transaction, another secret counts for the
 *   requests after it
 * @throws CarnetError ENDPOINT_REVOKED; KEY_UNAVAILABLE; INVALID_SIGNATURE; OPERATOR_SUSPENDED; UNSUPPORTED_MEDIA_TYPE; VALIDATION_ERROR;
 *   FORWARD_LOOP; TIER_LIMIT_EXCEEDED for storage that is full; INSUFFICIENT_CREDITS
 */
export async function receiveInbound(context: Context, receiver: Receiver, request: ReceivedRequest): Promise<Taken> {
  try {
    const { signature, read } = judge(context, receiver, request);
    await assertNoForward(context, request.headers, read);
    return await take(context, receiver, { request, signature, read });
  } catch (error) {
    // Nothing is kept of it but that it came.
    if (error instanceof CarnetError && error.status < 500) await countRejected(context.pool, receiver.id);
    throw error;
  }
}

/**
 * A forward of this service itself is taken nowhere here: it would be a new event, paid for and forwarded again, without end.
 * @throws CarnetError FORWARD_LOOP
 */
async function assertNoForward({ pool }: Context, headers: ReceivedRequest['headers'], read: ReadBody): Promise<void> {
  const named = namedForwards(headers, read);
  const id = named === null ? null : await findForwarded(pool, named);
  if (id === null) return;
  throw new CarnetError(
    'FORWARD_LOOP',
    `This is the forward of ${id}, which this service has made itself. It is not taken as an event again: send what your agent makes of it, without the header X-Service-Event-Id.`,
  );
}

type Signed = Extract<Verification, { ok: true }>;

interface Judged {
  signature: Signed;
  read: ReadBody;
}

/** Reads the body only once its signature fits: reading 10 MiB of a stranger would hold the process for a second. */
function judge({ encryption }: Context, receiver: Receiver, { headers, body }: ReceivedRequest): Judged {
  const encoding = headers['content-encoding']?.join(', ') ?? 'identity';
  if (encoding !== 'identity') {
    const detail = `Compressed bodies are not taken (Content-Encoding: ${encoding}); send it as it is.`;
    throw new CarnetError('UNSUPPORTED_MEDIA_TYPE', detail, { headers: { 'Accept-Encoding': 'identity' } });
  }
  const { provider } = receiver;
  const secrets = secretsOf(encryption, receiver);
  const contentType = contentTypeOf(headers);
  const signature = verifySignature({
    provider,
    headers,
    body,
    mailgun: () => mailgunFields(contentType, body),
    secrets,
    now: new Date(),
  });
  if (!signature.ok) {
    throw new CarnetError(
      'INVALID_SIGNATURE',
      'No signature of this request fits: sign the bytes of the body with the secret of this endpoint, and send them within five minutes.',
    );
  }
  if (receiver.suspended)
    throw new CarnetError('OPERATOR_SUSPENDED', 'The operator of this endpoint is suspended; nothing is taken for it.');
  try {
    return { signature, read: readBody({ provider, contentType, body }) };
  } catch (error) {
    if (error instanceof UnreadableBody) throw invalid({ path: 'body', code: 'unreadable', message: error.reason });
    throw error;
  }
}

/** @throws CarnetError KEY_UNAVAILABLE where no key of ENCRYPTION_KEY opens them */
function secretsOf(encryption: Encryption, receiver: Receiver): readonly [string, ...string[]] {
  try {
    return endpointSecrets.decrypt(encryption, receiver);
  } catch (error) {
    const detail = 'The secret of this endpoint cannot be opened at the moment; send this again later.';
    throw new CarnetError('KEY_UNAVAILABLE', detail, { headers: { 'Retry-After': '60' }, cause: error });
  }
}

const contentTypeOf = (headers: ReceivedRequest['headers']): string | null => headers['content-type']?.[0] ?? null;

async function take(
  context: Context,
  receiver: Receiver,
  { request: { headers, body }, signature, read }: Judged & { request: ReceivedRequest },
): Promise<Taken> {
  const { signedId, token, scheme, bodyAuthenticated } = signature;
  const contentType = contentTypeOf(headers);
  const key = eventKey({
    signedId,
    token,
    deliveryId: providers[receiver.provider].deliveryIdOf(headers),
    eventId: read.eventId ?? null,
    messageId: read.messageId ?? null,
    body,
  });
  const id = newId('iev');
  const content = { headers: forwardedHeaders(headers), contentType, body };
  // Before the transaction: encrypting 10 MiB takes its time, and nothing has to be locked for it.
  const sealed = encryptContent(context.encryption, id, content);
  refuseWhereOverloaded(context, receiver.operator_id);
  faultPoint('receiveInbound:before');
  const taken = await inTransaction(context, async (connection) => {
    const event = await takeInboundEvent(connection, {
      endpointId: receiver.id,
      id,
      ...key,
      scheme,
      bodyAuthenticated,
      contentType,
      size: body.length,
      sealed,
    });
    if (event.taken === 'again') {
      const eventId = event.event_id;
      await replaceContent(connection, {
        eventId,
        operatorId: receiver.operator_id,
        sealed: encryptContent(context.encryption, eventId, content),
      });
    }
    faultPoint('receiveInbound:before-commit');
    return event;
  });
  faultPoint('receiveInbound:committed');
  if (taken.taken !== 'duplicate') {
    context.rowEvents.changed(taken.event_id);
    context.delivery.messagesCommitted();
    void context.delivery.begin(lifeId.inbound(taken.event_id));
  }
  return taken;
}
