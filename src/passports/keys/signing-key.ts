import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { Encryption } from '../../context/encryption.ts';
import { thumbprintOf } from '../../fields/thumbprint.ts';
import type { NewSigningKey, SigningKeyRow } from './queries.ts';
import { assertTokenFits, headerSegment, type TokenType } from '../token.ts';

/** One Ed25519 key of ours; its private part is decrypted when it first signs. */
export class SigningKey {
  readonly kid: string;
  /** The public key, base64url. */
  readonly x: string;
  readonly status: SigningKeyRow['status'];
  readonly counts: boolean;
  readonly publicKey: KeyObject;
  readonly #openPrivate: () => string;
  #privateKey: KeyObject | undefined;

  constructor({ kid, x, status, counts, private_key: sealed }: SigningKeyRow, encryption: Encryption) {
    this.kid = kid;
    this.x = x;
    this.status = status;
    this.counts = counts;
    this.publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    this.#openPrivate = () => encryption.decrypt(sealed, encryptionContext(kid));
  }

  /**
   * The token of a payload, which is signed as the text it is. Ed25519 is deterministic: the same text gives the same
   * token.
   * @throws CarnetError PASSPORT_TOO_LARGE; Error where no key of ENCRYPTION_KEY opens the private part.
   */
  sign(payload: string, typ: TokenType = 'JWT'): string {
    const key = (this.#privateKey ??= createPrivateKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: this.x, d: this.#openPrivate() },
      format: 'jwk',
    }));
    const input = `${headerSegment(this.kid, typ)}.${Buffer.from(payload).toString('base64url')}`;
    const token = `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
    if (typ === 'JWT') assertTokenFits(token);
    return token;
  }
}

/** The context under which a private part is sealed: it opens as that of its own key only. */
export const encryptionContext = (kid: string): string => `signing_keys:${kid}`;

/** A new key pair; what is sealed is the private member of its JWK. */
export function newSigningKey(encryption: Encryption): NewSigningKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const kid = thumbprintOf(x);
  return { kid, x, privateKey: encryption.encrypt(d, encryptionContext(kid)) };
}
