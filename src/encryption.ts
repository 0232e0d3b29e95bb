import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** AES-256-GCM under a key of 32 bytes; the first key of ENCRYPTION_KEY seals, every key of the list opens (rotation). */
export interface Encryption {
  /** @param context what the text belongs to (table and id); a sealed text opens under the same context only. */
  seal(text: string, context: string): string;
  /** @throws Error when no key of the list opens it, or the context differs. */
  open(sealed: string, context: string): string;
}

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
      return [keyId(first), iv.toString('base64url'), cipher.getAuthTag().toString('base64url'), sealed.toString('base64url')].join('.');
    },
    open(sealed, context) {
      const [id, iv, tag, body] = sealed.split('.');
      const key = byId.get(id ?? '');
      if (key === undefined || iv === undefined || tag === undefined || body === undefined) {
        throw new Error('No key of ENCRYPTION_KEY opens this; was a key removed from the list before its texts were sealed again?');
      }
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'))
        .setAAD(Buffer.from(context))
        .setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8');
    },
  };
}
