import type { Encryption } from '../../context/encryption.ts';

/** The content of an event, as it came. */
export interface InboundContent {
  /** Names and values in pairs, those alone that may be forwarded. */
  headers: Record<string, string>;
  contentType: string | null;
  body: Uint8Array;
}

const contentEncryptionContext = (eventId: string): string => `inbound-content:${eventId}`;

/** Bytes before the body: how long the JSON of the headers is. */
const LENGTH_BYTES = 4;

export function encryptContent(
  { encryptBytes }: Encryption,
  eventId: string,
  { headers, contentType, body }: InboundContent,
): Buffer {
  const head = Buffer.from(JSON.stringify({ headers, contentType }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.length);
  return encryptBytes(Buffer.concat([length, head, body]), contentEncryptionContext(eventId));
}

/** @throws Error where no key of ENCRYPTION_KEY opens it */
export function decryptContent({ decryptBytes }: Encryption, eventId: string, sealed: Buffer): InboundContent {
  const opened = decryptBytes(sealed, contentEncryptionContext(eventId));
  const headEnd = LENGTH_BYTES + opened.readUInt32BE();
  const head = JSON.parse(opened.subarray(LENGTH_BYTES, headEnd).toString()) as Omit<InboundContent, 'body'>;
  return { ...head, body: opened.subarray(headEnd) };
}
