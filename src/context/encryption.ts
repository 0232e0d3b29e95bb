import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** AES-256-GCM under a key of 32 bytes; the first key of ENCRYPTION_KEY encrypts, every key of the list decrypts (rotation). */
export interface Encryption {
  /** @param context what the text belongs to (table and id); a sealed text opens under the same context only. */
  encrypt(text: string, context: string): string;
  /** @throws Error when no key of the list opens it, or the context differs. */
  decrypt(sealed: string, context: string): string;
  /** As `encrypt`, of bytes that are kept as bytes. */
  encryptBytes(bytes: Uint8Array, context: string): Buffer;
  /** @throws Error as `decrypt` does. */
  decryptBytes(sealed: Buffer, context: string): Buffer;
  /** Whether the first key sealed it; what another key of the list sealed should be sealed again, so that the key can go. */
  isCurrent(sealed: string): boolean;
  /** HMAC-SHA256 of `text` under a key derived for this purpose from the first key, base64url. */
  mac(text: string, purpose: string): string;
  /** Whether any key of the list made `mac` for this text and purpose; takes the same time for every wrong one. */
  macFits(text: string, made: { purpose: string; mac: string }): boolean;
}

const macUnder = (key: Buffer, { text, purpose }: { text: string; purpose: string }): Buffer =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', `carnet:${purpose}`, 32)))
    .update(text)
    .digest();

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** The length of a key's id, in ASCII. */
const ID_BYTES = 8;
const EMPTY = Buffer.alloc(0);

/** The text that was sealed, under which key. */
interface Encrypted {
  id: string;
  iv: Buffer;
  tag: Buffer;
  sealed: Buffer;
}

const keyId = (key: Buffer): string => createHash('sha256').update(key).digest('base64url').slice(0, ID_BYTES);

export function createEncryption(keys: readonly Buffer[]): Encryption {
  const first = keys[0];
  if (first === undefined) throw new Error('Encryption needs at least one key.');
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const encrypt = (bytes: Uint8Array, context: string): Encrypted => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, first, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return { id: keyId(first), iv, tag: cipher.getAuthTag(), sealed };
  };
  const decrypt = ({ id, iv, tag, sealed }: Encrypted, context: string): Buffer => {
    const key = byId.get(id);
    if (key === undefined) {
      throw new Error(
        'No key of ENCRYPTION_KEY opens this; was a key removed from the list before its texts were sealed again?',
      );
    }
    const decipher = createDecipheriv(CIPHER, key, iv).setAAD(Buffer.from(context)).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed), decipher.final()]);
  };
  return {
    encrypt(text, context) {
      const { id, iv, tag, sealed } = encrypt(Buffer.from(text), context);
      return [id, ...[iv, tag, sealed].map((part) => part.toString('base64url'))].join('.');
    },
    decrypt(text, context) {
      const [id = '', ...parts] = text.split('.');
      const [iv = EMPTY, tag = EMPTY, sealed = EMPTY] = parts.map((part) => Buffer.from(part, 'base64url'));
      return decrypt({ id, iv, tag, sealed }, context).toString('utf8');
    },
    encryptBytes(bytes, context) {
      const { id, iv, tag, sealed } = encrypt(bytes, context);
      return Buffer.concat([Buffer.from(id, 'latin1'), iv, tag, sealed]);
    },
    decryptBytes(bytes, context) {
      const id = bytes.subarray(0, ID_BYTES).toString('latin1');
      const [ivEnd, tagEnd] = [ID_BYTES + IV_BYTES, ID_BYTES + IV_BYTES + TAG_BYTES];
      const [iv, tag] = [bytes.subarray(ID_BYTES, ivEnd), bytes.subarray(ivEnd, tagEnd)];
      return decrypt({ id, iv, tag, sealed: bytes.subarray(tagEnd) }, context);
    },
    isCurrent: (sealed) => sealed.startsWith(`${keyId(first)}.`),
    mac: (text, purpose) => macUnder(first, { text, purpose }).toString('base64url'),
    macFits(text, { purpose, mac }) {
      const given = Buffer.from(mac, 'base64url');
      if (given.toString('base64url') !== mac) return false;
      return keys.some((key) => {
        const made = macUnder(key, { text, purpose });
        return made.length === given.length && timingSafeEqual(made, given);
      });
    },
  };
}
