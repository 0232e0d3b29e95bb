import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** AES-256-GCM under a key of 32 bytes; the first key of ENCRYPTION_KEY seals, every key of the list opens (rotation). */
export interface Encryption {
  /** @param context what the text belongs to (table and id); a sealed text opens under the same context only. */
  seal(text: string, context: string): string;
  /** @throws Error when no key of the list opens it, or the context differs. */
  open(sealed: string, context: string): string;
  /** Whether the first key sealed it; what another key of the list sealed should be sealed anew, so that the key can go. */
  isCurrent(sealed: string): boolean;
  /** HMAC-SHA256 of `text` under a key derived for this purpose from the first key, base64url. */
  mac(text: string, purpose: string): string;
  /** Whether any key of the list made `mac` for this text and purpose; takes the same time for every wrong one. */
  macFits(text: string, purpose: string, mac: string): boolean;
}

const macUnder = (key: Buffer, text: string, purpose: string): Buffer =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', `carnet:${purpose}`, 32)))
    .update(text)
    .digest();

const keyId = (key: Buffer): string => createHash('sha256').update(key).digest('base64url').slice(0, 8);

export function createEncryption(keys: readonly Buffer[]): Encryption {
  const first = keys[0];
  if (first === undefined) throw new Error('Encryption needs at least one key.');
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  return {
    seal(text, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', first, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return [
        keyId(first),
        iv.toString('base64url'),
        cipher.getAuthTag().toString('base64url'),
        sealed.toString('base64url'),
      ].join('.');
    },
    open(sealed, context) {
      const [id, iv, tag, body] = sealed.split('.');
      const key = byId.get(id ?? '');
      if (key === undefined || iv === undefined || tag === undefined || body === undefined) {
        throw new Error(
          'No key of ENCRYPTION_KEY opens this; was a key removed from the list before its texts were sealed again?',
        );
      }
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'))
        .setAAD(Buffer.from(context))
        .setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8');
    },
    isCurrent: (sealed) => sealed.startsWith(`${keyId(first)}.`),
    mac: (text, purpose) => macUnder(first, text, purpose).toString('base64url'),
    macFits(text, purpose, mac) {
      const given = Buffer.from(mac, 'base64url');
      if (given.toString('base64url') !== mac) return false;
      return keys.some((key) => {
        const made = macUnder(key, text, purpose);
        return made.length === given.length && timingSafeEqual(made, given);
      });
    },
  };
}
