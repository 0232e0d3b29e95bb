import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { standardKeyOf } from '../../webhooks/secrets.ts';

export type SignatureScheme = 'standard_webhooks' | 'hex' | 'mailgun';

/** The three fields with which Mailgun signs, wherever in the body they stand. */
export interface MailgunFields {
  /** Seconds since 1970, decimal. */
  timestamp: string;
  token: string;
  /** Hex. */
  signature: string;
}

/** A request with its signature. */
export interface Received {
  /** As `IncomingMessage.headersDistinct` has them: names in lower case, each with all its values. */
  headers: Readonly<NodeJS.Dict<readonly string[]>>;
  /** The bytes as they came. */
  body: Buffer;
  /** From the body; null: it has none. They are looked for only where no header decides. */
  mailgun: () => MailgunFields | null;
  /** Opened secrets of the endpoint: the current one, and the one before it while that still counts. */
  secrets: readonly [string, ...string[]];
  now: Date;
}

export type Verification =
  | {
      ok: true;
      scheme: SignatureScheme;
      /** The id that the signature covers; null: the scheme has none. */
      signedId: string | null;
      /** The token that Mailgun's signature covers in place of the body; null: another scheme. */
      token: string | null;
      /** Whether the signature covers the body. */
      bodyAuthenticated: boolean;
    }
  | { ok: false };

export const REFUSED: Verification = { ok: false };
/** A signature is this old or this much ahead at most, milliseconds, as Standard Webhooks and Mailgun recommend. */
const TOLERANCE_MS = 300_000;

/** The headers of Standard Webhooks, and the older names of the same three, which mail providers send that use Svix. */
const STANDARD = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' };
const SVIX = { id: 'svix-id', timestamp: 'svix-timestamp', signature: 'svix-signature' };

/** Headers that hold the HMAC-SHA256 of the body in hex, in the order in which they are looked at. */
const HEX_HEADERS = ['x-service-signature', 'x-signature', 'x-hub-signature-256'];

/** One way to sign. Signatures are compared in constant time. @returns null where the request carries none of this kind */
export type Scheme = (received: Received) => Verification | null;

const byHeadersOf =
  (names: typeof STANDARD): Scheme =>
  (received) =>
    received.headers[names.signature] === undefined ? null : verifyStandard(received, names);

export const standardWebhooks = byHeadersOf(STANDARD);
export const svix = byHeadersOf(SVIX);

/** The hex HMAC of the body in one of these headers, the first that there is. */
export const hexIn =
  (...names: readonly string[]): Scheme =>
  (received) => {
    const name = names.find((one) => received.headers[one] !== undefined);
    return name === undefined ? null : verifyHex(received, name);
  };

export const hexScheme = hexIn(...HEX_HEADERS);

export const mailgun: Scheme = (received) => {
  const fields = received.mailgun();
  return fields === null ? null : verifyMailgun(received, fields);
};

/** `v1,<base64>` one after another, of `<id>.<timestamp>.<body>`, keyed with the bytes behind `whsec_`. A secret without that prefix fits none. */
function verifyStandard({ headers, body, secrets, now }: Received, names: typeof STANDARD): Verification {
  const id = only(headers[names.id]);
  const timestamp = only(headers[names.timestamp]);
  const signature = only(headers[names.signature]);
  // An id with a full stop could move a part of the body of one signed request into the id of another.
  if (id === undefined || !/^[^.\s]+$/.test(id)) return REFUSED;
  if (timestamp === undefined || !isRecent(timestamp, now) || signature === undefined) return REFUSED;
  const given = signature
    .split(' ')
    .filter((part) => /^v1,[A-Za-z0-9+/]{43}=$/.test(part))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'));
  const made = secrets.map((secret) =>
    // In place of the key that a secret does not have, a random one: nobody can sign with it, and it takes as long.
    createHmac('sha256', standardKeyOf(secret) ?? randomBytes(32))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest(),
  );
  return fits(given, made)
    ? { ok: true, scheme: 'standard_webhooks', signedId: id, token: null, bodyAuthenticated: true }
    : REFUSED;
}

/** 64 hex digits in either case, with or without `sha256=`, keyed with the whole text of the secret. */
function verifyHex({ headers, body, secrets }: Received, name: string): Verification {
  const given = hexDigest((only(headers[name]) ?? '').replace(/^sha256=/, ''));
  const made = secrets.map((secret) => createHmac('sha256', secret).update(body).digest());
  return fits(given, made)
    ? { ok: true, scheme: 'hex', signedId: null, token: null, bodyAuthenticated: true }
    : REFUSED;
}

/** Hex of the HMAC of timestamp and token, one behind the other, keyed with the whole text of the secret. */
function verifyMailgun({ secrets, now }: Received, { timestamp, token, signature }: MailgunFields): Verification {
  if (token === '' || !isRecent(timestamp, now)) return REFUSED;
  const made = secrets.map((secret) =>
    createHmac('sha256', secret)
      .update(timestamp + token)
      .digest(),
  );
  return fits(hexDigest(signature), made)
    ? { ok: true, scheme: 'mailgun', signedId: null, token, bodyAuthenticated: false }
    : REFUSED;
}

/** The value of a header that comes once; of any other undefined. */
const only = (values: readonly string[] | undefined): string | undefined =>
  values?.length === 1 ? values[0] : undefined;

/** Seconds since 1970 without a leading zero, so that two texts are never one time. */
function isRecent(seconds: string, now: Date): boolean {
  return /^[1-9]\d{0,10}$/.test(seconds) && Math.abs(now.getTime() - Number(seconds) * 1_000) <= TOLERANCE_MS;
}

const hexDigest = (text: string): Buffer[] => (/^[0-9a-f]{64}$/i.test(text) ? [Buffer.from(text, 'hex')] : []);

/** Whether one of the given digests is one of those that were made; all have 32 bytes. */
const fits = (given: readonly Buffer[], made: readonly Buffer[]): boolean =>
  given.some((digest) => made.some((expected) => timingSafeEqual(digest, expected)));
